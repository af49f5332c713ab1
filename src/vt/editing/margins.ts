import type { TerminalState } from '../state/terminal-state.ts';

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
export function leftLimit(t: TerminalState): number {
  return t.cursor.col >= t.marginLeft ? t.marginLeft : 0;
}
