import { emptyCell, spacerHead, spacerTail, wideFlag } from '../cells/cell.ts';
import type { Rectangle } from '../grid/cell-moves.ts';
import { putSame } from '../grid/cell-writing.ts';
import type { Grid } from '../grid/grid.ts';
import type { Params } from '../parser/params.ts';
import { spendRows, type TerminalState } from '../state/terminal-state.ts';
import type { ChangedStyles } from '../style/style-table.ts';
import { attributesShift, colorsMask, defaultStyle } from '../style/style-word.ts';
import { protectedBits, protectedEntries } from './erasing.ts';
import { endScrollbackLine } from './scrolling.ts';

// The rectangular area operations of the VT420. They affect neither the cursor nor the scrollback.

const space = 0x20;
// Under the test runner, each access to an import is a lookup, which is slow in loops over cells.
const empty = emptyCell;
const plainStyle = defaultStyle;
const mark = protectedBits;
const shift = attributesShift;
const colors = colorsMask;

/**
 * The area that addresses can reach: the screen, or the area between the margins in origin mode.
 */
export function addressable(t: TerminalState): Rectangle {
  if (!t.modes.origin) return { top: 0, left: 0, bottom: t.rows - 1, right: t.cols - 1 };
  const { marginTop, marginLeft, marginBottom, marginRight } = t;
  return { top: marginTop, left: marginLeft, bottom: marginBottom, right: marginRight };
}

/**
 * Reads top, left, bottom and right from parameter `at` on. Positions outside the area are clamped,
 * and omitted ones are its edges. Returns null if the last row or column is before the first. Counts the
 * work on it.
 */
export function readRectangle(t: TerminalState, params: Params, at: number): Rectangle | null {
  const area = addressable(t);
  const row = (value: number) => Math.min(area.top + value - 1, area.bottom);
  const col = (value: number) => Math.min(area.left + value - 1, area.right);
  const top = row(params.count(at));
  const left = col(params.count(at + 1));
  const bottom = row(params.get(at + 2) || t.rows);
  const right = col(params.get(at + 3) || t.cols);
  if (top > bottom || left > right) return null;
  spendRows(t, bottom + 1 - top, right + 1 - left);
  return { top, left, bottom, right };
}

/** DECFRA: fills with one character of width 1, in the style of the pen. */
export function fillRectangle(t: TerminalState, area: Rectangle, codePoint: number): void {
  const style = t.pen.style(t.styles);
  const count = area.right + 1 - area.left;
  breakLines(t, area);
  for (let row = area.top; row <= area.bottom; row++) {
    putSame(t.grid, row, area.left, codePoint, count, style);
  }
}

/** DECERA: erases protected cells, too. */
export function eraseRectangle(t: TerminalState, area: Rectangle): void {
  breakLines(t, area);
  for (let row = area.top; row <= area.bottom; row++) {
    t.grid.erase(row, area.left, area.right + 1, t.eraseStyle);
  }
}

/** DECSERA: replaces characters by spaces in their style, except those that DECSCA protects. */
export function eraseRectangleSelectively(t: TerminalState, area: Rectangle): void {
  const { grid } = t;
  const marks = t.modes.protection === 'dec' ? protectedEntries(t) : null;
  for (let row = area.top; row <= area.bottom; row++) {
    const start = grid.beginStyledEdit(row, area.left, area.right + 1);
    const { codes, styles } = grid;
    const end = start + area.right + 1 - area.left;
    for (let at = start; at < end; at++) {
      const style = styles[at];
      if (marks !== null && (style < 0 ? marks[~style] === 1 : (style & mark) !== 0)) continue;
      codes[at] = style === plainStyle ? empty : space;
    }
  }
}

/** DECCRA: copies as much as fits below and right of the target. */
export function copyRectangle(t: TerminalState, area: Rectangle, top: number, left: number): void {
  const limits = addressable(t);
  const rows = Math.min(area.bottom + 1 - area.top, limits.bottom + 1 - top);
  const cols = Math.min(area.right + 1 - area.left, limits.right + 1 - left);
  if (rows <= 0 || cols <= 0) return;
  breakLines(t, { top, left, bottom: top + rows - 1, right: left + cols - 1 });
  // If source and target overlap, rows are read before they are overwritten.
  const isDownwards = top > area.top;
  for (let index = 0; index < rows; index++) {
    const offset = isDownwards ? rows - 1 - index : index;
    copyRow(t, area.top + offset, area.left, top + offset, left, cols);
  }
}

