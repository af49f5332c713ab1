import { CellBuffer } from '../cells/cell-buffer.ts';
import { trimmedToTab } from '../cells/cell-text.ts';
import type { Grid } from '../grid/grid.ts';
import { appendRow, type CutRow, cutIntoRows } from '../grid/wrapping.ts';
import type { CursorState } from '../state/cursor-state.ts';
import type { TerminalState } from '../state/terminal-state.ts';

/** Contract: {@link Scrollback.takeLine}. */
export function takeLine(t: TerminalState, into: CellBuffer): boolean {
  const isTaken = t.scrollback.takeLine(into);
  if (isTaken) t.rewrites.noteReturned(t.revision, t.scrollback.nextLine);
  return isTaken;
}

/** The first `count` rows of a screen, unchanged. */
export function rowsOf(grid: Grid, count: number): CutRow[] {
  const cells = new CellBuffer();
  const rows: CutRow[] = [];
  for (let row = 0; row < count; row++) {
    const start = cells.length;
    appendRow(grid, row, cells);
    rows.push({ cells, start, end: cells.length, wraps: row < count - 1 && grid.wraps(row) });
  }
  return rows;
}

/**
 * Wraps the lines in the first `count` rows of the primary screen to another width. The beginning
 * of the first line is taken back from the scrollback, because wrapping starts at the beginning of
 * a line. `headRows` is the number of resulting rows that consist of that part.
 *
 * The cursors move with the text. Their rows become indexes into the returned rows.
 */
export function reflowed(
  t: TerminalState,
  count: number,
  cols: number,
  cursors: readonly CursorState[],
): { rows: CutRow[]; headRows: number } {
  const cells = new CellBuffer();
  if (t.scrollback.open) takeLine(t, cells);
  const headCells = cells.length;
  const trackers = cursors.map((cursor) => new CursorTracker(cursor));
  const rows: CutRow[] = [];
  let line: CutRow[] = [];
  for (let row = 0; row < count; row++) {
    const start = cells.length;
    appendRow(t.primary, row, cells);
    for (const tracker of trackers)
      if (tracker.row === row) tracker.set(start, cells.length, t.cols);
    const wraps = row < count - 1 && t.primary.wraps(row);
    line.push({ cells, start, end: cells.length, wraps });
    if (wraps) continue;
    const first = rows.length;
    const lineStart = first === 0 ? 0 : line[0].start;
    const isEdited = trackers[0].row <= row && trackers[0].row > row - line.length && isEditing(t);
    if (isEdited && cols > t.cols && lineStart >= headCells) rows.push(...line);
    else cutLine(cells, lineStart, cols, false, rows);
    for (const tracker of trackers) tracker.locate(rows, first, cols);
    line = [];
  }
  for (const tracker of trackers) tracker.locateBelow(rows.length - count);
  return { rows, headRows: rows.filter(({ end }) => end <= headCells && end > 0).length };
}

/**
 * Whether a line editor is active. Only programs that read keys enable bracketed paste, and they
 * disable it before other programs write. After a resize, a line editor moves up as many rows as
 * its line had and redraws it. If the line took fewer rows by then, the editor would erase the text
 * above it.
 */
function isEditing(t: TerminalState): boolean {
  return t.modes.bracketedPaste && !t.onAlternate;
}

/**
 * Wraps a line into rows of `cols` columns. Empty cells at the end never take a further row, even
 * with a background: erasing to the end of a row colours only that row. A tab at the end counts as
 * text.
 *
 * @param goesOn whether the line continues after these cells
 */
export function cutLine(
  cells: CellBuffer,
  start: number,
  cols: number,
  goesOn: boolean,
  into: CutRow[],
): void {
  const { codes, length } = cells;
  const textEnd = goesOn ? length : trimmedToTab(codes, start, length);
  cutIntoRows(codes, start, textEnd, cols, (from, to) => {
    const isLast = to === textEnd;
    const end = isLast ? Math.max(to, Math.min(from + cols, length)) : to;
    into.push({ cells, start: from, end, wraps: goesOn || !isLast });
  });
}

/** Tracks the position of a cursor in the text while lines are wrapped again. */
class CursorTracker {
  readonly #cursor: CursorState;
  /** The row before wrapping. */
  readonly row: number;
  /**
   * Index of the cell under the cursor. With a pending wrap or after the text, there is no such
   * cell.
   */
  #at = -1;
  #located = false;

  constructor(cursor: CursorState) {
    this.#cursor = cursor;
    this.row = cursor.row;
  }

  /**
   * @param start first cell of the cursor's old row
   * @param end one past its last cell
   */
  set(start: number, end: number, cols: number): void {
    const { col, wrapPending } = this.#cursor;
    if (!wrapPending) this.#at = start + col;
    else this.#at = cols === 1 ? Math.max(start + 1, end) : start + col + 1;
  }

  /** Moves the cursor to the new position of its cell if it is in the line just wrapped. */
  locate(rows: readonly CutRow[], first: number, cols: number): void {
    if (this.#at < 0 || this.#located) return;
    let row = first;
    while (row < rows.length - 1 && this.#at >= rows[row].end) row++;
    const { start, end } = rows[row];
    const cursor = this.#cursor;
    cursor.row = row;
    cursor.col = Math.min(this.#at - start, cols - 1);
    // After a full row, the next character begins another row.
    cursor.wrapPending = this.#at === end && end - start >= cols;
    this.#located = true;
  }

  /** A cursor below all lines stays the same number of rows below them. */
  locateBelow(rowsMore: number): void {
    if (!this.#located) this.#cursor.row += rowsMore;
  }
}
