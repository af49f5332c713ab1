import { type Cursor, oneLine } from '#model';
import type { Picture } from '#tty';
import { overlayCursor, withOverlay } from './overlays/overlay-rows.ts';
import { layoutOf } from './picture/layout.ts';
import { liveCursor, liveRows } from './picture/live-rows.ts';
import { inverse, type Row, reused, textRow } from './picture/row-cells.ts';
import { statusLine } from './picture/status-line.ts';
import { scrollCursor, scrollRows } from './scroll/scroll-rows.ts';
import type { ViewState } from './view-state.ts';

/**
 * Returns what a person sees.
 *
 * @param before the last picture: rows that look the same are the same objects
 */
export function compose(state: ViewState, before: Picture | null = null): Picture {
  const { window, overlay, screen } = state;
  const shown = withMessage(state, baseRows(state));
  const rows = overlay === null ? shown : withOverlay(state, overlay, shown);
  return {
    size: window,
    rows: rows.map((row, index) => reused(row, before?.rows[index])),
    cursor: cursorOf(state),
    title: oneLine(screen?.title || state.session),
    reverseVideo: screen?.modes.reverseVideo ?? false,
  };
}

/** The rows without what is shown above them. */
function baseRows(state: ViewState): readonly Row[] {
  if (state.scroll !== null) return scrollRows(state, state.scroll);
  const layout = layoutOf(state);
  const rows = liveRows(state, layout);
  return layout.status ? [...rows, statusLine(state, layout)] : rows;
}

/** Puts what a person must know over the last row. */
function withMessage(state: ViewState, rows: readonly Row[]): readonly Row[] {
  const text = messageText(state);
  if (text === null) return rows;
  const row = textRow([{ text: ` ${text} `, style: inverse }], state.window.cols, inverse);
  return [...rows.slice(0, -1), row];
}

function messageText(state: ViewState): string | null {
  const { connection, nowMs, notice, window } = state;
  if (notice !== null) return notice.text;
  if (connection.state === 'lost') {
    const seconds = Math.max(0, Math.ceil((connection.untilMs - nowMs) / 1000));
    return `connection lost · reconnecting, ${seconds} s left`;
  }
  if (connection.state === 'silent') return 'the coordinator is not answering';
  // One row is left for a session that has ended.
  return connection.state === 'ended' && window.rows < 2 ? connection.how : null;
}

function cursorOf(state: ViewState): Cursor {
  const { overlay, scroll, window } = state;
  if (overlay !== null) return overlayCursor(state, overlay);
  if (scroll !== null) return scrollCursor(state, scroll);
  const cursor = liveCursor(state, layoutOf(state));
  // Only at the end of a row of the window does the next character wrap.
  return { ...cursor, wrapPending: cursor.wrapPending && cursor.col === window.cols - 1 };
}
