import { moveToAddress } from '../editing/movement.ts';
import { saveCursor } from '../editing/screens.ts';
import * as scroll from '../editing/scrolling.ts';
import type { Params } from '../parser/params.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import { csi } from './control-function.ts';

/** A region needs at least two rows; other values are ignored. */
function setTopAndBottom(t: TerminalState, params: Params): void {
  const top = params.count(0) - 1;
  const bottom = Math.min(params.get(1) || t.rows, t.rows) - 1;
  if (top >= bottom) return;
  t.marginTop = top;
  t.marginBottom = bottom;
  moveToAddress(t, 0, 0);
}

/** Like {@link setTopAndBottom}, with at least two columns. */
function setSides(t: TerminalState, params: Params): void {
  const left = params.count(0) - 1;
  const right = Math.min(params.get(1) || t.cols, t.cols) - 1;
  if (left >= right) return;
  t.marginLeft = left;
  t.marginRight = right;
  moveToAddress(t, 0, 0);
}

/** One sequence has two functions. DECLRMM selects which (ctlseqs). */
function setSidesOrSaveCursor(t: TerminalState, params: Params): void {
  if (t.modes.sideMargins) setSides(t, params);
  else saveCursor(t);
}

// biome-ignore format: one line per function
export const scrollingFunctions = [
  csi('Ps ; Ps r', 'DECSTBM', 'Set the top and bottom margins; the cursor moves home', setTopAndBottom),
  csi('Ps ; Ps s', 'DECSLRM', 'With DECLRMM, set the left and right margins; the cursor moves home. Otherwise save the cursor, as DECSC (SCOSC)', setSidesOrSaveCursor),
  csi('Ps S', 'SU', 'Scroll the region up Ps rows', (t, p) => scroll.scrollUp(t, p.count(0))),
  csi('Ps T', 'SD', 'Scroll the region down Ps rows', (t, p) => { if (p.length === 1) scroll.scrollDown(t, p.count(0)); }),
  csi('Ps SP @', 'SL', 'Scroll the region left Ps columns', (t, p) => scroll.scrollLeft(t, p.count(0))),
  csi('Ps SP A', 'SR', 'Scroll the region right Ps columns', (t, p) => scroll.scrollRight(t, p.count(0))),
  csi('Ps ^', 'SD', 'Scroll the region down Ps rows', (t, p) => scroll.scrollDown(t, p.count(0))),
];
