import type { AttachedClient } from './attached-client.ts';
import type { Options } from './options.ts';
import type { TmuxServer } from './tmux-server.ts';
import type { TmuxSession } from './tmux-session.ts';
import type { TmuxWindow } from './tmux-window.ts';

interface Size {
  readonly cols: number;
  readonly rows: number;
}

/** Returns how many rows the status line has. @param options those of a session */
export function statusRows(options: Options): number {
  const status = options.text('status');
  return status === 'off' ? 0 : status === 'on' ? 1 : Number(status);
}

/** Returns the size that a client has for windows. */
function windowSize({ cols, rows, session, terminal }: AttachedClient): Size {
  return { cols, rows: terminal === null ? rows : Math.max(1, rows - statusRows(session.options)) };
}

/** The clients that count for the size of a window. @param window null: those of the session, or of all without it */
function sizedClients(
  { clients }: TmuxServer,
  session: TmuxSession | null,
  window: TmuxWindow | null,
): AttachedClient[] {
  const isAggressive = window?.options.isOn('aggressive-resize') === true;
  const shows = ({ session: shown }: AttachedClient) => {
    if (window === null) return session === null || shown === session;
    return isAggressive ? shown.current.window === window : shown.linkOf(window) !== null;
  };
  const sized = [...clients].filter((client) => client.isSized && shows(client));
  return sized.sort((one, two) => one.activity - two.activity);
}

/** The size of some clients, as the option `window-size` says; null if they do not count. */
function sizeOfClients(sized: readonly AttachedClient[], kind: string): Size | null {
  const last = sized.at(-1);
  if (last === undefined || kind === 'manual') return null;
  if (kind === 'latest') return windowSize(last);
  return extremeSize(sized, kind);
}

/** The largest size of some clients, or the one that fits in all. */
function extremeSize(sized: readonly AttachedClient[], kind: string): Size {
  const chosen = kind === 'smallest' ? Math.min : Math.max;
  const sizes = sized.map(windowSize);
  return {
    cols: chosen(...sizes.map(({ cols }) => cols)),
    rows: chosen(...sizes.map(({ rows }) => rows)),
  };
}

/**
 * Gives windows the sizes of the clients that show them. A window that nobody shows keeps its own; one that is not the
 * current one of a session with clients gets it when it is.
 */
export async function fitWindows(server: TmuxServer): Promise<void> {
  for (const window of server.windows) {
    if (!isShown(server, window)) continue;
    const kind = window.options.text('window-size');
    const size = sizeOfClients(sizedClients(server, null, window), kind);
    if (size === null || (size.cols === window.cols && size.rows === window.rows)) continue;
    await resizeWindow(server, window, size);
  }
}

/** Gives a window a size, and tells about it. */
export async function resizeWindow(
  server: TmuxServer,
  window: TmuxWindow,
  { cols, rows }: Size,
): Promise<void> {
  window.resize(cols, rows);
  await server.programs.fit(window);
  server.notices.emit({ name: 'layout-changed', window });
  server.notices.emit({ name: 'window-resized', window });
}

/**
 * Returns the size of a new window, or of one that follows its clients: that of the clients which have told
 * theirs, else that of the terminal in which the session began, else the option `default-size`.
 *
 * @param kind which client counts, as in the option `window-size`
 * @param window whose clients count; null: those of the session
 */
export function defaultSize(
  server: TmuxServer,
  session: TmuxSession,
  kind: string,
  window: TmuxWindow | null,
): Size {
  const isLatest = kind === 'latest' && window === null;
  const sized = sizedClients(server, isLatest ? null : session, window);
  // As in tmux 3.3a: the clients of all sessions count for a new window, and none of them is the latest in it.
  const size = sizeOfClients(sized, isLatest ? 'smallest' : kind);
  if (size !== null) return size;
  const [, cols = 80, rows = 24] = (
    /^(\d+)x(\d+)$/.exec(session.options.text('default-size')) ?? []
  ).map(Number);
  return session.terminalSize ?? { cols, rows };
}

const isShown = ({ clients }: TmuxServer, window: TmuxWindow): boolean =>
  [...clients].some(({ session }) => session.current.window === window);
