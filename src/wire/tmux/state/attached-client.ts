import type { ClientTerminal } from './client-terminal.ts';
import type { Alert, TmuxSession } from './tmux-session.ts';
import type { TmuxPane, TmuxWindow } from './tmux-window.ts';

/** What happened in a server, for hooks and control clients. */
export interface Notice {
  readonly name:
    | `alert-${Alert}`
    | 'layout-changed'
    | 'pane-died'
    | 'pane-exited'
    | 'pane-focus-in'
    | 'pane-focus-out'
    | 'pane-mode-changed'
    | 'pane-respawned'
    | 'pane-set-clipboard'
    | 'pane-title-changed'
    | 'session-closed'
    | 'session-created'
    | 'session-renamed'
    | 'session-window-changed'
    | 'window-linked'
    | 'window-pane-changed'
    | 'window-renamed'
    | 'window-resized'
    | 'window-unlinked'
    | 'client-active'
    | 'client-attached'
    | 'client-detached'
    | 'client-focus-in'
    | 'client-focus-out'
    | 'client-resized'
    | 'client-session-changed';
  readonly client?: AttachedClient;
  readonly session?: TmuxSession;
  readonly window?: TmuxWindow;
  readonly pane?: TmuxPane;
}

/** Why a client ends, if it is not detached. */
export type ClientEnd = 'exited' | 'server exited' | 'too far behind';

/** What `detach-client` asks of the process of a client. */
export interface Detaching {
  /** A line that the shell runs in its place. */
  readonly command?: string;
  /** Whether the process that started it gets SIGHUP. */
  readonly hangsUp?: true;
}

/** A client, as lists show it. */
export interface AttachedClient {
  readonly name: string;
  readonly pid: number;
  readonly createdAtMs: number;
  /** The environment of its process. */
  readonly env: Readonly<Record<string, string>>;
  /** Null for a client in control mode. */
  readonly terminal: ClientTerminal | null;
  /** The time of the last key; ms since 1970. */
  activityAtMs: number;
  /** Increases with each use of any session of the server. */
  activity: number;
  /** The session that it showed before; null without one. */
  readonly lastSession: TmuxSession | null;
  session: TmuxSession;
  cols: number;
  rows: number;
  /** Whether it has told its size. */
  readonly isSized: boolean;
  flags: Set<string>;
  /** Gives the windows of its session another size. */
  readonly resize: (cols: number, rows: number) => Promise<void>;
  /** Gives one window another size than the client's; null: no longer. Only clients in control mode do that. */
  readonly resizeWindow?: (
    id: number,
    size: { readonly cols: number; readonly rows: number } | null,
  ) => Promise<void>;
  /** Tells the client of a value when it changes: `name:what:format`. Only clients in control mode have that. */
  readonly subscribe?: (text: string) => void;
  /** Ends the client. */
  readonly detach: (end?: ClientEnd, detaching?: Detaching) => void;
}
