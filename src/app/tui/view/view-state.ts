import type {
  CommandChoice,
  CommandRecord,
  KeyPress,
  MouseInput,
  NotificationEvent,
  Size,
  ViewingState,
} from '#model';
import type { TtyKey } from '#tty';
import type { Keys } from '../keys.ts';
import type { LineText } from '../line-editor.ts';
import type * as runtime from '../runtime.ts';
import type { TtyEffect, TtyMessage } from '../runtime.ts';
import type { CopyTarget, Frozen, Matcher, Scroll, ViewLine } from './scroll.ts';
import type { SessionScreen } from './session-screen.ts';

/**
 * Whether a row is kept for the status line: `on` always, `off` never, `auto` where the window has
 * more rows than the session.
 */
export type StatusMode = 'on' | 'off' | 'auto';

/** What is known of the session besides its screen. */
export type Connection =
  | { readonly state: 'connected' }
  /** The coordinator's process is there, but answers nothing. */
  | { readonly state: 'silent' }
  /** @param untilMs when the attempts to reach the coordinator again end */
  | { readonly state: 'lost'; readonly untilMs: number }
  /**
   * @param how for example `exited with status 0`
   * @param isRemoved whether the session cannot be started again
   */
  | { readonly state: 'ended'; readonly how: string; readonly isRemoved: boolean };

export interface ViewOptions {
  readonly window: Size;
  readonly session: string;
  /** As people know it: its name in the configuration, or the path of its socket. */
  readonly coordinator: string;
  readonly status: StatusMode;
  readonly keys: Keys;
  /** Whether the person asked to watch: no key drives or takes. */
  readonly watches?: boolean;
  readonly notifications: NotificationMode;
  /** Commands that were typed after `:` before, the newest last. Default: none */
  readonly commandLines?: readonly string[];
  /** Whether the view uses the mouse: the wheel scrolls, dragging selects. Default: true */
  readonly usesMouse?: boolean;
}

/**
 * What becomes of the notifications that the program sends (OSC 9, 99, 777): `pass` gives them to the person's
 * terminal, `status` shows them for a moment over the last row.
 */
export type NotificationMode = 'pass' | 'status' | 'off';

/** Another session that wants somebody. */
export interface Wanting {
  readonly name: string;
  /** What it does, and why: `asks: "Overwrite?" 1 Yes 2 No`. */
  readonly does: string;
}

export type Notification = Pick<NotificationEvent, 'title' | 'body' | 'code'>;

/** A line of text over the last row, for a short time. */
export interface Notice {
  readonly text: string;
  readonly untilMs: number;
}

/** The first row and column of the session that a window shows, which is smaller than the session. */
export interface Pan {
  readonly row: number;
  readonly col: number;
  /** Whether it follows the cursor. */
  readonly follows: boolean;
}

/** How scrolling begins, or what it continues with when the screen is frozen again. */
export type Entry =
  | { readonly type: 'scroll' }
  /** By the wheel or PgUp: in rows, negative for up. */
  | { readonly type: 'rows'; readonly rows: number; readonly isByWheel?: boolean }
  /** With the cursor where the program has it. */
  | { readonly type: 'copy' }
  | { readonly type: 'goTo'; readonly line: number }
  /** A key of scroll mode. */
  | { readonly type: 'key'; readonly press: KeyPress }
  /** With the button held since the last click; null for a double click. */
  | { readonly type: 'mouse'; readonly move: MouseInput | null }
  | { readonly type: 'end' };

/** The last press of the left button. */
export interface Click {
  /** A row of the window. */
  readonly row: number;
  readonly col: number;
  readonly atMs: number;
  /** 1 for a click, 2 for a double click, 3 for a triple click. */
  readonly count: number;
  /** Whether the button has not been released. */
  readonly isHeld: boolean;
}

/** All that a person sees of a session, apart from the content of other sessions. */
export interface ViewState extends ViewOptions {
  /** The time of the last action. */
  readonly nowMs: number;
  /** Null until the first screen has arrived. */
  readonly screen: SessionScreen | null;
  readonly viewing: ViewingState | null;
  /** For example `at prompt`; empty if unknown. */
  readonly activity: string;
  /** The names of the other sessions that want somebody. */
  readonly others: readonly string[];
  /** When the last notifications were passed on, in ms since 1970, oldest first. */
  readonly notifiedMs: readonly number[];
  readonly connection: Connection;
  readonly notice: Notice | null;
  readonly pan: Pan;
  /** Whether the person has agreed that images of the clipboard go to the machine of the session. */
  readonly passesImages: boolean;
  /** Whether the leader was pressed, so that the next key is a command to vtr. */
  readonly leading: boolean;
  /** The keys since then, which begin a sequence: the next one goes on with it. */
  readonly sequence: readonly KeyPress[];
  readonly click: Click | null;
  /** Null where the screen of the session is shown as it is. */
  readonly scroll: Scroll | null;
  /** Why the screen is being frozen; null if it is not. */
  readonly entry: Entry | null;
  /** What is shown above everything else, and has the keys. */
  readonly overlay: Overlay | null;
  /** Commands that were typed after `:`, the newest last. */
  readonly commandLines: readonly string[];
  /** What the person's own format made of the status line; null without one. */
  readonly statusText: StatusText | null;
}

