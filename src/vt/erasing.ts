import { isBetweenSides, resetMargins } from './margins.ts';
import { leaveScrollback } from './scrolling.ts';
import type { TerminalState } from './terminal-state.ts';

// What empties cells. They keep the background of the pen, and nothing else of it (BCE).

/** ED 0 */
export function eraseBelow(t: TerminalState): void {
  eraseRight(t);
  t.grid.eraseRows(t.cursor.row + 1, t.rows, t.eraseStyle);
}

/** ED 1 */
export function eraseAbove(t: TerminalState): void {
  eraseRows(t, 0, t.cursor.row);
  eraseLeft(t);
}

/** ED 2 */
export function eraseScreen(t: TerminalState): void {
  t.cursor.wrapPending = false;
  eraseRows(t, 0, t.rows);
}

/** EL 0 */
export function eraseRight(t: TerminalState): void {
  if (t.cursor.col === 0) eraseRow(t);
  else eraseCells(t, t.cursor.col, t.cols);
}

/** EL 1 */
export function eraseLeft(t: TerminalState): void {
  if (t.cursor.col === t.cols - 1) eraseRow(t);
  else eraseCells(t, 0, t.cursor.col + 1);
}

/** EL 2 */
export function eraseRow(t: TerminalState): void {
  t.cursor.wrapPending = false;
  eraseRows(t, t.cursor.row, t.cursor.row + 1);
}

/** ECH */
export function eraseCharacters(t: TerminalState, count: number): void {
  eraseCells(t, t.cursor.col, Math.min(t.cursor.col + count, t.cols));
}

/** ICH: nothing beside the margins. */
export function insertCharacters(t: TerminalState, count: number): void {
  t.cursor.wrapPending = false;
  if (!isBetweenSides(t)) return;
  t.grid.insertCells(t.cursor.row, t.cursor.col, count, t.eraseStyle, t.marginRight + 1);
}

/** DCH: nothing beside the margins. */
export function deleteCharacters(t: TerminalState, count: number): void {
  t.cursor.wrapPending = false;
  if (!isBetweenSides(t)) return;
  t.grid.deleteCells(t.cursor.row, t.cursor.col, count, t.eraseStyle, t.marginRight + 1);
}

/** DECALN: the screen full of E, the margins at its edges, the cursor home. */
export function alignmentPattern(t: TerminalState): void {
  leaveScrollback(t);
  resetMargins(t);
  t.cursor.row = 0;
  t.cursor.col = 0;
  t.cursor.wrapPending = false;
  t.grid.fill(0x45);
}

/** Whole rows: the line that went on into them ends before them. */
function eraseRows(t: TerminalState, from: number, to: number): void {
  if (from === to) return;
  if (from === 0) leaveScrollback(t);
  else t.grid.unwrap(from - 1);
  t.grid.eraseRows(from, to, t.eraseStyle);
}

function eraseCells(t: TerminalState, from: number, to: number): void {
  t.cursor.wrapPending = false;
  t.grid.erase(t.cursor.row, from, to, t.eraseStyle);
}
