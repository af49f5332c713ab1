import type { SavedCursor } from './cursor-state.ts';
import { Grid } from './grid.ts';
import { resetMargins } from './margins.ts';
import { pushToScrollback } from './scrolling.ts';
import type { TerminalState } from './terminal-state.ts';

/**
 * Gives the screens another size. Rows and columns that are new are empty; columns that are no more
 * are lost. Where rows must go, empty ones below the cursor go first, then those at the top: into the
 * scrollback from the primary screen.
 */
export function resizeState(t: TerminalState, cols: number, rows: number): void {
  const { cursor } = t;
  const primaryRow = t.onAlternate ? t.savedPrimary.cursor.row : cursor.row;
  const primaryTop = rowsToDrop(t.primary, primaryRow, rows);
  for (let row = 0; row < primaryTop; row++) pushToScrollback(t, row);
  const alternateTop = t.alternate === null ? 0 : rowsToDrop(t.alternate, cursor.row, rows);
  const wasOnAlternate = t.onAlternate;
  const sameCols = cols === t.cols;

  t.primary = resized(t.primary, cols, rows, primaryTop, t.revision);
  if (t.alternate !== null)
    t.alternate = resized(t.alternate, cols, rows, alternateTop, t.revision);
  t.grid = wasOnAlternate && t.alternate !== null ? t.alternate : t.primary;
  if (!sameCols) t.scrollback.close();

  t.cols = cols;
  t.rows = rows;
  t.tabs.resize(cols);
  cursor.row -= wasOnAlternate ? alternateTop : primaryTop;
  cursor.wrapPending &&= sameCols;
  clamp(t, cursor);
  resetMargins(t);
  shift(t, t.savedPrimary, primaryTop, sameCols);
  shift(t, t.savedAlternate, alternateTop, sameCols);
}

function clamp(t: TerminalState, place: { row: number; col: number }): void {
  place.row = Math.max(0, Math.min(place.row, t.rows - 1));
  place.col = Math.min(place.col, t.cols - 1);
}

function shift(t: TerminalState, saved: SavedCursor, dropped: number, sameCols: boolean): void {
  saved.cursor.row -= dropped;
  saved.cursor.wrapPending &&= sameCols;
  clamp(t, saved.cursor);
}

/** How many rows must leave at the top, so that the cursor's stays and content below it does. */
function rowsToDrop(grid: Grid, cursorRow: number, rows: number): number {
  let last = grid.rows - 1;
  while (last > cursorRow && grid.usedCols(last) === 0) last--;
  return Math.max(0, Math.min(last + 1 - rows, cursorRow));
}

/** A grid of another size with the rows of `old` from `top` on; `old` is not used any more. */
function resized(old: Grid, cols: number, rows: number, top: number, revision: number): Grid {
  const grid = new Grid(cols, rows);
  grid.revision = revision;
  const count = Math.min(rows, old.rows - top);
  for (let row = 0; row < count; row++) grid.copyRow(row, old, top + row);
  grid.unwrap(rows - 1);
  grid.touchAll();
  return grid;
}
