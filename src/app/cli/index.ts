export { completedVerbs } from './completion/words.ts';
export { usageOf } from './parse-arguments.ts';
export type { Verb } from './verb.ts';
export { allVerbs } from './verbs/index.ts';
