import type { TerminalState } from '../state/terminal-state.ts';

// The rectangle that scrolls: DECSTBM gives its top and bottom, DECSLRM its sides. Without DECLRMM the
// sides are those of the screen.

/** To the edges of the screen. */
export function resetMargins(t: TerminalState): void {
  t.marginTop = 0;
  t.marginBottom = t.rows - 1;
  resetSideMargins(t);
}

/** A wrap that was pending at the right margin is pending no more. */
export function resetSideMargins(t: TerminalState): void {
  t.marginLeft = 0;
  t.marginRight = t.cols - 1;
  t.cursor.wrapPending &&= t.cursor.col === t.marginRight;
}

/** Whether rows as a whole move when the region scrolls. */
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

/** The column where printing wraps and moves to the right stop: the margin, or behind it the edge. */
export function rightLimit(t: TerminalState): number {
  return t.cursor.col <= t.marginRight ? t.marginRight : t.cols - 1;
}

/** Where moves to the left stop: the margin, or before it the edge. */
export function leftLimit(t: TerminalState): number {
  return t.cursor.col >= t.marginLeft ? t.marginLeft : 0;
}
