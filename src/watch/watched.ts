import type { Disposable, Listener } from '#base';
import type {
  CommandRecord,
  ExitStatus,
  OutputPosition,
  SessionEvent,
  ShellIntegration,
} from '#model';

/** A line that the last output printed on, and where in it. */
export interface Printed {
  /** Line number; null on the alternate screen. */
  readonly line: number | null;
  readonly text: string;
  /** Whether `text` lacks the beginning of the line. */
  readonly cut: boolean;
  /** The printed part of `text`: from this index up to and without `to`. */
  readonly from: number;
  readonly to: number;
}

/** A rendering of lines; the untouched output is none. */
export type LineFormat = 'text' | 'ansi';

export interface NumberedText {
  readonly line: number;
  readonly text: string;
}

/** A stretch of a line, in columns: all of it where absent. */
export interface Columns {
  readonly from?: number;
  readonly to?: number;
}

/** What is there to be read of a session. */
export interface Readable {
  readonly id: string;
  readonly revision: number;
  /** The revision of what readers see: an older one while the program draws a frame. */
  readonly shownRevision: number;
  /** The oldest line that is kept. */
  readonly firstLine: number;
  /** The line of the topmost row of the primary screen. */
  readonly topLine: number;
  readonly endLine: number;
  readonly alternate: boolean;
  /** Absolute offset of the next byte of output. */
  readonly outputEnd: number;
  /** Lines from `from` up to and without `to`, as far as they are kept. */
  lineTexts(from: number, to: number, format?: LineFormat): Iterable<NumberedText>;
  /** The text of a part of a line; empty where it is not kept. */
  linePart(line: number, columns: Columns): string;
  /** Bytes of UTF-8 of the text of lines, a line feed for each. */
  textBytes(from: number, to: number): number;
  /** Rows of the screen that is shown, blanks at their ends cut. */
  screenRows(format?: LineFormat): readonly string[];
  /** Whether any row of the shown screen changed after a revision. */
  changedAfter(revision: number): boolean;
  /** The topmost line that was printed on after a revision though the cursor had been below. */
  rewrittenFrom(revision: number): number;
  /** Where the primary screen began when all of it was first erased after a revision; else Infinity. */
  clearedFrom(revision: number): number;
  /** Whether a line of the primary screen was printed on after a revision. */
  printedAfter(line: number, revision: number): boolean;
  /** The line that output goes on in, the column of the cursor in it, and its text left of that. */
  outputPlace(): { readonly line: number; readonly col: number; readonly before: string };
  /** The untouched output from an offset on: as far as it is kept. */
  rawOutput(from: number): Iterable<{ readonly offset: number; readonly bytes: Uint8Array }>;
}

/** What the shell's marks say; see the ledger in `shell`. */
export interface WatchedCommands {
  readonly integration: ShellIntegration;
  /** Whether marks are to come: the shell was made to send them, and has not begun to. */
  readonly starting: boolean;
  /** Where the prompt ends that asks for the next command; null while none is there. */
  readonly prompt: OutputPosition | null;
  /** Whether the shell asks for the rest of a command: a line that goes on. */
  readonly continues: boolean;
  readonly running: CommandRecord | null;
  /** The first command that ended at this offset of the output or after it. */
  endedAfter(offset: number): CommandRecord | null;
}

/** What an observer sees of a session. While an event goes round, the state is the event's. */
export interface Watched extends Readable {
  /** Null while the program runs. */
  readonly exitStatus: ExitStatus | null;
  readonly commands: WatchedCommands;
  /** {@link Readable.outputEnd} when input was last accepted; 0 where none ever was. */
  readonly lastInputAt: number;
  /** The text left of the cursor, in its row of the shown screen. */
  textBeforeCursor(): string;
  /** What the last output printed. */
  printedText(): Iterable<Printed>;
  /** Another number when the screen looks different. */
  fingerprint(): number;
  /** For each row of the screen, another number when it looks different. */
  rowFingerprints(): Int32Array;
  onEvent(listener: Listener<SessionEvent>): Disposable;
}
