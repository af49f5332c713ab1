import { type Cursor, counted } from '#model';
import { emptyRows, noCursor } from '../picture/live-rows.ts';
import { type Cols, currentStyle, matchStyle, restyle, turned } from '../picture/restyle.ts';
import {
  blank,
  boldInverse,
  cellsOf,
  columns,
  inverse,
  narrow,
  plain,
  type Row,
} from '../picture/row-cells.ts';
import { inSessionColors } from '../picture/session-colors.ts';
import type { ViewState } from '../view-state.ts';
import { bodyOf } from './loading.ts';
import { cursorRow, type SeenRow, seenRows } from './moving.ts';
import { lineEndOf, lineOf, type Scroll } from './scroll.ts';
import { matchedCols, searchText } from './searching.ts';
import { type Selected, selected, selectedCols } from './selecting.ts';

/** Returns the rows of scroll mode, with the line that says where they are below them. */
export function scrollRows(state: ViewState, scroll: Scroll): readonly Row[] {
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

function shownRow(seen: SeenRow, scroll: Scroll, selection: Selected | null, cols: number): Row {
  const { line, cells, from, to } = seen;
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
    { text: scroll.search === null ? '' : searchText(scroll.search), rank: 0 },
    { text: hints.filter((hint) => hint !== '').join(' · '), rank: 3 },
  ].filter(({ text }) => text !== '');
  for (let worst = 3; ; worst--) {
    const text = parts.filter(({ rank }) => rank <= worst).map((part) => part.text);
    const cells = [...name, ...cellsOf(` ${text.join('  ')} `, inverse)];
    if (cells.length <= cols || worst === 0) return columns(cells, 0, cols, blank(inverse));
  }
}

function positionText(state: ViewState, scroll: Scroll): string {
  const seen = seenRows(scroll, bodyOf(state));
  const first = (seen[0]?.line ?? 0) + 1;
  const last = (seen.at(-1)?.line ?? 0) + 1;
  return `lines ${grouped(first)}-${grouped(last)} of ${grouped(lineEndOf(scroll))}`;
}

/** Returns how many lines have been printed since the view was frozen. */
function newText({ screen }: ViewState, { frozen }: Scroll): string {
  const count = (screen?.endLine ?? frozen.endLine) - frozen.endLine;
  return count > 0 ? `▼ ${counted(grouped(count), 'new line')}` : '';
}

const grouped = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',');

/** Returns the cursor of scroll mode. */
export function scrollCursor(state: ViewState, scroll: Scroll): Cursor {
  const seen = seenRows(scroll, bodyOf(state));
  const row = cursorRow(scroll, seen);
  const at = seen[row];
  if (at === undefined) return noCursor;
  const col = Math.min(Math.max(0, scroll.cursor.col - at.from), state.window.cols - 1);
  return { ...noCursor, row, col, visible: true };
}
