import * as move from '../editing/movement.ts';
import { restoreCursor, saveCursor } from '../editing/screens.ts';
import { backIndex, forwardIndex, index, reverseIndex } from '../editing/scrolling.ts';
import type { Params } from '../parser/params.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import { byParameter, csi, esc, when } from './control-function.ts';

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
