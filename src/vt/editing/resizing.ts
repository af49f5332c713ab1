import { CellBuffer } from '../cells/cell.ts';
import { trimmedToTab } from '../cells/cell-text.ts';
import { Grid } from '../grid/grid.ts';
import { appendRow, type CutRow, cutIntoRows } from '../grid/wrapping.ts';
import type { CursorState } from '../state/cursor-state.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import { resetMargins } from './movement.ts';

/**
 * Changes the size of both screens. The lines of the primary screen are wrapped again and none is
 * lost: text that does not fit goes to the scrollback and comes back from there. The alternate
 * screen is truncated, because its program redraws it.
 */
export function resizeState(t: TerminalState, cols: number, rows: number): void {
  const { onAlternate } = t;
  const saved = t.savedPrimary.cursor;
  const primary = resizedPrimary(
    t,
    cols,
    rows,
    onAlternate ? [saved, t.primaryCursor] : [t.cursor, saved],
  );
  if (t.alternate !== null) {
    const cursor = onAlternate ? t.cursor : t.savedAlternate.cursor;
    t.alternate = resizedAlternate(t, t.alternate, cols, rows, cursor.row);
  }
  t.primary = primary;
  t.grid = onAlternate && t.alternate !== null ? t.alternate : primary;
  t.cols = cols;
  t.rows = rows;
  t.tabs.resize(cols);
  resetMargins(t);
}

/**
 * Resizes the primary screen. The cursors on it move with the text; the first is the current one.
 */
function resizedPrimary(
  t: TerminalState,
  cols: number,
  rows: number,
  cursors: readonly CursorState[],
): Grid {
  const cursorRow = cursors[0].row;
  const content = Math.max(usedRows(t.primary), cursorRow + 1);
  const { rows: flowed, headRows } =
    cols === t.cols
      ? { rows: rowsOf(t.primary, content), headRows: 0 }
      : reflowed(t, content, cols, cursors);
  const blanks = blankRows(t.rows - content, rows - t.rows, cursorRow === t.rows - 1);
  // Empty rows below the text are removed before text leaves the screen.
  const room = rows - Math.max(0, Math.min(blanks, rows - (flowed.length - headRows)));
  const pulled = pullRows(t, cols, room - flowed.length);
  const all = [...pulled, ...flowed];
  const top = Math.max(0, all.length - room);
  for (const row of all.slice(0, top)) t.scrollback.pushCells(row);
  for (const cursor of cursors) move(cursor, pulled.length - top, cols, rows);
  return gridOf(all.slice(top), cols, rows, t.revision);
}

function usedRows(grid: Grid): number {
  let end = grid.rows;
  while (end > 0 && grid.usedCols(end - 1) === 0) end--;
  return end;
}

/**
 * Returns how many empty rows stay below the text. New rows are added there, unless the cursor is
 * in the last row: it stays there, and text returns from the scrollback.
 */
function blankRows(before: number, growth: number, cursorAtBottom: boolean): number {
  if (growth > 0 && cursorAtBottom) return 0;
  return Math.max(0, before + growth);
}

/** Removes the last `count` rows from the scrollback, or all if there are fewer. */
function pullRows(t: TerminalState, cols: number, count: number): CutRow[] {
  const pulled: CutRow[][] = [];
  for (let missing = count; missing > 0; ) {
    const cells = new CellBuffer();
    const goesOn = t.scrollback.open;
    if (!takeLine(t, cells)) break;
    const rows: CutRow[] = [];
    cutLine(cells, 0, cols, goesOn, rows);
    for (const row of rows.splice(0, rows.length - missing)) t.scrollback.pushCells(row);
    pulled.unshift(rows);
    missing -= rows.length;
  }
  return pulled.flat();
}

/**
 * Moves a cursor by rows. A cursor whose row left the screen stays in the first row.
 *
 * @param by rows to move down
 */
function move(cursor: CursorState, by: number, cols: number, rows: number): void {
  const row = cursor.row + by;
  cursor.row = Math.max(0, Math.min(row, rows - 1));
  cursor.col = Math.min(cursor.col, cols - 1);
  cursor.wrapPending &&= cursor.row === row && cursor.col === cols - 1;
}

function gridOf(lines: readonly CutRow[], cols: number, rows: number, revision: number): Grid {
  const grid = new Grid(cols, rows);
  grid.revision = revision;
  grid.printedSince = revision;
  for (const [row, { cells, start, end, wraps }] of lines.entries()) {
    grid.setRow(row, cells.codes, cells.styles, start, end);
    if (wraps) grid.wrap(row, Math.max(0, cols - (end - start)));
  }
  grid.damageAll();
  return grid;
}

/** Drops rows at the top only if the cursor's row would be lost at the bottom. */
function resizedAlternate(
  t: TerminalState,
  old: Grid,
  cols: number,
  rows: number,
  cursorRow: number,
): Grid {
  const top = rowsToDrop(old, cursorRow, rows);
  const grid = new Grid(cols, rows);
  grid.revision = t.revision;
  grid.printedSince = t.revision;
  const count = Math.min(rows, old.rows - top);
  for (let row = 0; row < count; row++) grid.copyRow(row, old, top + row);
  grid.unwrap(rows - 1);
  grid.damageAll();
  const cursors = t.onAlternate ? [t.cursor, t.savedAlternate.cursor] : [t.savedAlternate.cursor];
  for (const cursor of cursors) {
    cursor.wrapPending &&= cols === t.cols;
    move(cursor, -top, cols, rows);
  }
  return grid;
}

/**
 * Returns how many rows must be dropped at the top to keep the cursor's row and the text below it.
 */
function rowsToDrop(grid: Grid, cursorRow: number, rows: number): number {
  let last = grid.rows - 1;
  while (last > cursorRow && grid.usedCols(last) === 0) last--;
  return Math.max(0, Math.min(last + 1 - rows, cursorRow));
}

/** Contract: {@link Scrollback.takeLine}. */
function takeLine(t: TerminalState, into: CellBuffer): boolean {
  const isTaken = t.scrollback.takeLine(into);
  if (isTaken) t.rewrites.noteReturned(t.revision, t.scrollback.nextLine);
  return isTaken;
}

/** The first `count` rows of a screen, unchanged. */
function rowsOf(grid: Grid, count: number): CutRow[] {
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
function reflowed(
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
function cutLine(
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
