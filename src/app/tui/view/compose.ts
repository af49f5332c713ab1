import { type Cursor, counted, oneLine } from '#model';
import type { Picture } from '#tty';
import { emptyRows, layoutOf, liveCursor, liveRows, noCursor } from './layout.ts';
import { bodyOf } from './loading.ts';
import { cursorRow, type SeenRow, seenRows } from './moving.ts';
import { overlayCursor, withOverlay } from './overlay-rows.ts';
import {
  blank,
  boldInverse,
  type Cols,
  cellsOf,
  columns,
  currentStyle,
  inverse,
  matchStyle,
  narrow,
  plain,
  type Row,
  restyle,
  reused,
  textRow,
  turned,
} from './row-cells.ts';
import { lineEndOf, lineOf, type Scroll } from './scroll.ts';
import { matchedCols, searchText } from './searching.ts';
import { type Selected, selected, selectedCols } from './selecting.ts';
import { inSessionColors } from './session-screen.ts';
import { statusLine } from './status-line.ts';
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
    title: titleOf(state),
    reverseVideo: screen?.modes.reverseVideo ?? false,
  };
}

/** The title of the person's terminal, which is seen where no row is free, and while another window is in front. */
function titleOf({ screen, session, others }: ViewState): string {
  const own = screen?.title || session;
  if (others.length === 0) return oneLine(own);
  const wants = others.length === 1 ? 'wants' : 'want';
  return oneLine(`${others.length} ${wants} somebody: ${others.join(', ')} · ${own}`);
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
  const { connection, nowMs, notice, window, keys, sequence } = state;
  if (sequence.length > 0) return keys.waiting(['attach'], sequence);
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

/** Returns the rows of scroll mode, with the line that says where they are below them. */
function scrollRows(state: ViewState, scroll: Scroll): readonly Row[] {
  const body = bodyOf(state);
  const selection = selected(scroll);
  const colors = state.screen?.modes ?? null;
  const rows = seenRows(scroll, body).map((row) => {
    const cells =
      row.cells === null || colors === null ? row.cells : inSessionColors(row.cells, colors);
    return shownRow({ ...row, cells }, scroll, selection, body.cols);
  });
  const lines = [...rows, ...emptyRows(body.rows - rows.length, body.cols)];
  return state.window.rows < 2 ? lines : [...lines, modeLine(state, scroll)];
}

const unread = [narrow('…', plain)];

function shownRow(seenRow: SeenRow, scroll: Scroll, selection: Selected | null, cols: number): Row {
  const { line, cells, from, to } = seenRow;
  if (cells === null) return columns(unread, 0, cols);
  const row = [...columns(columns(cells, from, Math.min(to, from + cols)), 0, cols)];
  const read = lineOf(scroll, line);
  if (read !== undefined) {
    const isCurrent = scroll.search?.current === line;
    for (const match of matchedCols(read, scroll.search?.matcher ?? null)) {
      restyle(row, from, match, isCurrent ? currentStyle : matchStyle);
    }
  }
  const part = selection === null ? null : selectedCols(selection, line, cells);
  if (part !== null) restyle(row, from, within(part, from, to), turned);
  return row;
}

/** The columns of a selection in one row of a line. */
const within = (cols: Cols, from: number, to: number): Cols => ({
  from: cols.from,
  to: Math.min(cols.to, Math.max(to, from + 1)),
});

/** Returns the line below the rows: where they are, what is new, what is searched. */
function modeLine(state: ViewState, scroll: Scroll): Row {
  const { cols } = state.window;
  const isSelecting = scroll.selection !== null;
  const { keys } = state;
  const hints = isSelecting
    ? [keys.hint('scroll', 'enter', 'copy'), keys.hint('scroll', 'clear', 'end')]
    : [keys.hint('scroll', 'select', 'select'), keys.hint('scroll', 'leave', 'leave')];
  const name = cellsOf(isSelecting ? ' select ' : ' scroll ', boldInverse);
  const parts = [
    { text: positionText(state, scroll), rank: 2 },
    { text: newText(state, scroll), rank: 1 },
    { text: pendingText(scroll), rank: 0 },
    { text: scroll.search === null ? '' : searchText(scroll.search), rank: 0 },
    { text: hints.filter((hint) => hint !== '').join(' · '), rank: 3 },
  ].filter(({ text }) => text !== '');
  for (let worst = 3; ; worst--) {
    const text = parts.filter(({ rank }) => rank <= worst).map((part) => part.text);
    const cells = [...name, ...cellsOf(` ${text.join('  ')} `, inverse)];
    if (cells.length <= cols || worst === 0) return columns(cells, 0, cols, blank(inverse));
  }
}

/** Returns what was typed before a command that is not complete. */
const pendingText = ({ count, awaits }: Scroll): string =>
  `${count ?? ''}${awaits === null ? '' : 'character: '}`.trim();

function positionText(state: ViewState, scroll: Scroll): string {
  const rows = seenRows(scroll, bodyOf(state));
  const first = (rows[0]?.line ?? 0) + 1;
  const last = (rows.at(-1)?.line ?? 0) + 1;
  return `lines ${grouped(first)}-${grouped(last)} of ${grouped(lineEndOf(scroll))}`;
}

/** Returns how many lines have been printed since the view was frozen. */
function newText({ screen }: ViewState, { frozen }: Scroll): string {
  const count = (screen?.endLine ?? frozen.endLine) - frozen.endLine;
  return count > 0 ? `▼ ${counted(grouped(count), 'new line')}` : '';
}

const grouped = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',');

/** Returns the cursor of scroll mode. */
function scrollCursor(state: ViewState, scroll: Scroll): Cursor {
  const rows = seenRows(scroll, bodyOf(state));
  const row = cursorRow(scroll, rows);
  const at = rows[row];
  if (at === undefined) return noCursor;
  const col = Math.min(Math.max(0, scroll.cursor.col - at.from), state.window.cols - 1);
  return { ...noCursor, row, col, visible: true };
}
