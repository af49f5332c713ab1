export { FedPty } from './fed-pty.ts';
export { createPtyHost, type OwnedPty, type OwningPtyHost } from './in-process-pty-host.ts';
export { hasLongLine, maxLineBytes } from './io/input-queue.ts';
export { type EventLoop, nodeLoop } from './io/read-scheduler.ts';
export { LostPty } from './lost-pty.ts';
export {
  type AdoptedPty,
  chunkFrom,
  enterPauseMs,
  type Foreground,
  hasLineEnd,
  inputPauseMs,
  type LearnedSecrets,
  type Limited,
  maxReadWaitMs,
  type Note,
  nothingLearned,
  type OutputChunk,
  type OutputPause,
  type Pty,
  type PtyHost,
  type PtySpawnRequest,
  type ReadTime,
  type Saved,
  type SavedChange,
  type SavedState,
  type Segment,
  type SignalTarget,
  type Step,
  type TerminalModes,
  type TreeUsage,
  type WriteModes,
  type WriteOptions,
  type WriteReceipt,
} from './port.ts';
export { endHousehold, processTime } from './processes/end-left.ts';
export { processArguments } from './processes/process-arguments.ts';
export type { ProcessEntry } from './processes/process-table.ts';
export {
  buildEnvironment,
  loginEnvironment,
  loginTemporaryDirectory,
} from './start/environment.ts';
export { checkProgram, defaultShell, resolveProgram } from './start/resolve-program.ts';
export type { DetachedProgram } from './start-detached.ts';