/** The two sides of the status line, of which the person wrote the format; null for the usual side. */
export interface StatusText {
  readonly left: string | null;
  readonly right: string | null;
  /** Whether it shows the time. */
  readonly hasClock: boolean;
}

/** The next state, and what is to be done. */
export type Step = runtime.Step<ViewState, Effect>;

export const step = (state: ViewState, ...effects: readonly Effect[]): Step => ({ state, effects });

export const initialView = (options: ViewOptions): ViewState => ({
  ...options,
  nowMs: 0,
  screen: null,
  viewing: null,
  activity: '',
  others: [],
  notifiedMs: [],
  connection: { state: 'connected' },
  notice: null,
  pan: { row: 0, col: 0, follows: true },
  passesImages: false,
  leading: false,
  sequence: [],
  click: null,
  scroll: null,
  entry: null,
  overlay: null,
  commandLines: options.commandLines ?? [],
  statusText: null,
});

/** For how long a notice is shown, in ms. */
const noticeMs = 3000;

/** Returns a state with a notice. */
export const withNotice = (state: ViewState, text: string): ViewState => ({
  ...state,
  notice: { text, untilMs: state.nowMs + noticeMs },
});

/** Whether the person's keys go to the program: no other person holds it, and it has not ended. */
export const drives = ({ viewing, connection }: ViewState): boolean =>
  (viewing?.drives ?? false) && connection.state === 'connected';

/** When the state changes by itself, in ms since 1970; null if it does not. */
export function wakeAtMs(state: ViewState): number | null {
  const { notice, connection, nowMs } = state;
  const times = notice === null ? [] : [notice.untilMs];
  if (state.overlay?.type === 'clock' || state.statusText?.hasClock === true)
    times.push((minuteOf(nowMs) + 1) * minuteMs);
  // The seconds that are left are shown, rounded up.
  if (connection.state === 'lost') {
    const { untilMs } = connection;
    const seconds = Math.ceil((untilMs - nowMs) / 1000);
    times.push(seconds > 0 ? untilMs - (seconds - 1) * 1000 : nowMs + 1000);
  }
  return times.length === 0 ? null : Math.min(...times);
}

const minuteMs = 60_000;

/** Returns the number of the minute: a clock changes once a minute. */
export const minuteOf = (ms: number): number => Math.floor(ms / minuteMs);

/** Something that happened, from which the next state of a view follows. */
export type Action =
  | TtyMessage
  | { readonly type: 'screen'; readonly screen: SessionScreen }
  | { readonly type: 'viewing'; readonly viewing: ViewingState }
  /** @param activity for example `at prompt` */
  | { readonly type: 'session'; readonly name: string; readonly activity: string }
  /** @param news those of the others that have not been told yet */
  | {
      readonly type: 'others';
      readonly others: readonly string[];
      readonly news: readonly Wanting[];
    }
  | { readonly type: 'notification'; readonly notification: Notification }
  | { readonly type: 'connection'; readonly connection: Connection }
  | { readonly type: 'notice'; readonly text: string }
  /** Asks before an effect. */
  | { readonly type: 'question'; readonly question: string; readonly effect: Effect }
  /** Shows a line of the scrollback. */
  | { readonly type: 'goTo'; readonly line: number }
  /** What a command has printed. */
  | { readonly type: 'page'; readonly title: string; readonly lines: readonly string[] }
  /** How the word before the cursor of a command can go on. */
  | { readonly type: 'completed'; readonly line: string; readonly words: readonly string[] }
  | { readonly type: 'status'; readonly text: StatusText }
  | Answer;

/** What a {@link Read} found. */
export type Answer =
  | { readonly type: 'frozen'; readonly frozen: Frozen }
  /** @param first the oldest line kept */
  | {
      readonly type: 'lines';
      readonly first: number;
      readonly from: number;
      readonly to: number;
      readonly lines: readonly ViewLine[];
    }
  | { readonly type: 'compiled'; readonly id: number; readonly matcher: Matcher | string }
  /** @param next where the search continues; null at its end */
  | {
      readonly type: 'found';
      readonly id: number;
      readonly lines: readonly number[];
      readonly next: number | null;
    }
  | { readonly type: 'commands'; readonly commands: readonly CommandRecord[] }
  | { readonly type: 'texts'; readonly id: number; readonly texts: readonly string[] }
  | { readonly type: 'output'; readonly text: string; readonly of: string }
  | {
      readonly type: 'grepped';
      readonly pattern: string;
      readonly matches: readonly FoundInSession[];
      readonly isTruncated: boolean;
    };

