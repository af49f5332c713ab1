import { markTab } from '../grid/cell-writing.ts';
import type { TerminalState } from '../state/terminal-state.ts';

// Moves the cursor. Counts are at least 1 and may be huge; every move is clamped.

/** Moves to a 0-based row and column. A position outside the screen is clamped. */
export function moveTo(t: TerminalState, row: number, col: number): void {
  t.cursor.row = Math.max(0, Math.min(row, t.rows - 1));
  t.cursor.col = Math.max(0, Math.min(col, t.cols - 1));
  t.cursor.wrapPending = false;
}

/** Like {@link moveTo}. In origin mode, counts from the corner of the margins and stays inside. */
export function moveToAddress(t: TerminalState, row: number, col: number): void {
  moveTo(t, addressedRow(t, row), addressedCol(t, col));
}

export function moveToRow(t: TerminalState, row: number): void {
  moveTo(t, addressedRow(t, row), t.cursor.col);
}

export function moveToColumn(t: TerminalState, col: number): void {
  moveTo(t, t.cursor.row, addressedCol(t, col));
}

function addressedRow(t: TerminalState, row: number): number {
  return t.modes.origin ? Math.min(t.marginTop + row, t.marginBottom) : row;
}

function addressedCol(t: TerminalState, col: number): number {
  return t.modes.origin ? Math.min(t.marginLeft + col, t.marginRight) : col;
}

/** Stops at the top margin if the cursor starts at or below it. */
export function moveUp(t: TerminalState, count: number): void {
  const { row, col } = t.cursor;
  const limit = row >= t.marginTop ? t.marginTop : 0;
  moveTo(t, Math.max(limit, row - count), col);
}

/** Stops at the bottom margin if the cursor starts at or above it. */
export function moveDown(t: TerminalState, count: number): void {
  const { row, col } = t.cursor;
  const limit = row <= t.marginBottom ? t.marginBottom : t.rows - 1;
  moveTo(t, Math.min(limit, row + count), col);
}

/** Stops at the left margin if the cursor starts at or right of it (CUB, BS). */
export function moveLeft(t: TerminalState, count: number): void {
  const { reverseWrap, reverseWrapAnywhere, autowrap } = t.modes;
  if (autowrap && (reverseWrap || reverseWrapAnywhere)) moveBackwards(t, count);
  else moveTo(t, t.cursor.row, Math.max(leftLimit(t), t.cursor.col - count));
}

/**
 * Moves left and continues in the previous row from the left margin on (modes 45 and 1045 of
 * xterm).
 */
function moveBackwards(t: TerminalState, count: number): void {
  const limit = leftLimit(t);
  let { row, col } = t.cursor;
  // If a wrap is pending, the first step goes back to the last column.
  let left = Math.min(count, t.cols * t.rows) - (t.cursor.wrapPending ? 1 : 0);
  while (left > col - limit) {
    const before = rowBefore(t, row);
    if (before < 0) break;
    left -= col - limit + 1;
    row = before;
    col = t.marginRight;
  }
  moveTo(t, row, Math.max(limit, col - left));
}

/**
 * The row in which a move to the left continues; -1 if there is none. Between side margins no row
 * wraps as a line, so mode 45 stops at the left margin there.
 */
function rowBefore(t: TerminalState, row: number): number {
  if (t.modes.reverseWrapAnywhere) {
    if (row === t.marginTop) return t.marginBottom;
    return row === 0 ? t.rows - 1 : row - 1;
  }
  return row > 0 && row !== t.marginTop && t.grid.wraps(row - 1) ? row - 1 : -1;
}

/** Stops at the right margin if the cursor starts at or left of it. */
export function moveRight(t: TerminalState, count: number): void {
  moveTo(t, t.cursor.row, Math.min(rightLimit(t), t.cursor.col + count));
}

/**
 * Moves by rows and columns. Ignores the margins except in origin mode, like the functions of
 * ECMA-48 that move in the data instead of the display (HPR, HPB, VPR, VPB).
 */
export function moveBy(t: TerminalState, rows: number, cols: number): void {
  const { row, col } = t.cursor;
  if (!t.modes.origin) {
    moveTo(t, row + rows, col + cols);
    return;
  }
  const clamped = Math.max(t.marginTop, Math.min(row + rows, t.marginBottom));
  moveTo(t, clamped, Math.max(t.marginLeft, Math.min(col + cols, t.marginRight)));
}

/** CR: moves to the left margin, or to the first column if the cursor is before the margin. */
export function carriageReturn(t: TerminalState): void {
  moveTo(t, t.cursor.row, leftLimit(t));
}

/**
 * Stops at the right margin. A pending wrap stays pending, because there is no stop right of the
 * last column.
 */
export function tabForward(t: TerminalState, count: number): void {
  const limit = rightLimit(t);
  for (let left = Math.min(count, t.cols); left > 0; left--) {
    t.cursor.col = Math.min(limit, t.tabs.next(t.cursor.col));
  }
}

/**
 * HT: moves to the next stop. If all cells on the way look empty, they are marked as a tab, so that
 * the text of the line has it.
 */
export function tab(t: TerminalState): void {
  const { cursor } = t;
  const from = cursor.col;
  const to = Math.min(rightLimit(t), t.tabs.next(from));
  cursor.col = to;
  if (to > from && !t.onAlternate) markTab(t.grid, cursor.row, from, to);
}

/** Ignores the margins (DEC STD 070) except in origin mode. */
export function tabBackward(t: TerminalState, count: number): void {
  let { col } = t.cursor;
  for (let left = Math.min(count, t.cols); left > 0; left--) col = t.tabs.previous(col);
  moveTo(t, t.cursor.row, t.modes.origin ? Math.max(t.marginLeft, col) : col);
}

// The scrolling region: DECSTBM sets its top and bottom, DECSLRM its sides. Without DECLRMM, the
// sides are the edges of the screen.

/** Resets the margins to the edges of the screen. */
export function resetMargins(t: TerminalState): void {
  t.marginTop = 0;
  t.marginBottom = t.rows - 1;
  resetSideMargins(t);
}

/** Removes the side margins, and cancels a wrap that was pending at the right one. */
export function resetSideMargins(t: TerminalState): void {
  t.marginLeft = 0;
  t.marginRight = t.cols - 1;
  t.cursor.wrapPending &&= t.cursor.col === t.marginRight;
}

/** Whether scrolling the region moves whole rows. */
export function isFullWidth(t: TerminalState): boolean {
  return t.marginRight - t.marginLeft === t.cols - 1;
}

/** Whether the cursor is in the columns of the region. */
export function isBetweenSides(t: TerminalState): boolean {
  return t.cursor.col >= t.marginLeft && t.cursor.col <= t.marginRight;
}

export function isInRegion(t: TerminalState): boolean {
  const { row } = t.cursor;
  return row >= t.marginTop && row <= t.marginBottom && isBetweenSides(t);
}

/**
 * The column where printing wraps and where moves to the right stop: the right margin, or the edge
 * if the cursor is beyond the margin.
 */
export function rightLimit(t: TerminalState): number {
  return t.cursor.col <= t.marginRight ? t.marginRight : t.cols - 1;
}

/**
 * The column where moves to the left stop: the left margin, or the edge if the cursor is before the
 * margin.
 */
function leftLimit(t: TerminalState): number {
  return t.cursor.col >= t.marginLeft ? t.marginLeft : 0;
}
