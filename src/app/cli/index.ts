export { usageOf } from './parse-arguments.ts';
export type { Verb } from './verb.ts';
export { verbs } from './verbs/index.ts';
