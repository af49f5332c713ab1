export { noExit, unknownExit, waitExit } from './exit-codes.ts';
export { verbHelp } from './help.ts';
export { usageOf } from './parse-arguments.ts';
export { termcpCommand } from './termcp.ts';
export { allVerbs } from './verbs/index.ts';
