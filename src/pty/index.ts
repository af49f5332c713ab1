export { FedPty } from './fed-pty.ts';
export { createPtyHost } from './in-process-pty-host.ts';
export { LostPty } from './lost-pty.ts';
export {
  type Foreground,
  inputPauseMs,
  type Note,
  type OutputChunk,
  type Pty,
  type PtyHost,
  type PtySpawnRequest,
  type Saved,
  type SavedChange,
  type SavedState,
  type Segment,
  type SignalTarget,
  type Step,
  type TerminalModes,
  type TreeUsage,
  type WriteOptions,
} from './port.ts';
export type { ProcessEntry } from './processes/process-table.ts';
export { checkProgram } from './start/check-request.ts';
export {
  buildEnvironment,
  isSensitiveName,
} from './start/environment.ts';
export { defaultShell, resolveProgram } from './start/resolve-program.ts';