function copyRow(
  t: TerminalState,
  fromRow: number,
  fromCol: number,
  row: number,
  col: number,
  count: number,
): void {
  const { grid } = t;
  const mayHavePads = grid.wraps(fromRow);
  const start = grid.start(fromRow) + fromCol;
  const into = grid.beginStyledEdit(row, col, col + count);
  const { codes, styles } = grid;
  codes.copyWithin(into, start, start + count);
  styles.copyWithin(into, start, start + count);
  const last = into + count - 1;
  // Half of a copied wide character becomes a space.
  if (codes[into] === spacerTail) codes[into] = space;
  if ((codes[last] & wideFlag) !== 0) codes[last] = space;
  if (!mayHavePads) return;
  for (let at = last; at >= into && codes[at] === spacerHead; at--) codes[at] = empty;
}

/**
 * DECCARA and DECRARA: changes the attributes of cells.
 *
 * @param name identifies `change`
 */
export function changeAttributes(
  t: TerminalState,
  area: Rectangle,
  name: string,
  change: (attributes: number) => number,
): void {
  const limits = addressable(t);
  const isBlock = t.modes.rectangularExtent;
  const changed = t.styleChanges.of(name, change);
  for (let row = area.top; row <= area.bottom; row++) {
    // Unless DECSACE selected rectangles, the area is the text between the two corners.
    const left = isBlock || row === area.top ? area.left : limits.left;
    const right = isBlock || row === area.bottom ? area.right : limits.right;
    if (left <= right) changeRow(t.grid, row, left, right + 1, changed);
  }
}

function changeRow(grid: Grid, row: number, from: number, to: number, changed: ChangedStyles) {
  const { bits, entries } = changed;
  let at = grid.beginStyledEdit(row, from, to);
  const { codes, styles } = grid;
  const end = at + to - from;
  // Four at a time takes half the time of a simple loop.
  for (; at + 4 <= end; at += 4) {
    const a = styles[at];
    const b = styles[at + 1];
    const c = styles[at + 2];
    const d = styles[at + 3];
    // The results for style words and for entries.
    const nextA = a < 0 ? entries[~a] : (a & colors) | bits[a >> shift];
    const nextB = b < 0 ? entries[~b] : (b & colors) | bits[b >> shift];
    const nextC = c < 0 ? entries[~c] : (c & colors) | bits[c >> shift];
    const nextD = d < 0 ? entries[~d] : (d & colors) | bits[d >> shift];
    if ((nextA | nextB | nextC | nextD) < 0) changeCells(at, at + 4);
    else {
      const changedA = nextA ^ (a >> 31);
      const changedB = nextB ^ (b >> 31);
      const changedC = nextC ^ (c >> 31);
      const changedD = nextD ^ (d >> 31);
      // An empty cell has no attributes, so it becomes a space.
      if (codes[at] < space && changedA !== a) codes[at] = space;
      if (codes[at + 1] < space && changedB !== b) codes[at + 1] = space;
      if (codes[at + 2] < space && changedC !== c) codes[at + 2] = space;
      if (codes[at + 3] < space && changedD !== d) codes[at + 3] = space;
      styles[at] = changedA;
      styles[at + 1] = changedB;
      styles[at + 2] = changedC;
      styles[at + 3] = changedD;
    }
  }
  changeCells(at, end);

  function changeCells(first: number, last: number): void {
    for (let cell = first; cell < last; cell++) {
      const style = styles[cell];
      const next = changed.of(style);
      if (codes[cell] < space && next !== style) codes[cell] = space;
      styles[cell] = next;
    }
  }
}

/** If whole rows change, a line that wrapped into them ends before them. */
function breakLines(t: TerminalState, { top, left, right }: Rectangle): void {
  if (left > 0 || right < t.cols - 1) return;
  if (top === 0) endScrollbackLine(t);
  else t.grid.unwrap(top - 1);
}
