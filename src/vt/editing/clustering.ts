import {
  clusterFlag,
  codeMask,
  emptyCell,
  spacerHead,
  spacerTail,
  wideFlag,
} from '../cells/cell.ts';
import { maxClusterLength } from '../cells/cluster-table.ts';
import { joins, widthWith } from '../cells/graphemes.ts';
import { charWidth } from '../cells/width.ts';
import { insertCells } from '../grid/cell-moves.ts';
import { extend, put } from '../grid/cell-writing.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import { defaultStyle } from '../style/style-word.ts';
import { isBetweenSides, isFullWidth, rightLimit } from './margins.ts';
import { wrapLine } from './scrolling.ts';

// Characters that share a cell with the one before them. What that is, is read from the cell before
// the cursor and nowhere else, so that chunks make no difference.

/**
 * Adds a character to the cell before the cursor, where it belongs to that: one without a width
 * always does, in mode 2027 whatever a grapheme cluster goes on with. False when it is to be printed
 * in a cell of its own. One without a width is lost where there is no cell before it.
 */
export function joinPrevious(t: TerminalState, codePoint: number): boolean {
  const hasWidth = charWidth(codePoint) > 0;
  const col = previousCol(t);
  if (col < 0) return !hasWidth;
  const code = t.grid.codes[t.grid.start(t.cursor.row) + col];
  if (code === spacerHead || (hasWidth && code === emptyCell)) return !hasWidth;
  const cluster = codePointsOf(t, code);
  if (hasWidth && !joins(cluster, codePoint)) return false;
  if (cluster.length === maxClusterLength) return true;
  const before = (code & wideFlag) !== 0 ? 2 : 1;
  const width = t.modes.graphemeClusters ? widthWith(cluster, before, codePoint) : before;
  const content = code === emptyCell ? space : code & (codeMask | clusterFlag);
  const index = t.clusters.extend(content, codePoint);
  if (width === before) {
    extend(t.grid, t.cursor.row, col, clusterFlag | index | (code & wideFlag));
  } else if (width === 2) widen(t, col, clusterFlag | index | wideFlag);
  else narrow(t, col, clusterFlag | index);
  return true;
}

const space = 0x20;
/** Valid until the next call. */
const single = [0];

/** The code points in a cell; an empty one is a space. */
function codePointsOf(t: TerminalState, code: number): readonly number[] {
  if ((code & clusterFlag) !== 0) return t.clusters.codePoints(code & codeMask);
  single[0] = code === emptyCell ? space : code & codeMask;
  return single;
}

/** Column of the first cell of what stands before the cursor; -1 at the start of a row. */
function previousCol(t: TerminalState): number {
  const { cursor, grid } = t;
  const col = cursor.wrapPending ? cursor.col : cursor.col - 1;
  return col > 0 && grid.codes[grid.start(cursor.row) + col] === spacerTail ? col - 1 : col;
}

/** A cell becomes two. In the last column the character goes to the next row, or is left as it is. */
function widen(t: TerminalState, col: number, code: number): void {
  const { cursor, grid } = t;
  const style = grid.styles[grid.start(cursor.row) + col];
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

/** Two cells become one; the other is empty. */
function narrow(t: TerminalState, col: number, code: number): void {
  const { cursor, grid } = t;
  const style = grid.styles[grid.start(cursor.row) + col];
  put(grid, cursor.row, col, code, style);
  if (t.cols === 1) return;
  grid.erase(cursor.row, col + 1, col + 2, defaultStyle);
  cursor.col = col + 1;
  cursor.wrapPending = false;
}

/** The cursor goes behind a character that has been printed. */
function moveCursorPast(t: TerminalState, col: number): void {
  const limit = rightLimit(t);
  t.cursor.wrapPending = col > limit;
  t.cursor.col = Math.min(col, limit);
}
