import {
  deleteCells,
  insertCells,
  scrollDownBetween,
  scrollUpBetween,
} from '../grid/cell-moves.ts';
import { rowLength } from '../grid/wrapping.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import { isBetweenSides, isFullWidth, isInRegion } from './margins.ts';
import { carriageReturn } from './movement.ts';

// What moves rows, or with side margins the part of them that lies between. Lines that leave the top
// of the primary screen as a whole go to the scrollback.

/** IND: down a row; at the bottom margin the region scrolls, when the cursor is in its columns. */
export function index(t: TerminalState): void {
  t.cursor.wrapPending = false;
  if (t.cursor.row === t.marginBottom) {
    if (isBetweenSides(t)) scrollUpRow(t, false);
  } else if (t.cursor.row < t.rows - 1) t.cursor.row++;
}

/** LF: down a row, in new line mode also to its start (LNM). */
export function lineFeed(t: TerminalState): void {
  index(t);
  if (t.modes.newLine) carriageReturn(t);
}

/** RI: up a row; at the top margin the region scrolls, when the cursor is in its columns. */
export function reverseIndex(t: TerminalState): void {
  t.cursor.wrapPending = false;
  if (t.cursor.row === t.marginTop) {
    if (isBetweenSides(t)) scrollDown(t, 1);
  } else if (t.cursor.row > 0) t.cursor.row--;
}

/** Goes on in the next row because the line is full; the last `pads` cells of this one stay free. */
export function wrapLine(t: TerminalState, spacers: number): void {
  if (isFullWidth(t)) wrapRow(t, spacers);
  // Between side margins rows are no lines: what stands beside them is in between.
  else index(t);
  carriageReturn(t);
}

function wrapRow(t: TerminalState, spacers: number): void {
  const { row } = t.cursor;
  t.grid.wrap(row, spacers);
  if (row === t.marginBottom) scrollUpRow(t, true);
  else if (row < t.rows - 1) t.cursor.row++;
  // Below the region on the last row there is nowhere to go on: the row is written again.
  else t.grid.unwrap(row);
}

/**
 * SU: the region moves up; into the scrollback when it begins at the top of the primary screen. Of
 * rows that all are without a character nothing is kept, or a few bytes of output could fill the
 * scrollback with nothing.
 */
export function scrollUp(t: TerminalState, count: number): void {
  moveUp(t, count, t.grid.writtenRows(t.marginBottom + 1), false);
}

/** The region moves up by a row, which is kept whatever stands in it. */
function scrollUpRow(t: TerminalState, keepWrap: boolean): void {
  if (t.marginTop > 0 || t.onAlternate || !isFullWidth(t)) {
    moveUp(t, 1, 1, keepWrap);
    return;
  }
  // What most lines end with.
  if (!keepWrap) t.grid.unwrap(t.marginBottom);
  pushToScrollback(t, 0);
  t.grid.scrollUp(0, t.marginBottom, 1, t.eraseStyle, true);
}

/** The region moves up; of what leaves it at the top of the primary screen the first rows are kept. */
function moveUp(t: TerminalState, count: number, maxKept: number, keepWrap: boolean): void {
  const { grid, marginTop, marginBottom } = t;
  if (!isFullWidth(t)) {
    moveRowsUp(t, marginTop, count);
    return;
  }
  if (marginTop === 0 && !t.onAlternate) {
    const leaving = Math.min(count, marginBottom + 1, maxKept);
    if (!keepWrap) grid.unwrap(marginBottom);
    for (let row = 0; row < leaving; row++) pushToScrollback(t, row);
  }
  grid.scrollUp(marginTop, marginBottom, count, t.eraseStyle, keepWrap);
}

/** SD */
export function scrollDown(t: TerminalState, count: number): void {
  moveRowsDown(t, t.marginTop, count);
}

/** IL: nothing outside of the scrolling region. */
export function insertLines(t: TerminalState, count: number): void {
  if (!isInRegion(t)) return;
  moveRowsDown(t, t.cursor.row, count);
  carriageReturn(t);
}

