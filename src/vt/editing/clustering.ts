import { clusterFlag, codeMask, spacerHead, spacerTail, wideFlag } from '../cells/cell.ts';
import { maxClusterLength } from '../cells/cluster-table.ts';
import { joins, widthWith } from '../cells/graphemes.ts';
import { insertCells } from '../grid/cell-moves.ts';
import { extend, put } from '../grid/cell-writing.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import { defaultStyle } from '../style/style-word.ts';
import { isBetweenSides, isFullWidth, rightLimit } from './movement.ts';
import { wrapLine } from './scrolling.ts';

// Adds characters to the cell of the character before them. The decision depends only on the cell
// before the cursor, so that chunks make no difference.

/**
 * Adds a character to the cell before the cursor if it belongs there: always if it has no width,
 * and in mode 2027 if it continues the grapheme cluster. Returns false if it must be printed in a
 * cell of its own. A character without a width is dropped if there is no cell before the cursor.
 *
 * @param hasWidth whether the character has a width of its own in the current mode 2027
 */
export function joinPrevious(t: TerminalState, codePoint: number, hasWidth: boolean): boolean {
  const col = previousCol(t);
  if (col < 0) return !hasWidth;
  const code = t.grid.codeAt(t.cursor.row, col);
  if (code === spacerHead || (hasWidth && code < space)) return !hasWidth;
  const joined = joinedCode(t, code, codePoint, hasWidth);
  if (joined === notJoined) return false;
  if (joined === code) return true;
  if (isLastPrinted(t, code)) t.lastPrinted = joined & (codeMask | clusterFlag);
  if (((joined ^ code) & wideFlag) === 0) extend(t.grid, t.cursor.row, col, joined);
  else if ((joined & wideFlag) !== 0) widen(t, col, joined);
  else narrow(t, col, joined);
  return true;
}

/** Returned in place of a code. */
export const notJoined = 0;

/**
 * Returns the code of a cell to which a character is added; the same code if it is full, {@link notJoined} if the
 * character does not belong there.
 */
export function joinedCode(
  t: TerminalState,
  code: number,
  codePoint: number,
  hasWidth: boolean,
): number {
  const { graphemeClusters } = t.modes;
  // The width depends on the mode.
  const key = graphemeClusters ? code : ~code;
  const before = t.clusters.recall(key, codePoint);
  if (before !== 0) return before;
  const cluster = codePointsOf(t, code);
  if (hasWidth && !joins(cluster, codePoint)) return notJoined;
  if (cluster.length === maxClusterLength) return code;
  const cells = (code & wideFlag) !== 0 ? 2 : 1;
  const width = graphemeClusters ? widthWith(cluster, cells, codePoint) : cells;
  const content = code < space ? space : code & (codeMask | clusterFlag);
  const index = t.clusters.extend(content, codePoint);
  const joined = clusterFlag | index | (width === 2 ? wideFlag : 0);
  t.clusters.keep(key, codePoint, joined);
  return joined;
}

/** Whether REP would repeat the character in a cell with this code. */
function isLastPrinted(t: TerminalState, code: number): boolean {
  if ((code & clusterFlag) === 0) return t.lastPrinted === (code < space ? space : code & codeMask);
  const cluster = codePointsOf(t, code);
  return t.lastPrinted === (cluster.length === 1 ? cluster[0] : code & (codeMask | clusterFlag));
}

const space = 0x20;
/** Valid until the next call. */
const single = [0];

/** Returns the code points in a cell; an empty cell is a space. */
function codePointsOf(t: TerminalState, code: number): readonly number[] {
  if ((code & clusterFlag) !== 0) return t.clusters.codePoints(code & codeMask);
  single[0] = code < space ? space : code & codeMask;
  return single;
}

/** Returns the first column of the character before the cursor; -1 at the start of a row. */
function previousCol(t: TerminalState): number {
  const { cursor, grid } = t;
  const col = cursor.wrapPending ? cursor.col : cursor.col - 1;
  return col > 0 && grid.codeAt(cursor.row, col) === spacerTail ? col - 1 : col;
}

/**
 * Makes a character wide. In the last column it wraps to the next row, or stays as it is without
 * autowrap.
 */
function widen(t: TerminalState, col: number, code: number): void {
  const { cursor, grid } = t;
  const style = grid.styleAt(cursor.row, col);
  if (t.cols === 1) put(grid, cursor.row, col, code, style);
  else if (!cursor.wrapPending) {
    if (t.modes.insert && isBetweenSides(t)) {
      insertCells(grid, cursor.row, cursor.col, 1, style, rightLimit(t) + 1);
    }
    put(grid, cursor.row, col, code, style);
    moveCursorPast(t, col + 2);
  } else if (t.modes.autowrap) {
    if (!isFullWidth(t)) grid.erase(cursor.row, col, col + 1, defaultStyle);
    wrapLine(t, 1);
    const { row, col: start } = cursor;
    if (t.modes.insert) insertCells(grid, row, start, 2, style, rightLimit(t) + 1);
    put(t.grid, row, start, code, style);
    moveCursorPast(t, start + 2);
  }
}

/** Makes a wide character narrow. Its second cell becomes empty. */
function narrow(t: TerminalState, col: number, code: number): void {
  const { cursor, grid } = t;
  const style = grid.styleAt(cursor.row, col);
  put(grid, cursor.row, col, code, style);
  if (t.cols === 1) return;
  grid.erase(cursor.row, col + 1, col + 2, defaultStyle);
  cursor.col = col + 1;
  cursor.wrapPending = false;
}

/** Moves the cursor after a printed character. */
function moveCursorPast(t: TerminalState, col: number): void {
  const limit = rightLimit(t);
  t.cursor.wrapPending = col > limit;
  t.cursor.col = Math.min(col, limit);
}
