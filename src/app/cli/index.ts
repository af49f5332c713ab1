export { verbHelp } from './help.ts';
export { usageOf } from './parse-arguments.ts';
export { allVerbs } from './verbs/index.ts';
