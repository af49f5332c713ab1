export { verbHelp } from './arguments/help.ts';
export { usageOf } from './arguments/parse-arguments.ts';
export {
  asksExit,
  lostExit,
  noExit,
  notSubmittedExit,
  restartExit,
  unknownExit,
  waitExit,
} from './exit-codes.ts';
export { nodeBinary } from './install/node-binary.ts';
export { filesToInstall, nativePackages, tarOf } from './install/package-files.ts';
export { termcpCommand } from './termcp/termcp-command.ts';
export type { Verb } from './verb.ts';
export { allVerbs, verbGroups } from './verbs/index.ts';
