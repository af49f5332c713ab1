import * as erase from '../editing/erasing.ts';
import * as protection from '../editing/erasing.ts';
import * as move from '../editing/movement.ts';
import { moveToAddress } from '../editing/movement.ts';
import { repeatCharacter } from '../editing/printing.ts';
import { restoreCursor, saveCursor } from '../editing/screens.ts';
import * as scroll from '../editing/scrolling.ts';
import { backIndex, forwardIndex, index, reverseIndex } from '../editing/scrolling.ts';
import type { Params } from '../parser/params.ts';
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

function position(t: TerminalState, params: Params): void {
  move.moveToAddress(t, params.count(0) - 1, params.count(1) - 1);
}

function nextLine(t: TerminalState, count: number): void {
  move.moveDown(t, count);
  move.carriageReturn(t);
}

function previousLine(t: TerminalState, count: number): void {
  move.moveUp(t, count);
  move.carriageReturn(t);
}

const clearStop = (t: TerminalState) => t.tabs.clear(t.cursor.col);
const clearAllStops = (t: TerminalState) => t.tabs.clearAll();
const setStop = (t: TerminalState) => t.tabs.set(t.cursor.col);

// biome-ignore format: one line per operation
const clearStops = byParameter([
  when(0, 'The tab stop at the cursor', clearStop),
  when(1, 'The line tab stop at the cursor'),
  when(3, 'All tab stops', clearAllStops),
  when(4, 'All line tab stops'),
]);

// biome-ignore format: one line per operation
const controlStops = byParameter([
  when(0, 'Set a tab stop at the cursor', setStop),
  when(1, 'Set a line tab stop at the cursor'),
  when(2, 'Clear the tab stop at the cursor', clearStop),
  when(3, 'Clear the line tab stop at the cursor'),
  when(4, 'Clear all tab stops of the row'),
  when(5, 'Clear all tab stops', clearAllStops),
  when(6, 'Clear all line tab stops'),
]);

// biome-ignore format: one line per function
export const cursorFunctions = [
  csi('Ps A', 'CUU', 'Move the cursor up Ps rows, stopping at the top margin', (t, p) => move.moveUp(t, p.count(0))),
  csi('Ps B', 'CUD', 'Move the cursor down Ps rows, stopping at the bottom margin', (t, p) => move.moveDown(t, p.count(0))),
  csi('Ps C', 'CUF', 'Move the cursor right Ps columns, stopping at the right margin', (t, p) => move.moveRight(t, p.count(0))),
  csi('Ps D', 'CUB', 'Move the cursor left Ps columns, stopping at the left margin', (t, p) => move.moveLeft(t, p.count(0))),
  csi('Ps E', 'CNL', 'Move the cursor down Ps rows, to the first column', (t, p) => nextLine(t, p.count(0))),
  csi('Ps F', 'CPL', 'Move the cursor up Ps rows, to the first column', (t, p) => previousLine(t, p.count(0))),
  csi('Ps G', 'CHA', 'Move the cursor to column Ps', (t, p) => move.moveToColumn(t, p.count(0) - 1)),
  csi('Ps ; Ps H', 'CUP', 'Move the cursor to row Ps, column Ps', position),
  csi('Ps `', 'HPA', 'Move the cursor to column Ps', (t, p) => move.moveToColumn(t, p.count(0) - 1)),
  csi('Ps a', 'HPR', 'Move the cursor right Ps columns, ignoring the margins', (t, p) => move.moveBy(t, 0, p.count(0))),
  csi('Ps d', 'VPA', 'Move the cursor to row Ps', (t, p) => move.moveToRow(t, p.count(0) - 1)),
  csi('Ps e', 'VPR', 'Move the cursor down Ps rows, ignoring the margins', (t, p) => move.moveBy(t, p.count(0), 0)),
  csi('Ps ; Ps f', 'HVP', 'Move the cursor to row Ps, column Ps', position),
  csi('Ps j', 'HPB', 'Move the cursor left Ps columns, ignoring the margins', (t, p) => move.moveBy(t, 0, -p.count(0))),
  csi('Ps k', 'VPB', 'Move the cursor up Ps rows, ignoring the margins', (t, p) => move.moveBy(t, -p.count(0), 0)),
  csi('u', 'SCORC', 'Restore the cursor, as DECRC', restoreCursor),
  esc('6', 'DECBI', 'Move left one column; at the left margin, scroll the region right', backIndex),
  esc('7', 'DECSC', 'Save the cursor, pen, character sets and origin mode', saveCursor),
  esc('8', 'DECRC', 'Restore the state saved by DECSC', restoreCursor),
  esc('9', 'DECFI', 'Move right one column; at the right margin, scroll the region left', forwardIndex),
  esc('D', 'IND', 'Move down one row; at the bottom margin, scroll up', index),
  esc('E', 'NEL', 'Move to the start of the next row; at the bottom margin, scroll up', (t) => { index(t); move.carriageReturn(t); }),
  esc('M', 'RI', 'Move up one row; at the top margin, scroll down', reverseIndex),
  csi('Ps I', 'CHT', 'Move the cursor Ps tab stops forward', (t, p) => move.tabForward(t, p.count(0))),
  csi('Ps Z', 'CBT', 'Move the cursor Ps tab stops back', (t, p) => move.tabBackward(t, p.count(0))),
  csi('Ps g', 'TBC', 'Clear tab stops', clearStops),
  csi('Ps W', 'CTC', 'Set or clear tab stops', controlStops),
  csi('? Ps W', 'DECST8C', 'Set a tab stop at every eighth column (5)', (t, p) => { if (p.get(0) === 5) t.tabs.reset(); }),
  esc('H', 'HTS', 'Set a tab stop at the cursor', setStop),
];

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
