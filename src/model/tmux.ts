import type { Size, Style } from './cell.ts';
import type { KeyPress, MouseInput, MouseTracking } from './input.ts';
import { type FrameRow, plainStyle, type Run } from './row-frame.ts';
import type { Cursor } from './screen.ts';
import type { SessionInfo } from './session.ts';
import type { CancelSignal } from './wait.ts';

/** The label with the id of the session whose pane a session has taken over: who saw that one sees this one. */
export const replacesLabel = 'tmux/replaces';

/** Where a session is as a pane of tmux. */
export interface TmuxPlace {
  /** The socket path of its server. */
  readonly server: string;
  readonly sessionName: string;
  /** Null while the window is called after its program. */
  readonly windowName: string | null;
  /** The ids of session, window and pane, without their signs. */
  readonly session: number;
  readonly window: number;
  readonly pane: number;
  /** The number of the window in its session, and of the pane in its window. */
  readonly index: number;
  readonly at: number;
  /** Whether it is the active pane of its window, and whether that is the current one of its session. */
  readonly isActive: boolean;
  readonly isCurrent: boolean;
}

/** Returns the place that the labels of a session tell; null if it is no pane of tmux. */
export function tmuxPlaceOf({ labels = {} }: Pick<SessionInfo, 'labels'>): TmuxPlace | null {
  const server = labels['tmux/server'];
  const [, session, window, pane, index, at, state = ''] =
    /^\$(\d+) @(\d+) %(\d+) (\d+) (\d+) (\S+)$/.exec(labels['tmux/place'] ?? '') ?? [];
  if (server === undefined || session === undefined) return null;
  return {
    server,
    sessionName: labels['tmux/session'] ?? session,
    windowName: labels['tmux/window'] ?? null,
    session: Number(session),
    window: Number(window),
    pane: Number(pane),
    index: Number(index),
    at: Number(at),
    isActive: state.startsWith('active'),
    isCurrent: state.includes('+current'),
  };
}

/** The session of tmux over whose windows a popup is shown. */
export interface TmuxPopup {
  /** The socket path of its server. */
  readonly server: string;
  /** Its id, without the sign. */
  readonly session: number;
}

/** Returns where the labels of a session say that it is shown as a popup; null if it is none. */
export function tmuxPopupOf({ labels = {} }: Pick<SessionInfo, 'labels'>): TmuxPopup | null {
  const server = labels['tmux/server'];
  const [, session] = /^\$(\d+)$/.exec(labels['tmux/popup'] ?? '') ?? [];
  return server === undefined || session === undefined
    ? null
    : { server, session: Number(session) };
}

/** One call of the command `tmux`. */
export interface TmuxRequest {
  /** The path that tmux would use as its socket: it names the server, and nothing listens there. */
  readonly socketPath: string;
  /** The words after the global flags; none means `new-session`. */
  readonly words: readonly string[];
  readonly cwd: string;
  /** The environment of the caller, of which new programs get a copy. */
  readonly env: Readonly<Record<string, string>>;
  /** Configuration to read if this call starts the server; absent: the user's own. */
  readonly configFiles?: readonly string[];
  /** The size of the caller's terminal; absent without one. */
  readonly size?: Size;
  /** What the caller's standard input contains, if a word is `-`. */
  readonly input?: string;
  /** The caller's process. */
  readonly pid: number;
  /** Begins control mode (`-C`): the words are its first command. */
  readonly control?: boolean;
  /** The path of the caller's terminal, in which it can show windows; absent: it cannot. */
  readonly terminal?: string;
}

/** A result of {@link TmuxRequest}. */
export interface TmuxAnswer {
  readonly stdout: string;
  /** Messages, each with its line end. */
  readonly stderr: string;
  /** The exit status of the command. */
  readonly status: number;
  /** The id of the client that was begun: in control mode, or in the caller's terminal. */
  readonly controlId?: string;
}

/** What a client gets next. */
export interface TmuxControlAnswer {
  /** Lines of control mode, or for a terminal a {@link TmuxFrame} as text. */
  readonly output: string;
  /** Whether the client has ended. */
  readonly ended: boolean;
}

