export type { ExitAnswer, OutputAnswer } from './answers.ts';
export type { AuditedCommand, AuditRecord } from './audit.ts';
export {
  type MountedTerminals,
  type MountOptions,
  mountTerminals,
  type TerminalApp,
} from './mount-terminals.ts';
export type { TerminalOptions } from './options.ts';
export { type RpcError, toRpcError } from './rpc-error.ts';
export {
  isTerminalMethod,
  type TerminalAnswers,
  type TerminalMethod,
  TerminalProvider,
  terminalCapabilities,
  terminalMethods,
} from './terminal-provider.ts';
export type { EscapeMode } from './transcript.ts';
