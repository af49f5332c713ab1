import * as erase from '../erasing.ts';
import { moveToAddress } from '../movement.ts';
import type { Params } from '../params.ts';
import { repeatCharacter } from '../printing.ts';
import { deleteLines, insertLines, scrollDown, scrollUp } from '../scrolling.ts';
import { applySgr } from '../sgr.ts';
import type { TerminalState } from '../terminal-state.ts';
import { csi, esc } from './control-function.ts';

function eraseInDisplay(t: TerminalState, params: Params): void {
  switch (params.get(0)) {
    case 0:
      erase.eraseBelow(t);
      break;
    case 1:
      erase.eraseAbove(t);
      break;
    case 2:
      erase.eraseScreen(t);
      break;
    case 3:
      t.scrollback.clear(0);
      break;
  }
}

function eraseInLine(t: TerminalState, params: Params): void {
  switch (params.get(0)) {
    case 0:
      erase.eraseRight(t);
      break;
    case 1:
      erase.eraseLeft(t);
      break;
    case 2:
      erase.eraseRow(t);
      break;
  }
}

/** A region has two rows at least; anything else is left as it was. */
function setMargins(t: TerminalState, params: Params): void {
  const top = params.count(0) - 1;
  const bottom = Math.min(params.get(1) || t.rows, t.rows) - 1;
  if (top >= bottom) return;
  t.marginTop = top;
  t.marginBottom = bottom;
  moveToAddress(t, 0, 0);
}

// biome-ignore format: one line a function
export const editingFunctions = [
  csi('Ps @', 'ICH', 'Insert Ps blank cells; the rest of the row moves right', (t, p) => erase.insertCharacters(t, p.count(0))),
  csi('Ps J', 'ED', 'Erase the screen: 0 below the cursor, 1 above, 2 all, 3 the scrollback', eraseInDisplay),
  csi('Ps K', 'EL', 'Erase the row: 0 right of the cursor, 1 left, 2 all', eraseInLine),
  csi('Ps L', 'IL', 'Insert Ps blank rows; those below move down', (t, p) => insertLines(t, p.count(0))),
  csi('Ps M', 'DL', 'Delete Ps rows; those below move up', (t, p) => deleteLines(t, p.count(0))),
  csi('Ps P', 'DCH', 'Delete Ps cells; the rest of the row moves left', (t, p) => erase.deleteCharacters(t, p.count(0))),
  csi('Ps S', 'SU', 'Scroll the region up Ps rows', (t, p) => scrollUp(t, p.count(0))),
  csi('Ps T', 'SD', 'Scroll the region down Ps rows', (t, p) => { if (p.length === 1) scrollDown(t, p.count(0)); }),
  csi('Ps X', 'ECH', 'Erase Ps cells from the cursor on', (t, p) => erase.eraseCharacters(t, p.count(0))),
  csi('Ps ^', 'SD', 'Scroll the region down Ps rows', (t, p) => scrollDown(t, p.count(0))),
  csi('Ps b', 'REP', 'Print the last character Ps times more', (t, p) => repeatCharacter(t, p.count(0))),
  csi('Pm m', 'SGR', 'Set how the characters to come look: attributes and colours', (t, p) => applySgr(t.pen, p)),
  csi('Ps ; Ps r', 'DECSTBM', 'Set the top and bottom margin; the cursor goes home', setMargins),
  esc('# 8', 'DECALN', 'Fill the screen with E', erase.alignmentPattern),
];
