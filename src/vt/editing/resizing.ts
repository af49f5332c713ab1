import { CellBuffer } from '../cells/cell-buffer.ts';
import { Grid } from '../grid/grid.ts';
import type { CutRow } from '../grid/wrapping.ts';
import type { CursorState } from '../state/cursor-state.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import { resetMargins } from './margins.ts';
import { cutLine, reflowed, rowsOf, takeLine } from './reflow.ts';

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
