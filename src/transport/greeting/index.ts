export { failureLine, greetingLine } from './greeting.ts';
