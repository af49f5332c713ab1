export {
  checkProgram,
  createPtyHost,
  hasLongLine,
  LostPty,
  loginTemporaryDirectory,
  maxLineBytes,
  nothingLearned,
  type ProcessEntry,
  type PtyHost,
  processArguments,
  type Saved,
  type SavedChange,
  type SavedState,
  type Segment,
} from '#pty';
export type { ArchivedBlock, LineArchive, LineArchives } from './archive/archived-terminal.ts';
export { EarlierTerminal } from './earlier-terminal.ts';
export { FedSession } from './fed-session.ts';
export type { InputGate } from './input/input.ts';
export { contentHash } from './input/recorded-input.ts';
export { TextPlace } from './input/text-place.ts';
export { KnownSecrets } from './known-secrets.ts';
export { LeftSession } from './saving/left-session.ts';
export {
  type CoordinatorFacts,
  completeFacts,
  decodeFacts,
  encodeFacts,
  type SessionFacts,
  type TerminalFacts,
} from './saving/session-facts.ts';
export { SessionSaving } from './saving/session-saving.ts';
export { Session } from './session.ts';
export {
  type SessionDefaults,
  SessionFactory,
  scrollbackLimits,
  spawnContent,
} from './session-factory.ts';
export { SessionView, type ShellState } from './session-view.ts';
export { type EndOfLines, endOfLines } from './terminal-reader.ts';
