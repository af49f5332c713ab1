import type { KeyPress, MouseInput, Size, ViewingState } from '#model';
import type { Keys } from '../keys.ts';
import type * as runtime from '../runtime.ts';
import type { Effect } from './effect.ts';
import type { Overlay } from './overlays/overlay.ts';
import type { Scroll } from './scroll/scroll.ts';
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
}

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
  | { readonly type: 'rows'; readonly rows: number }
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
  readonly connection: Connection;
  readonly notice: Notice | null;
  readonly pan: Pan;
  /** Whether the leader was pressed, so that the next key is a command to vtr. */
  readonly leading: boolean;
  readonly click: Click | null;
  /** Null where the screen of the session is shown as it is. */
  readonly scroll: Scroll | null;
  /** Why the screen is being frozen; null if it is not. */
  readonly entry: Entry | null;
  /** What is shown above everything else, and has the keys. */
  readonly overlay: Overlay | null;
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
  connection: { state: 'connected' },
  notice: null,
  pan: { row: 0, col: 0, follows: true },
  leading: false,
  click: null,
  scroll: null,
  entry: null,
  overlay: null,
});

/** For how long a notice is shown, in ms. */
const noticeMs = 3000;

/** Returns a state with a notice. */
export const withNotice = (state: ViewState, text: string): ViewState => ({
  ...state,
  notice: { text, untilMs: state.nowMs + noticeMs },
});

/** Whether the person's keys go to the program: nobody else types, and it has not ended. */
export const drives = ({ viewing, connection }: ViewState): boolean =>
  (viewing?.drives ?? false) && connection.state === 'connected';

/** When the state changes by itself, in ms since 1970; null if it does not. */
export function wakeAtMs({ notice, connection, nowMs }: ViewState): number | null {
  const times = notice === null ? [] : [notice.untilMs];
  // The seconds that are left are shown, rounded up.
  if (connection.state === 'lost') {
    const { untilMs } = connection;
    const seconds = Math.ceil((untilMs - nowMs) / 1000);
    times.push(seconds > 0 ? untilMs - (seconds - 1) * 1000 : nowMs + 1000);
  }
  return times.length === 0 ? null : Math.min(...times);
}
