import * as erase from '../editing/erasing.ts';
import { repeatCharacter } from '../editing/printing.ts';
import * as protection from '../editing/protection.ts';
import * as scroll from '../editing/scrolling.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import { applySgr } from '../style/sgr.ts';
import { otherSgrValues, sgrAttributes } from '../style/sgr-values.ts';
import { byParameter, type Choice, csi, esc, type Run, when } from './control-function.ts';

type Erase = (t: TerminalState, isSelective: boolean) => void;

/** @param isSelective whether protected cells stay */
const erasing =
  (isSelective: boolean) =>
  (run: Erase): Run =>
  (t) =>
    run(t, isSelective);

const all = erasing(false);
const unprotected = erasing(true);

// biome-ignore format: one line per operation
const eraseInDisplay = byParameter([
  when(0, 'From the cursor to the end of the screen', all(erase.eraseBelow)),
  when(1, 'From the start of the screen to the cursor', all(erase.eraseAbove)),
  when(2, 'The screen', all(erase.eraseScreen)),
  when(3, 'The scrollback', erase.eraseScrollback),
]);

// biome-ignore format: one line per operation
const eraseInDisplaySelectively = byParameter([
  when(0, 'From the cursor to the end of the screen', unprotected(erase.eraseBelow)),
  when(1, 'From the start of the screen to the cursor', unprotected(erase.eraseAbove)),
  when(2, 'The screen', unprotected(erase.eraseScreen)),
]);

// biome-ignore format: one line per operation
const eraseInLine = byParameter([
  when(0, 'From the cursor to the end of the row', all(erase.eraseRight)),
  when(1, 'From the start of the row to the cursor', all(erase.eraseLeft)),
  when(2, 'The row', all(erase.eraseRow)),
]);

// biome-ignore format: one line per operation
const eraseInLineSelectively = byParameter([
  when(0, 'From the cursor to the end of the row', unprotected(erase.eraseRight)),
  when(1, 'From the start of the row to the cursor', unprotected(erase.eraseLeft)),
  when(2, 'The row', unprotected(erase.eraseRow)),
]);

// biome-ignore format: one line per operation
const selectProtection = byParameter([
  when(0, 'Stop protecting', (t) => protection.selectProtection(t, false)),
  when(1, 'Protect the next characters', (t) => protection.selectProtection(t, true)),
  when(2, 'As 0', (t) => protection.selectProtection(t, false)),
]);

/** The dispatch applies most SGR without it. */
const selectRendition: Choice<Run> = {
  operations: [...otherSgrValues, ...sgrAttributes].map(({ value, meaning }) =>
    when(value, meaning, applySgr),
  ),
  run: (t, params) => applySgr(t.pen, params),
};

// biome-ignore format: one line per function
export const editingFunctions = [
  csi('Ps @', 'ICH', 'Insert Ps blank cells; the rest of the row moves right', (t, p) => erase.insertCharacters(t, p.count(0))),
  csi('Ps J', 'ED', 'Erase the screen or the scrollback', eraseInDisplay),
  csi('Ps K', 'EL', 'Erase the row of the cursor', eraseInLine),
  csi('? Ps J', 'DECSED', 'As ED, except cells protected by DECSCA', eraseInDisplaySelectively),
  csi('? Ps K', 'DECSEL', 'As EL, except cells protected by DECSCA', eraseInLineSelectively),
  csi('Ps L', 'IL', 'Insert Ps blank rows; the rows below move down', (t, p) => scroll.insertLines(t, p.count(0))),
  csi('Ps M', 'DL', 'Delete Ps rows; the rows below move up', (t, p) => scroll.deleteLines(t, p.count(0))),
  csi('Ps P', 'DCH', 'Delete Ps cells; the rest of the row moves left', (t, p) => erase.deleteCharacters(t, p.count(0))),
  csi('Ps X', 'ECH', 'Erase Ps cells, starting at the cursor', (t, p) => erase.eraseCharacters(t, p.count(0))),
  csi("Ps ' }", 'DECIC', 'Insert Ps blank columns; the columns right of the cursor move right', (t, p) => scroll.insertColumns(t, p.count(0))),
  csi("Ps ' ~", 'DECDC', 'Delete Ps columns; the columns right of the cursor move left', (t, p) => scroll.deleteColumns(t, p.count(0))),
  csi('Ps b', 'REP', 'Repeat the last character Ps times', (t, p) => repeatCharacter(t, p.count(0))),
  csi('Pm m', 'SGR', 'Set the attributes and colours of the next characters', selectRendition),
  esc('# 8', 'DECALN', 'Fill the screen with E', erase.alignmentPattern),
  csi('Ps " q', 'DECSCA', 'Protect the next characters from selective erasing, or stop protecting', selectProtection),
  esc('V', 'SPA', 'Protect the next characters from erasing', protection.startProtectedArea),
  esc('W', 'EPA', 'Stop the protection of SPA', protection.endProtectedArea),
  esc('# 3', 'DECDHL', 'Double-height line, top half'),
  esc('# 4', 'DECDHL', 'Double-height line, bottom half'),
  esc('# 5', 'DECSWL', 'Single-width line; always the case'),
  esc('# 6', 'DECDWL', 'Double-width line'),
];
