export { encodeText } from './paste.ts';
