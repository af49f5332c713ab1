import type { AgentInfo } from './activity.ts';
import type { Size } from './cell.ts';
import type { ExitStatus } from './lifetime.ts';

/** When an event was, and what it made of the terminal. */
export interface Stamp {
  readonly revision: number;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly atMs: number;
}

/**
 * Output of the program: one chunk as read, split where a frame of synchronized output begins or
 * ends. Empty when a frame is shown before it is complete.
 */
export interface OutputEvent extends Stamp {
  readonly type: 'output';
  /** The absolute offset of the first byte in the session's output. */
  readonly offset: number;
  /** Shared by all observers. Do not change it. */
  readonly bytes: Uint8Array;
}

/** A cell of a screen; both numbers are 0-based. */
export interface ScreenPlace {
  readonly row: number;
  readonly col: number;
}

export interface ResizeEvent extends Stamp {
  readonly type: 'resize';
  readonly size: Size;
  /**
   * Where the shell's prompt began, on the screen before the resize. From there on the screen was erased
   * before its lines were wrapped again, because the shell draws its prompt again. Absent: nothing was erased.
   */
  readonly erasedFrom?: ScreenPlace;
}

/**
 * Output that erases a terminal as a resize with {@link ResizeEvent.erasedFrom} does, before the resize. For
 * recordings and players; it changes the saved cursor.
 */
export const eraseOutput = ({ row, col }: ScreenPlace): string =>
  `\x1b7\x1b[?6l\x1b[m\x1b[${row + 1};${col + 1}H\x1b[J\x1b8`;

export interface TitleEvent extends Stamp {
  readonly type: 'title';
  readonly title: string;
}

export interface BellEvent extends Stamp {
  readonly type: 'bell';
  /** The number of bells in this chunk of output. */
  readonly count: number;
}

/** A position in the output of a session. */
export interface OutputPosition {
  /** The absolute offset of the first byte of the sequence. */
  readonly offset: number;
  /** The line number of the cursor; null on the alternate screen. */
  readonly line: number | null;
  /**
   * The column in that line, 0-based, counted over all rows it wraps to; on the alternate screen,
   * in the row.
   */
  readonly col: number;
}

/** A program reported its working directory (OSC 7 and others). */
export interface CwdEvent extends Stamp {
  readonly type: 'cwd';
  readonly cwd: string;
  /** The host name as the program reports it; empty if it does not. */
  readonly host: string;
  /** See {@link MarkEvent.nonce}. */
  readonly nonce?: string;
  /** Set if the nonce is not of the session's shell: any program may have printed it. */
  readonly unverified?: true;
  readonly position: OutputPosition;
}

/**
 * The kind of a mark in the output. A shell marks the beginning and the end of its prompt, the
 * command line, and the start and the end of a command (OSC 133 and 633). A `user` mark is set by a
 * user (OSC 1337).
 */
export type MarkKind =
  | 'promptStart'
  | 'promptEnd'
  | 'commandLine'
  | 'commandStart'
  | 'commandEnd'
  | 'user';

/**
 * How a line is typed that a shell takes as it is: before vtr's key, and after it, too, if the shell would change it
 * (`noted`); after the key if the shell would change it (`typed`); after the key (`always`); as a paste after the key;
 * or as a paste before it, percent-encoded (`encoded`). `erasable`: as `encoded`, and another key empties the line.
 */
export type LineKey = 'noted' | 'typed' | 'always' | 'paste' | 'encoded' | 'erasable';

/** A part of a prompt. */
export type RedrawnPart = 'all' | 'last_line' | 'nothing';

