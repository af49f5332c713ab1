import { carriageReturn } from './movement.ts';
import { rowLength } from './screen-lines.ts';
import type { TerminalState } from './terminal-state.ts';

// What moves whole rows. Lines that leave the top of the primary screen go to the scrollback.

/** IND: down a row; at the bottom margin the region scrolls. */
export function index(t: TerminalState): void {
  t.cursor.wrapPending = false;
  if (t.cursor.row === t.marginBottom) scrollUp(t, 1);
  else if (t.cursor.row < t.rows - 1) t.cursor.row++;
}

/** RI: up a row; at the top margin the region scrolls. */
export function reverseIndex(t: TerminalState): void {
  t.cursor.wrapPending = false;
  if (t.cursor.row === t.marginTop) scrollDown(t, 1);
  else if (t.cursor.row > 0) t.cursor.row--;
}

/** Goes on in the next row because the line is full; the last `pads` cells of this one stay free. */
export function wrapLine(t: TerminalState, pads: number): void {
  const { row } = t.cursor;
  t.grid.wrap(row, pads);
  if (row === t.marginBottom) scrollUp(t, 1, true);
  else if (row < t.rows - 1) t.cursor.row++;
  // Below the region on the last row there is nowhere to go on: the row is written again.
  else t.grid.unwrap(row);
  carriageReturn(t);
}

/** SU: the region moves up; into the scrollback when it begins at the top of the primary screen. */
export function scrollUp(t: TerminalState, count: number, keepWrap = false): void {
  const { grid, marginTop, marginBottom } = t;
  if (marginTop === 0 && !t.onAlternate) {
    const leaving = Math.min(count, marginBottom + 1);
    if (!keepWrap) grid.unwrap(marginBottom);
    for (let row = 0; row < leaving; row++) pushToScrollback(t, row);
  }
  grid.scrollUp(marginTop, marginBottom, count, t.eraseStyle, keepWrap);
}

/** SD */
export function scrollDown(t: TerminalState, count: number): void {
  if (t.marginTop === 0) leaveScrollback(t);
  t.grid.scrollDown(t.marginTop, t.marginBottom, count, t.eraseStyle);
}

/** IL: nothing outside of the scrolling region. */
export function insertLines(t: TerminalState, count: number): void {
  const { row } = t.cursor;
  if (row < t.marginTop || row > t.marginBottom) return;
  if (row === 0) leaveScrollback(t);
  t.grid.scrollDown(row, t.marginBottom, count, t.eraseStyle);
  carriageReturn(t);
}

/** DL: nothing outside of the scrolling region. */
export function deleteLines(t: TerminalState, count: number): void {
  const { row } = t.cursor;
  if (row < t.marginTop || row > t.marginBottom) return;
  if (row === 0) leaveScrollback(t);
  t.grid.scrollUp(row, t.marginBottom, count, t.eraseStyle);
  carriageReturn(t);
}

/** The topmost row is about to be another one: the scrollback's last line ends. */
export function leaveScrollback(t: TerminalState): void {
  if (!t.onAlternate) t.scrollback.close();
}

/** Appends a row of the primary screen to the scrollback; the row itself is left as it is. */
function pushToScrollback(t: TerminalState, row: number): void {
  const { primary, scrollback, printedOff } = t;
  const printedFrom = primary.printedFrom(row);
  if (printedFrom >= 0) {
    const before = scrollback.openCells;
    printedOff.push(scrollback.nextLine, before + printedFrom, before + primary.printedTo(row));
  }
  scrollback.push(primary, row, rowLength(primary, row));
}
