export { type AuditedCommand, type AuditRecord, AuditTrail } from './audit-trail.ts';
export {
  type MountedTerminals,
  type MountOptions,
  mountTerminals,
  type RpcError,
  type TerminalApp,
  toRpcError,
} from './mount-terminals.ts';
export type { TerminalOptions } from './options.ts';
export {
  type ExitAnswer,
  isTerminalMethod,
  type OutputAnswer,
  type TerminalAnswers,
  type TerminalMethod,
  TerminalProvider,
  terminalCapabilities,
  terminalMethods,
} from './terminal-provider.ts';
export type { EscapeMode } from './transcript.ts';
