import type { TerminalState } from './terminal-state.ts';

// Moves of the cursor. Counts are at least 1 and may be huge; every move is clamped.

/** To a place on the screen, in rows and columns from 0; what is outside becomes the nearest. */
export function moveTo(t: TerminalState, row: number, col: number): void {
  t.cursor.row = Math.max(0, Math.min(row, t.rows - 1));
  t.cursor.col = Math.max(0, Math.min(col, t.cols - 1));
  t.cursor.wrapPending = false;
}

/** As {@link moveTo}, the row counted from the top margin in origin mode, and kept inside. */
export function moveToAddress(t: TerminalState, row: number, col: number): void {
  if (!t.modes.origin) moveTo(t, row, col);
  else moveTo(t, Math.min(t.marginTop + row, t.marginBottom), col);
}

/** Up, and not past the top margin when that is where the cursor comes from. */
export function moveUp(t: TerminalState, count: number): void {
  const { row, col } = t.cursor;
  const limit = row >= t.marginTop ? t.marginTop : 0;
  moveTo(t, Math.max(limit, row - count), col);
}

/** Down, and not past the bottom margin when that is where the cursor comes from. */
export function moveDown(t: TerminalState, count: number): void {
  const { row, col } = t.cursor;
  const limit = row <= t.marginBottom ? t.marginBottom : t.rows - 1;
  moveTo(t, Math.min(limit, row + count), col);
}

export function moveLeft(t: TerminalState, count: number): void {
  moveTo(t, t.cursor.row, t.cursor.col - count);
}

export function moveRight(t: TerminalState, count: number): void {
  moveTo(t, t.cursor.row, t.cursor.col + count);
}

export function carriageReturn(t: TerminalState): void {
  moveTo(t, t.cursor.row, 0);
}

/** A pending wrap stays pending: there is no stop right of the last column to go to. */
export function tabForward(t: TerminalState, count: number): void {
  for (let left = Math.min(count, t.cols); left > 0; left--) {
    t.cursor.col = t.tabs.next(t.cursor.col);
  }
}

export function tabBackward(t: TerminalState, count: number): void {
  let { col } = t.cursor;
  for (let left = Math.min(count, t.cols); left > 0; left--) col = t.tabs.previous(col);
  moveTo(t, t.cursor.row, col);
}
