import type { OutputPosition, ScreenPlace } from '#model';
import { CellBuffer } from '../cells/cell.ts';
import { cellsText } from '../cells/cell-text.ts';
import { appendRow, lineLength } from '../grid/wrapping.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import type { VisibleState } from '../state/visible-state.ts';

/**
 * Returns the position of the cursor.
 *
 * @param offset absolute offset of the output at that position
 */
export function positionAt(t: TerminalState, offset: number): OutputPosition {
  const { cursor, primary, scrollback } = t;
  // With a wrap pending, the cursor is on the last cell but output continues after it.
  const col = cursor.col + (cursor.wrapPending ? 1 : 0);
  if (t.onAlternate) return { offset, line: null, col };
  let line = t.topLine;
  let before = scrollback.open ? scrollback.openCells : 0;
  for (let row = 0; row < cursor.row; row++) {
    if (primary.wraps(row)) before += lineLength(primary, row);
    else {
      line++;
      before = 0;
    }
  }
  return { offset, line, col: before + col };
}

/**
 * Returns where the primary screen shows a position; the first cell if the position is above the screen, null if
 * it is below.
 */
export function placeOf(t: VisibleState, line: number, col: number): ScreenPlace | null {
  const { primary, scrollback } = t;
  let at = t.topLine;
  let before = scrollback.open ? scrollback.openCells : 0;
  if (line < at) return { row: 0, col: 0 };
  for (let row = 0; row < primary.rows; row++) {
    const wraps = primary.wraps(row);
    const end = wraps ? before + lineLength(primary, row) : Number.POSITIVE_INFINITY;
    if (at === line && col < end) return { row, col: Math.max(0, col - before) };
    before = wraps ? end : 0;
    if (!wraps) at++;
  }
  return null;
}

/** The position in a line where output continues. */
export interface LinePosition {
  readonly line: number;
  /** The column in the line, counted over all its rows. */
  readonly col: number;
  /** The text of the line left of the cursor. */
  readonly before: string;
}

/** One for all calls: memory outside of the heap, in each call, would make V8 collect the whole heap often. */
const cells = new CellBuffer();

/**
 * Returns the line in which output continues: while the alternate screen is shown, the line of the
 * cursor before it was shown.
 */
export function linePosition(t: VisibleState): LinePosition {
  const { primary } = t;
  const cursor = t.onAlternate ? t.primaryCursor : t.cursor;
  let line = t.topLine;
  let firstRow = 0;
  for (let row = 0; row < cursor.row; row++) {
    if (primary.wraps(row)) continue;
    line++;
    firstRow = row + 1;
  }
  cells.clear();
  if (firstRow === 0 && t.scrollback.open) t.scrollback.readLine(line, cells);
  for (let row = firstRow; row < cursor.row; row++) appendRow(primary, row, cells);
  const start = primary.start(cursor.row);
  // With a wrap pending, the cursor is on the last cell but output continues after it.
  const end = start + cursor.col + (cursor.wrapPending ? 1 : 0);
  cells.append(primary.codes, primary.styles, start, end);
  return { line, col: cells.length, before: cellsText(cells.codes, 0, cells.length, t.clusters) };
}
