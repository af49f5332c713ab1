import type { AttachedClient, TmuxServer } from './tmux-server.ts';
import type { TmuxSession } from './tmux-session.ts';
import type { TmuxWindow } from './tmux-window.ts';

interface Size {
  readonly cols: number;
  readonly rows: number;
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
  const shows = ({ session: shown }: AttachedClient) =>
    window === null ? shown === session : shown.linkOf(window) !== null;
  const sized = [...server.clients].filter((client) => client.isSized && shows(client));
  const last = sized.at(-1);
  if (last !== undefined && kind === 'latest') return { cols: last.cols, rows: last.rows };
  if (last !== undefined && kind !== 'manual') {
    const chosen = kind === 'smallest' ? Math.min : Math.max;
    return {
      cols: chosen(...sized.map(({ cols }) => cols)),
      rows: chosen(...sized.map(({ rows }) => rows)),
    };
  }
  const [, cols = 80, rows = 24] = (
    /^(\d+)x(\d+)$/.exec(session.options.text('default-size')) ?? []
  ).map(Number);
  return session.terminalSize ?? { cols, rows };
}