export interface MarkEvent extends Stamp {
  readonly type: 'mark';
  readonly mark: MarkKind;
  readonly position: OutputPosition;
  /**
   * For `promptStart`: a continuation prompt or a right prompt. Absent for the prompt of a new
   * command.
   */
  readonly prompt?: 'continuation' | 'right';
  /**
   * For `promptStart`: how much of its prompt the shell draws again after a resize. Absent: as the mark before for
   * the same prompt says, or all.
   */
  readonly redraws?: RedrawnPart;
  /**
   * For `promptStart`, if the shell has a key with which it takes a line as it is.
   */
  readonly lineKey?: LineKey;
  /** For `commandLine`, and for `commandStart` if the shell reports it: the line as typed. */
  readonly commandLine?: string;
  /**
   * For `commandStart`: the newest line of the shell's history, if it is unknown whether it is
   * the line as typed.
   */
  readonly historyLine?: string;
  /**
   * What proves that the shell set the mark, if it is of the session's shell. It is good for one place among
   * the marks of the shell, so it is not a secret once it was printed.
   */
  readonly nonce?: string;
  /** Set if the nonce is not of the session's shell: any program may have printed it. */
  readonly unverified?: true;
  /** For `commandEnd`; null if the shell does not report it. */
  readonly exitCode?: number | null;
}

/** What a program says that it does (Program Status Protocol, OSC 7501). */
export type StatusState = 'idle' | 'working' | 'blocked' | 'done' | 'error';

/**
 * A record of the Program Status Protocol, revision 0.2. All of it is what some program printed: untrusted text, of
 * one line without control and invisible characters.
 */
export interface ProgramStatus {
  /** The path of a sub-task, such as `build/tests`; empty for the program itself. */
  readonly id: string;
  readonly state: StatusState;
  /** What a blocked program waits for; null if it does not say. */
  readonly kind: 'permission' | 'question' | 'auth' | null;
  /** The name of the program; null if it does not say. */
  readonly app: string | null;
  /** 0 to 100; null if it does not say. */
  readonly progress: number | null;
  /** Empty if it has none. */
  readonly message: string;
  /** Empty if it has none. */
  readonly title: string;
  /** The absolute offset of the first byte of the report in the output. */
  readonly offset: number;
}

export type ProgressState = 'none' | 'normal' | 'error' | 'indeterminate' | 'paused';

/** The program reported its progress (OSC 9;4). */
export interface ProgressEvent extends Stamp {
  readonly type: 'progress';
  readonly state: ProgressState;
  /** 0..100; null if not reported. */
  readonly percent: number | null;
  readonly position: OutputPosition;
}

/** The control sequences by which programs send notifications: of iTerm2, kitty and urxvt. */
export const notificationCodes = [9, 99, 777] as const;
export type NotificationCode = (typeof notificationCodes)[number];

/** The program sent a notification (OSC 9, 99, 777). Without control characters. */
export interface NotificationEvent extends Stamp {
  readonly type: 'notification';
  /** Empty if there is none. */
  readonly title: string;
  readonly body: string;
  /** The number of the control sequence (OSC); absent from an older coordinator. */
  readonly code?: NotificationCode;
  readonly position: OutputPosition;
}

/** The program set the clipboard (OSC 52). Sent only if that is allowed. */
export interface ClipboardEvent extends Stamp {
  readonly type: 'clipboard';
  /** As in xterm: `c` for the clipboard, `p` for the primary selection, and others. Default: `c`. */
  readonly selection: string;
  readonly text: string;
  readonly position: OutputPosition;
}

/** The program ended. Always the last event of a session, after the final byte of output. */
export interface ExitEvent extends Stamp {
  readonly type: 'exit';
  readonly status: ExitStatus;
}

/** The coding agent of the session changed: its state, what it asks, its turn, whether it is done. */
export interface AgentEvent extends Stamp {
  readonly type: 'agent';
  /** Null if none is in the foreground any more. */
  readonly agent: AgentInfo | null;
}

/** An event of a session. */
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
 * The state of the session at a revision. Later events continue from it without gap or repeat. Sent
 * first in every subscription, and again whenever events were skipped because the subscriber was
 * too slow.
 */
export interface SnapshotEvent extends Stamp {
  readonly type: 'snapshot';
  readonly size: Size;
  /** Bytes that reproduce the state at `revision` when written to a new terminal of `size`. */
  readonly dump: Uint8Array;
  /** The number of that terminal's first line. */
  readonly firstLine: number;
  /** The absolute offset of the next byte of output. */
  readonly offset: number;
}