/** DL: nothing outside of the scrolling region. */
export function deleteLines(t: TerminalState, count: number): void {
  if (!isInRegion(t)) return;
  moveRowsUp(t, t.cursor.row, count);
  carriageReturn(t);
}

/** The rows from `top` to the bottom margin, between the side margins; nothing is kept. */
function moveRowsUp(t: TerminalState, top: number, count: number): void {
  if (top === 0) endScrollbackLine(t);
  if (isFullWidth(t)) t.grid.scrollUp(top, t.marginBottom, count, t.eraseStyle);
  else scrollUpBetween(t.grid, regionFrom(t, top), count, t.eraseStyle);
}

function moveRowsDown(t: TerminalState, top: number, count: number): void {
  if (top === 0) endScrollbackLine(t);
  if (isFullWidth(t)) t.grid.scrollDown(top, t.marginBottom, count, t.eraseStyle);
  else scrollDownBetween(t.grid, regionFrom(t, top), count, t.eraseStyle);
}

function regionFrom(t: TerminalState, top: number) {
  return { top, bottom: t.marginBottom, left: t.marginLeft, right: t.marginRight };
}

/** DECIC: opens columns at the cursor, in all rows of the region; nothing outside of it. */
export function insertColumns(t: TerminalState, count: number): void {
  if (isInRegion(t)) moveColumnsRight(t, t.cursor.col, count);
}

/** DECDC */
export function deleteColumns(t: TerminalState, count: number): void {
  if (isInRegion(t)) moveColumnsLeft(t, t.cursor.col, count);
}

/** SL: the region moves left; nothing when the cursor is outside of it, as in xterm. */
export function scrollLeft(t: TerminalState, count: number): void {
  if (isInRegion(t)) moveColumnsLeft(t, t.marginLeft, count);
}

/** SR */
export function scrollRight(t: TerminalState, count: number): void {
  if (isInRegion(t)) moveColumnsRight(t, t.marginLeft, count);
}

/** DECFI: right a column; at the right margin the region moves left instead. */
export function forwardIndex(t: TerminalState): void {
  const { col } = t.cursor;
  t.cursor.wrapPending = false;
  if (col !== t.marginRight) t.cursor.col = Math.min(col + 1, t.cols - 1);
  else scrollLeft(t, 1);
}

/** DECBI: left a column; at the left margin the region moves right instead. */
export function backIndex(t: TerminalState): void {
  const { col } = t.cursor;
  t.cursor.wrapPending = false;
  if (col !== t.marginLeft) t.cursor.col = Math.max(col - 1, 0);
  else scrollRight(t, 1);
}

function moveColumnsLeft(t: TerminalState, col: number, count: number): void {
  t.cursor.wrapPending = false;
  for (let row = t.marginTop; row <= t.marginBottom; row++) {
    deleteCells(t.grid, row, col, count, t.eraseStyle, t.marginRight + 1);
  }
}

function moveColumnsRight(t: TerminalState, col: number, count: number): void {
  t.cursor.wrapPending = false;
  for (let row = t.marginTop; row <= t.marginBottom; row++) {
    insertCells(t.grid, row, col, count, t.eraseStyle, t.marginRight + 1);
  }
}

/** The topmost row is about to be another one: the scrollback's last line ends. */
export function endScrollbackLine(t: TerminalState): void {
  if (!t.onAlternate) t.scrollback.close();
}

/** Appends a row of the primary screen to the scrollback; the row itself is left as it is. */
function pushToScrollback(t: TerminalState, row: number): void {
  const { primary, scrollback, printedOffScreen } = t;
  const meta = primary.metadata(row);
  if (meta.printedAt >= primary.printedSince) {
    const before = scrollback.openCells;
    printedOffScreen.push(scrollback.nextLine, before + meta.printedFrom, before + meta.printedTo);
  }
  scrollback.push(primary, row, rowLength(primary, row));
}
