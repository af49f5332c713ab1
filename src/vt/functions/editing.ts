import * as erase from '../editing/erasing.ts';
import { repeatCharacter } from '../editing/printing.ts';
import { endProtectedArea, selectProtection, startProtectedArea } from '../editing/protection.ts';
import * as scroll from '../editing/scrolling.ts';
import type { Params } from '../parser/params.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import { applySgr } from '../style/sgr.ts';
import { csi, esc } from './control-function.ts';

function eraseInDisplay(t: TerminalState, params: Params, isSelective: boolean): void {
  switch (params.get(0)) {
    case 0:
      erase.eraseBelow(t, isSelective);
      break;
    case 1:
      erase.eraseAbove(t, isSelective);
      break;
    case 2:
      erase.eraseScreen(t, isSelective);
      break;
    case 3:
      if (!isSelective) erase.eraseScrollback(t);
      break;
  }
}

function eraseInLine(t: TerminalState, params: Params, isSelective: boolean): void {
  switch (params.get(0)) {
    case 0:
      erase.eraseRight(t, isSelective);
      break;
    case 1:
      erase.eraseLeft(t, isSelective);
      break;
    case 2:
      erase.eraseRow(t, isSelective);
      break;
  }
}

function selectAttribute(t: TerminalState, params: Params): void {
  if (params.get(0) <= 2) selectProtection(t, params.get(0) === 1);
}

// biome-ignore format: one line per function
export const editingFunctions = [
  csi('Ps @', 'ICH', 'Insert Ps blank cells; the rest of the row moves right', (t, p) => erase.insertCharacters(t, p.count(0))),
  csi('Ps J', 'ED', 'Erase the screen: 0 below the cursor, 1 above, 2 all, 3 the scrollback', (t, p) => eraseInDisplay(t, p, false)),
  csi('Ps K', 'EL', 'Erase the row: 0 right of the cursor, 1 left, 2 all', (t, p) => eraseInLine(t, p, false)),
  csi('? Ps J', 'DECSED', 'As ED (0, 1, 2), except cells protected by DECSCA', (t, p) => eraseInDisplay(t, p, true)),
  csi('? Ps K', 'DECSEL', 'As EL, except cells protected by DECSCA', (t, p) => eraseInLine(t, p, true)),
  csi('Ps L', 'IL', 'Insert Ps blank rows; the rows below move down', (t, p) => scroll.insertLines(t, p.count(0))),
  csi('Ps M', 'DL', 'Delete Ps rows; the rows below move up', (t, p) => scroll.deleteLines(t, p.count(0))),
  csi('Ps P', 'DCH', 'Delete Ps cells; the rest of the row moves left', (t, p) => erase.deleteCharacters(t, p.count(0))),
  csi('Ps X', 'ECH', 'Erase Ps cells, starting at the cursor', (t, p) => erase.eraseCharacters(t, p.count(0))),
  csi("Ps ' }", 'DECIC', 'Insert Ps blank columns; the columns right of the cursor move right', (t, p) => scroll.insertColumns(t, p.count(0))),
  csi("Ps ' ~", 'DECDC', 'Delete Ps columns; the columns right of the cursor move left', (t, p) => scroll.deleteColumns(t, p.count(0))),
  csi('Ps b', 'REP', 'Repeat the last character Ps times', (t, p) => repeatCharacter(t, p.count(0))),
  csi('Pm m', 'SGR', 'Set the attributes and colours of the next characters', (t, p) => applySgr(t.pen, p)),
  esc('# 8', 'DECALN', 'Fill the screen with E', erase.alignmentPattern),
  csi('Ps " q', 'DECSCA', 'Protect the next characters from selective erasing (1), or stop protecting (0, 2)', selectAttribute),
  esc('V', 'SPA', 'Protect the next characters from erasing', startProtectedArea),
  esc('W', 'EPA', 'Stop the protection of SPA', endProtectedArea),
  esc('# 3', 'DECDHL', 'Double-height line, top half'),
  esc('# 4', 'DECDHL', 'Double-height line, bottom half'),
  esc('# 5', 'DECSWL', 'Single-width line; always the case'),
  esc('# 6', 'DECDWL', 'Double-width line'),
];
