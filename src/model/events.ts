import type { ExitStatus } from './exit-status.ts';
import type { Size } from './size.ts';

interface Stamp {
  readonly revision: number;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly atMs: number;
}

/**
 * What a program wrote, as one read delivered it, cut where a frame of synchronized output begins or
 * ends. Without bytes where a frame is shown before it is complete.
 */
export interface OutputEvent extends Stamp {
  readonly type: 'output';
  /** Absolute offset of the first byte in the session's output. */
  readonly offset: number;
  /** Shared by all observers: read only. */
  readonly bytes: Uint8Array;
}

export interface ResizeEvent extends Stamp {
  readonly type: 'resize';
  readonly size: Size;
}

export interface TitleEvent extends Stamp {
  readonly type: 'title';
  readonly title: string;
}

export interface BellEvent extends Stamp {
  readonly type: 'bell';
  /** Bells in this chunk. */
  readonly count: number;
}

/** Where in a session's output something was said. */
export interface OutputPosition {
  /** Absolute offset of the first byte of what said it. */
  readonly offset: number;
  /** Number of the line that the cursor was in; null on the alternate screen. */
  readonly line: number | null;
  /** Column of that line, 0-based, counted over all rows that it takes; else of the row. */
  readonly col: number;
}

/** The program told in which directory it works (OSC 7 and others). Its word, and not checked. */
export interface CwdEvent extends Stamp {
  readonly type: 'cwd';
  readonly cwd: string;
  /** The machine that it is on, as the program calls it; empty where it does not say. */
  readonly host: string;
  readonly position: OutputPosition;
}

/**
 * What a shell marks in its output (OSC 133 and 633): where its prompt begins and ends, where a
 * command begins to run, where it has ended; or `user`, a mark that somebody set (OSC 1337).
 */
export type MarkKind =
  | 'promptStart'
  | 'promptEnd'
  | 'commandLine'
  | 'commandStart'
  | 'commandEnd'
  | 'user';

export interface MarkEvent extends Stamp {
  readonly type: 'mark';
  readonly mark: MarkKind;
  readonly position: OutputPosition;
  /** For `promptStart` that is not of a new command: a line that goes on, or at the right. */
  readonly prompt?: 'continuation' | 'right';
  /** For `commandLine`, and for `commandStart` where the shell says: what was typed. */
  readonly commandLine?: string;
  /**
   * For `commandStart`: the newest line of the shell's history, where the shell cannot tell whether
   * that is what was typed.
   */
  readonly historyLine?: string;
  /** What the shell proves with that it was it who said so; output alone cannot know it. */
  readonly nonce?: string;
  /** For `commandEnd`: null where the shell does not say. */
  readonly exitCode?: number | null;
}

export type ProgressState = 'none' | 'normal' | 'error' | 'indeterminate' | 'paused';

/** How far the program says that it is (OSC 9;4). */
export interface ProgressEvent extends Stamp {
  readonly type: 'progress';
  readonly state: ProgressState;
  /** 0 to 100; null where it was not said. */
  readonly percent: number | null;
  readonly position: OutputPosition;
}

/** The program wants a person to be told something (OSC 9, 99, 777). Text without controls. */
export interface NotificationEvent extends Stamp {
  readonly type: 'notification';
  /** Empty where there is none. */
  readonly title: string;
  readonly body: string;
  readonly position: OutputPosition;
}

/** The program wants this to be in the clipboard (OSC 52); only where that is allowed. */
export interface ClipboardEvent extends Stamp {
  readonly type: 'clipboard';
  /** xterm's letters: `c` the clipboard, `p` the primary selection and others; `c` where none is. */
  readonly selection: string;
  readonly text: string;
  readonly position: OutputPosition;
}

/** Always the last event of a session, after the final byte of output. */
export interface ExitEvent extends Stamp {
  readonly type: 'exit';
  readonly status: ExitStatus;
}

/** What happened in a session, in order. */
export type SessionEvent =
  | OutputEvent
  | ResizeEvent
  | TitleEvent
  | BellEvent
  | CwdEvent
  | MarkEvent
  | ProgressEvent
  | NotificationEvent
  | ClipboardEvent
  | ExitEvent;

/**
 * The state at a revision, from which the events after it continue without gap or repeat. First in
 * every subscription, and again whenever the subscriber was too slow to be given every event.
 */
export interface SnapshotEvent extends Stamp {
  readonly type: 'snapshot';
  readonly size: Size;
  /** Fed to a fresh terminal of `size`, these bytes give the state at `revision`. */
  readonly dump: Uint8Array;
  /** Line number that the fresh terminal's first line must have. */
  readonly firstLine: number;
  /** Absolute offset of the next byte of output. */
  readonly offset: number;
}

export type SubscriptionEvent = SnapshotEvent | SessionEvent;