/** The servers that answer the command `tmux`, in the process of a coordinator. */
export interface TmuxCalls {
  /** Runs the commands of a call. Failures of commands are answers. @param signal the caller has gone */
  run(request: TmuxRequest, signal: CancelSignal): Promise<TmuxAnswer>;
  /**
   * Runs lines of a client in control mode. For one in a terminal, each line is a {@link TmuxEvent} as JSON. Without
   * lines, waits for the next output.
   *
   * @param signal the caller has gone: a client that no longer takes its output ends
   */
  control(
    id: string,
    lines: readonly string[] | null,
    signal: CancelSignal,
  ): Promise<TmuxControlAnswer>;
}

/** The servers of tmux in the daemon of a coordinator. */
export interface TmuxLink {
  /**
   * Attaches a client in this terminal. The answer has its id; without one, it says why there is none.
   *
   * @param server the path of its socket
   * @param words a command that attaches: `new-session` starts a daemon if none runs
   * @throws VtrError UNAVAILABLE, UNIMPLEMENTED
   */
  attach(server: string, words: readonly string[], size: Size): Promise<TmuxAnswer>;
  /**
   * As {@link attach}, after the daemon was lost. Returns the id of the new client, null if the session has
   * gone, and whether the daemon was stopped on purpose.
   */
  again(
    server: string,
    words: readonly string[],
    size: Size,
  ): Promise<{ readonly id: string | null; readonly isStopped: boolean }>;
  control(id: string, lines: readonly string[] | null): ReturnType<TmuxCalls['control']>;
}

/** What a person did in the terminal of a client. */
export type TmuxEvent =
  | {
      readonly type: 'key';
      readonly press: KeyPress;
      /** The key table in which the key is looked up. Default: the one that the client uses now. */
      readonly table?: string;
      /** The commands that run if that table does not have the key. Default: the key is dropped. */
      readonly otherwise?: string;
    }
  /** Commands of tmux, as a key is bound to them. */
  | { readonly type: 'run'; readonly commands: string }
  /** The window in which the client is shown uses the mouse, whatever the option `mouse` is. */
  | { readonly type: 'usesMouse' }
  | { readonly type: 'paste'; readonly text: string }
  | { readonly type: 'mouse'; readonly mouse: MouseInput }
  | { readonly type: 'focus'; readonly focused: boolean }
  /** The command of {@link TmuxFrame.locks} has ended. */
  | { readonly type: 'unlocked' }
  | { readonly type: 'size'; readonly size: Size };

/** How a client ends. */
export interface TmuxEnd {
  /** For the person, without brackets. */
  readonly message: string;
  readonly status: number;
  /** Run in its place, by the shell. */
  readonly command?: string;
  /** Whether the process that started it gets SIGHUP. */
  readonly hangsUp?: true;
}

/** What changes in the terminal of a client. */
export interface TmuxFrame {
  /** The name of the session that it shows. */
  readonly session: string;
  readonly size: Size;
  /** Whether all rows are included; else those that changed. */
  readonly full: boolean;
  readonly rows: readonly FrameRow[];
  readonly cursor: Cursor;
  /** The title of the terminal; null leaves it. */
  readonly title: string | null;
  /** The mouse events that are wanted. */
  readonly mouse: MouseTracking;
  /** How often the bell rings. */
  readonly bells: number;
  /** A text for the clipboard of the terminal; null without one. */
  readonly clipboard: string | null;
  /** Whether the client is stopped, as by Ctrl+z. */
  readonly suspends: boolean;
  /** A line of the shell that has the terminal now, until it ends; null for none. */
  readonly locks: string | null;
  /** Null while the client goes on. */
  readonly end: TmuxEnd | null;
}

/** Returns a frame as JSON. Of a style, only what is not plain is written. */
export const tmuxFrameText = (frame: TmuxFrame): string =>
  JSON.stringify({
    ...frame,
    rows: frame.rows.map(({ row, runs }) => ({
      row,
      runs: runs.map((run) => ({ ...run, style: changedStyle(run.style) })),
    })),
  });

function changedStyle(style: Style): Partial<Style> {
  const changes = Object.entries(style).filter(
    ([name, value]) => value !== plainStyle[name as keyof Style],
  );
  return Object.fromEntries(changes);
}

/** The inverse of {@link tmuxFrameText}. */
export function tmuxFrameOf(text: string): TmuxFrame {
  const frame = JSON.parse(text) as TmuxFrame;
  const whole = (run: Run): Run => ({ ...run, style: { ...plainStyle, ...run.style } });
  return {
    ...frame,
    rows: frame.rows.map(({ row, runs }) => ({ row, runs: runs.map(whole) })),
  };
}
