import {
  deleteCells,
  insertCells,
  scrollDownBetween,
  scrollUpBetween,
} from '../grid/cell-moves.ts';
import { rowLength } from '../grid/wrapping.ts';
import { spend, spendRows, type TerminalState } from '../state/terminal-state.ts';
import { carriageReturn, isBetweenSides, isFullWidth, isInRegion } from './movement.ts';

// Moves rows or, with side margins, the columns between them. Whole rows that leave the top of the
// primary screen go to the scrollback.

/**
 * IND: moves down one row. At the bottom margin, scrolls the region up if the cursor is in its
 * columns.
 */
export function index(t: TerminalState): void {
  t.cursor.wrapPending = false;
  if (t.cursor.row === t.marginBottom) {
    if (isBetweenSides(t)) scrollUpRow(t, false);
  } else if (t.cursor.row < t.rows - 1) t.cursor.row++;
}

/** LF: moves down one row and, in new line mode (LNM), to the first column. */
export function lineFeed(t: TerminalState): void {
  index(t);
  if (t.modes.newLine) carriageReturn(t);
}

/**
 * RI: moves up one row. At the top margin, scrolls the region down if the cursor is in its columns.
 */
export function reverseIndex(t: TerminalState): void {
  t.cursor.wrapPending = false;
  if (t.cursor.row === t.marginTop) {
    if (isBetweenSides(t)) scrollDown(t, 1);
  } else if (t.cursor.row > 0) t.cursor.row--;
}

/**
 * Continues a full line in the next row. The last `spacers` cells of this row become head spacers.
 */
export function wrapLine(t: TerminalState, spacers: number): void {
  if (isFullWidth(t)) wrapRow(t, spacers);
  // Between side margins rows are not lines, because other text is next to them.
  else index(t);
  carriageReturn(t);
}

function wrapRow(t: TerminalState, spacers: number): void {
  const { row } = t.cursor;
  t.grid.wrap(row, spacers);
  if (row === t.marginBottom) scrollUpRow(t, true);
  else if (row < t.rows - 1) t.cursor.row++;
  // On the last row below the region there is no next row. The row is overwritten.
  else t.grid.unwrap(row);
}

/**
 * SU: scrolls the region up, into the scrollback if it begins at the top of the primary screen.
 * Trailing rows without characters are not kept. Otherwise a few bytes of output could fill the
 * scrollback with empty lines.
 */
export function scrollUp(t: TerminalState, count: number): void {
  moveUp(t, count, t.grid.writtenRows(t.marginBottom + 1), false);
}

/** Scrolls the region up by one row, which is kept even if it is empty. */
function scrollUpRow(t: TerminalState, keepWrap: boolean): void {
  if (t.marginTop > 0 || t.onAlternate || !isFullWidth(t)) {
    moveUp(t, 1, 1, keepWrap);
    return;
  }
  // The most frequent case: the end of a line.
  if (!keepWrap) t.grid.unwrap(t.marginBottom);
  pushToScrollback(t, 0);
  t.grid.scrollUp(0, t.marginBottom, 1, t.eraseStyle, true);
}

/**
 * Scrolls the region up. Up to `maxKept` rows that leave the top of the primary screen are kept.
 */
function moveUp(t: TerminalState, count: number, maxKept: number, keepWrap: boolean): void {
  const { grid, marginTop, marginBottom } = t;
  if (!isFullWidth(t)) {
    moveRowsUp(t, marginTop, count);
    return;
  }
  tellLeaving(t, count, marginTop);
  if (marginTop === 0 && !t.onAlternate) {
    const leaving = Math.min(count, marginBottom + 1, maxKept);
    if (!keepWrap) grid.unwrap(marginBottom);
    for (let row = 0; row < leaving; row++) pushToScrollback(t, row);
  }
  spend(t, 4 * (marginBottom + 1 - marginTop));
  grid.scrollUp(marginTop, marginBottom, count, t.eraseStyle, keepWrap);
}

/** SD */
export function scrollDown(t: TerminalState, count: number): void {
  moveRowsDown(t, t.marginTop, count);
}

/** IL: no effect outside the scrolling region. */
export function insertLines(t: TerminalState, count: number): void {
  if (!isInRegion(t)) return;
  moveRowsDown(t, t.cursor.row, count);
  carriageReturn(t);
}

/** DL: no effect outside the scrolling region. */
export function deleteLines(t: TerminalState, count: number): void {
  if (!isInRegion(t)) return;
  moveRowsUp(t, t.cursor.row, count);
  carriageReturn(t);
}

/**
 * Moves the rows from `top` to the bottom margin, between the side margins. Nothing goes to the
 * scrollback.
 */