/** What is to be done because of an action. */
export type Effect =
  // Input of the program.
  | { readonly type: 'sendKey'; readonly key: TtyKey }
  | { readonly type: 'sendBytes'; readonly bytes: Uint8Array }
  /** A paste, or a part of one. */
  | { readonly type: 'sendText'; readonly text: string; readonly part?: number }
  | { readonly type: 'sendMouse'; readonly mouse: MouseInput }
  // The session.
  | { readonly type: 'kill' }
  | { readonly type: 'resize' }
  | { readonly type: 'take'; readonly force: boolean }
  /** @param note empty for none */
  | { readonly type: 'give'; readonly note: string }
  /** Sets a marker in the recording. */
  | { readonly type: 'mark'; readonly label: string }
  /** Starts or ends the recording in a file. */
  | { readonly type: 'record' }
  | { readonly type: 'restart' }
  /** @param anyway also with work left in its worktree; default: asks then */
  | { readonly type: 'remove'; readonly anyway?: boolean }
  // What is seen.
  | { readonly type: 'detach' }
  | { readonly type: 'leave' }
  | { readonly type: 'overview' }
  /** The next or previous session that wants somebody. */
  | { readonly type: 'session'; readonly step: 1 | -1 }
  /** The next or previous session in the order in which they were made. */
  | { readonly type: 'neighbour'; readonly step: 1 | -1 }
  /** The session of this number in that order, from 0 on. */
  | { readonly type: 'number'; readonly number: number }
  /** The session that was in view before. */
  | { readonly type: 'last' }
  /** All sessions, to choose one by letters of its name. */
  | { readonly type: 'switcher' }
  | { readonly type: 'newSession' }
  | { readonly type: 'rename'; readonly name: string }
  /** Removes the session, and shows another one. */
  | { readonly type: 'removeAndGo'; readonly anyway?: boolean }
  | { readonly type: 'goTo'; readonly session: string; readonly line: number }
  /** @param line as typed after `:` */
  | { readonly type: 'command'; readonly line: string }
  /** @param line up to the cursor */
  | { readonly type: 'complete'; readonly line: string }
  // The person's terminal.
  | { readonly type: 'notify'; readonly notification: Notification }
  | { readonly type: 'pasteImage' }
  | { readonly type: 'copy'; readonly text: string; readonly size: string; readonly to: CopyTarget }
  /** Pastes what was copied last. */
  | { readonly type: 'paste' }
  /** Opens the scrollback in the person's editor. */
  | { readonly type: 'editor' }
  | TtyEffect
  | Read;

/** An effect that is answered by an action. */
export type Read =
  | { readonly type: 'freeze' }
  | { readonly type: 'readLines'; readonly from: number; readonly to: number }
  | { readonly type: 'compile'; readonly id: number; readonly pattern: string }
  | {
      readonly type: 'search';
      readonly id: number;
      readonly pattern: string;
      readonly from: number;
      readonly to: number;
    }
  | { readonly type: 'commands' }
  | {
      readonly type: 'readTexts';
      readonly id: number;
      readonly from: number;
      readonly to: number;
    }
  | { readonly type: 'copyOutput'; readonly command: CommandChoice }
  | { readonly type: 'grepAll'; readonly pattern: string };

/** Why a line is asked for. */
export type PromptPurpose =
  | 'search'
  | 'searchBack'
  | 'line'
  | 'command'
  | 'mark'
  | 'note'
  | 'rename'
  | 'pipe'
  | 'save'
  | 'grepAll';

/** A line with a match, in one of the sessions. */
export interface FoundInSession {
  readonly session: string;
  readonly line: number;
  readonly text: string;
}

/** What is shown above everything else, and has the keys. */
export type Overlay =
  /** @param top the first line of the help that is shown */
  | { readonly type: 'help'; readonly top: number }
  /** A question that is answered with y or n. */
  | { readonly type: 'confirm'; readonly question: string; readonly effect: Effect }
  | {
      readonly type: 'prompt';
      readonly purpose: PromptPurpose;
      readonly line: LineText;
      /** How the word can go on, if it can in several ways. */
      readonly choices?: readonly string[];
      /** Which of the earlier commands is shown, counted from the newest; absent for none. */
      readonly earlier?: number;
    }
  /** Lines of text. @param top the first of them that is shown */
  | {
      readonly type: 'page';
      readonly title: string;
      readonly lines: readonly string[];
      readonly top: number;
    }
  | { readonly type: 'clock' }
  /** The result of a search in all sessions. */
  | {
      readonly type: 'results';
      readonly pattern: string;
      readonly matches: readonly FoundInSession[];
      readonly isTruncated: boolean;
      readonly selected: number;
    };

/** What is asked for, before the line. */
export const promptLabels: Readonly<Record<PromptPurpose, string>> = {
  search: '/',
  searchBack: '?',
  line: 'line: ',
  command: ':',
  mark: 'name of the marker: ',
  note: 'note for the agent (may be empty): ',
  rename: 'new name: ',
  pipe: 'send to the command: ',
  save: 'write to the file: ',
  grepAll: 'search all sessions: ',
};
