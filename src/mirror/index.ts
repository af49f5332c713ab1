export { Mirror, type MirrorEvent, type MirrorListener } from './mirror.ts';