function moveRowsUp(t: TerminalState, top: number, count: number): void {
  if (top === 0) endScrollbackLine(t);
  tellLeaving(t, count, top);
  if (isFullWidth(t)) t.grid.scrollUp(top, t.marginBottom, count, t.eraseStyle);
  else scrollUpBetween(t.grid, spentRegion(t, top), count, t.eraseStyle);
}

function moveRowsDown(t: TerminalState, top: number, count: number): void {
  if (top === 0) endScrollbackLine(t);
  if (isFullWidth(t)) t.grid.scrollDown(top, t.marginBottom, count, t.eraseStyle);
  else scrollDownBetween(t.grid, spentRegion(t, top), count, t.eraseStyle);
}

/** Returns the region from a row on, and counts the work on it. */
function spentRegion(t: TerminalState, top: number) {
  const region = { top, bottom: t.marginBottom, left: t.marginLeft, right: t.marginRight };
  spendRows(t, region.bottom + 1 - top, region.right + 1 - region.left);
  return region;
}

/** DECIC: inserts columns at the cursor in all rows of the region. No effect outside it. */
export function insertColumns(t: TerminalState, count: number): void {
  if (isInRegion(t)) moveColumnsRight(t, t.cursor.col, count);
}

/** DECDC */
export function deleteColumns(t: TerminalState, count: number): void {
  if (isInRegion(t)) moveColumnsLeft(t, t.cursor.col, count);
}

/** SL: scrolls the region left. No effect if the cursor is outside it, as in xterm. */
export function scrollLeft(t: TerminalState, count: number): void {
  if (isInRegion(t)) moveColumnsLeft(t, t.marginLeft, count);
}

/** SR */
export function scrollRight(t: TerminalState, count: number): void {
  if (isInRegion(t)) moveColumnsRight(t, t.marginLeft, count);
}

/** DECFI: moves right one column. At the right margin, scrolls the region left. */
export function forwardIndex(t: TerminalState): void {
  const { col } = t.cursor;
  t.cursor.wrapPending = false;
  if (col !== t.marginRight) t.cursor.col = Math.min(col + 1, t.cols - 1);
  else scrollLeft(t, 1);
}

/** DECBI: moves left one column. At the left margin, scrolls the region right. */
export function backIndex(t: TerminalState): void {
  const { col } = t.cursor;
  t.cursor.wrapPending = false;
  if (col !== t.marginLeft) t.cursor.col = Math.max(col - 1, 0);
  else scrollRight(t, 1);
}

function moveColumnsLeft(t: TerminalState, col: number, count: number): void {
  t.cursor.wrapPending = false;
  spendRows(t, t.marginBottom + 1 - t.marginTop, t.marginRight + 1 - col);
  for (let row = t.marginTop; row <= t.marginBottom; row++) {
    deleteCells(t.grid, row, col, count, t.eraseStyle, t.marginRight + 1);
  }
}

function moveColumnsRight(t: TerminalState, col: number, count: number): void {
  t.cursor.wrapPending = false;
  spendRows(t, t.marginBottom + 1 - t.marginTop, t.marginRight + 1 - col);
  for (let row = t.marginTop; row <= t.marginBottom; row++) {
    insertCells(t.grid, row, col, count, t.eraseStyle, t.marginRight + 1);
  }
}

/** Tells the reader of the alternate screen that so many rows will leave it, of those from `top` on. */
function tellLeaving(t: TerminalState, count: number, top: number): void {
  if (t.onAlternate) t.onRowsLeaving?.(top, t.marginBottom, count);
}

/** Ends the last line of the scrollback, before the topmost row changes. */
export function endScrollbackLine(t: TerminalState): void {
  if (!t.onAlternate) t.scrollback.close();
}

/**
 * The most lines to which erased screens are added. A few bytes of output can erase a screen of many
 * rows again and again.
 */
const maxKeptLines = 64 * 1024;

/** Appends the rows of the primary screen down to the last one that is not empty. */
export function keepScreen(t: TerminalState): void {
  if (t.scrollback.nextLine >= maxKeptLines) return;
  const end = t.primary.writtenRows(t.rows);
  if (end === 0) return;
  t.primary.unwrap(end - 1);
  for (let row = 0; row < end; row++) pushToScrollback(t, row);
}

/** The work of a line of the scrollback in addition to its cells: that of so many cells. */
export const workOfLine = 256;

/** Appends a row of the primary screen to the scrollback. Does not change the row. */
export function pushToScrollback(t: TerminalState, row: number): void {
  const { primary, scrollback, printedOffScreen } = t;
  const meta = primary.metadata(row);
  if (meta.printedAt >= primary.printedSince) {
    const before = scrollback.openCells;
    printedOffScreen.push(scrollback.nextLine, before + meta.printedFrom, before + meta.printedTo);
  }
  const length = rowLength(primary, row);
  spend(t, length + workOfLine);
  scrollback.push(primary, row, length);
}
