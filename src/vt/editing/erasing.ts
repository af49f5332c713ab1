import type { ScreenPlace } from '#model';
import { emptyCell } from '../cells/cell.ts';
import { deleteCells, insertCells, type Rectangle } from '../grid/cell-moves.ts';
import type { Grid } from '../grid/grid.ts';
import { spendRows, type TerminalState } from '../state/terminal-state.ts';
import { protectedCell } from '../style/attributes.ts';
import { attributesBits, defaultStyle } from '../style/style-word.ts';
import { isBetweenSides, resetMargins } from './movement.ts';
import { endScrollbackLine, keepScreen } from './scrolling.ts';

// Erases cells. Erased cells keep the background of the pen and nothing else of it (BCE).

/** ED 0 */
export function eraseBelow(t: TerminalState, isSelective = false): void {
  if (t.cursor.row === 0 && t.cursor.col === 0) beginClear(t, isSelective);
  eraseRight(t, isSelective);
  const next = t.cursor.row + 1;
  if (sparesProtected(t, isSelective)) eraseRowsUnprotected(t, next, t.rows);
  else t.grid.eraseRows(next, t.rows, t.eraseStyle);
}

/**
 * Erases the cells of the primary screen from a place on, in the default style, whatever the pen, the margins and
 * protected cells are. The cursor stays.
 */
export function eraseFrom(t: TerminalState, { row, col }: ScreenPlace): void {
  const { primary } = t;
  const isWhole = col === 0;
  if (isWhole && row === 0) endScrollbackLine(t);
  if (isWhole && row > 0) primary.unwrap(row - 1);
  if (!isWhole) primary.erase(row, col, t.cols, defaultStyle);
  primary.eraseRows(isWhole ? row : row + 1, t.rows, defaultStyle);
}

/** ED 1 */
export function eraseAbove(t: TerminalState, isSelective = false): void {
  eraseRows(t, 0, t.cursor.row, isSelective);
  eraseLeft(t, isSelective);
}

/** ED 2 */
export function eraseScreen(t: TerminalState, isSelective = false): void {
  beginClear(t, isSelective);
  t.cursor.wrapPending = false;
  eraseRows(t, 0, t.rows, isSelective);
}

/** Must be called before the whole screen is erased. */
export function beginClear(t: TerminalState, isSelective = false): void {
  if (t.onAlternate) {
    t.onRowsLeaving?.(0, t.rows - 1, t.rows);
    return;
  }
  const { open, nextLine } = t.scrollback;
  const sparesCells = sparesProtected(t, isSelective);
  const line = sparesCells ? Number.POSITIVE_INFINITY : nextLine + (open ? 1 : 0);
  t.rewrites.noteCleared(t.revision, nextLine, line);
  if (t.keepsErased) keepScreen(t);
}

/** ED 3 */
export function eraseScrollback(t: TerminalState): void {
  if (!t.keepsErased) t.scrollback.clear(0);
}

/** EL 0 */
export function eraseRight(t: TerminalState, isSelective = false): void {
  if (t.cursor.col === 0) eraseRow(t, isSelective);
  else eraseCells(t, t.cursor.col, t.cols, isSelective);
}

/** EL 1 */
export function eraseLeft(t: TerminalState, isSelective = false): void {
  if (t.cursor.col === t.cols - 1) eraseRow(t, isSelective);
  else eraseCells(t, 0, t.cursor.col + 1, isSelective);
}

/** EL 2 */
export function eraseRow(t: TerminalState, isSelective = false): void {
  t.cursor.wrapPending = false;
  eraseRows(t, t.cursor.row, t.cursor.row + 1, isSelective);
}

/** ECH */
export function eraseCharacters(t: TerminalState, count: number): void {
  eraseCells(t, t.cursor.col, Math.min(t.cursor.col + count, t.cols), false);
}

/** ICH: no effect outside the side margins. */
export function insertCharacters(t: TerminalState, count: number): void {
  t.cursor.wrapPending = false;
  if (!isBetweenSides(t)) return;
  insertCells(t.grid, t.cursor.row, t.cursor.col, count, t.eraseStyle, t.marginRight + 1);
}

/** DCH: no effect outside the side margins. */
export function deleteCharacters(t: TerminalState, count: number): void {
  t.cursor.wrapPending = false;
  if (!isBetweenSides(t)) return;
  deleteCells(t.grid, t.cursor.row, t.cursor.col, count, t.eraseStyle, t.marginRight + 1);
}

/** DECALN: fills the screen with E, resets the margins and moves the cursor home. */
export function alignmentPattern(t: TerminalState): void {
  endScrollbackLine(t);
  resetMargins(t);
  t.cursor.row = 0;
  t.cursor.col = 0;
  t.cursor.wrapPending = false;
  t.grid.fill(0x45);
}

/** Erases whole rows. A line that wrapped into the first of them ends before it. */
function eraseRows(t: TerminalState, from: number, to: number, isSelective: boolean): void {
  if (from === to) return;
  if (sparesProtected(t, isSelective)) {
    eraseRowsUnprotected(t, from, to);
    return;
  }
  if (from === 0) endScrollbackLine(t);
  else t.grid.unwrap(from - 1);
  t.grid.eraseRows(from, to, t.eraseStyle);
}

function eraseRowsUnprotected(t: TerminalState, from: number, to: number): void {
  eraseUnprotected(t, { top: from, bottom: to - 1, left: 0, right: t.cols - 1 });
}

function eraseCells(t: TerminalState, from: number, to: number, isSelective: boolean): void {
  t.cursor.wrapPending = false;
  const { row } = t.cursor;
  if (sparesProtected(t, isSelective)) {
    eraseUnprotected(t, { top: row, bottom: row, left: from, right: to - 1 });
  } else t.grid.erase(row, from, to, t.eraseStyle);
}

// Cells can be protected from erasing in two ways, which share one bit of the cell: DECSCA protects
// from selective erasing only, SPA of ECMA-48 also from erasing. The one used last applies, as in
// xterm.

// Under the test runner, each access to an import is a lookup, which is slow in loops over cells.
const empty = emptyCell;

/** DECSCA */
export function selectProtection(t: TerminalState, on: boolean): void {
  t.modes.protection = 'dec';
  protect(t, on);
}

/** SPA */
export function startProtectedArea(t: TerminalState): void {
  t.modes.protection = 'iso';
  protect(t, true);
}

/** EPA */
export function endProtectedArea(t: TerminalState): void {
  protect(t, false);
}

function protect({ pen }: TerminalState, on: boolean): void {
  pen.attributes = on ? pen.attributes | protectedCell : pen.attributes & ~protectedCell;
}

/** Whether DECSCA protects the next characters. */
export function isProtecting({ modes, pen }: TerminalState): boolean {
  return modes.protection === 'dec' && (pen.attributes & protectedCell) !== 0;
}

/** Whether erasing must skip protected cells. */
function sparesProtected({ modes }: TerminalState, isSelective: boolean): boolean {
  return modes.protection === 'iso' || (isSelective && modes.protection === 'dec');
}

export function isProtected({ styles }: TerminalState, style: number): boolean {
  return (styles.attributes(style) & protectedCell) !== 0;
}

/** The bits of a style word that mean protected. */
export const protectedBits = attributesBits(protectedCell);

/** By entry of the style table: 1 if it is protected. Used by loops over many cells. */
export function protectedEntries({ styles }: TerminalState): Uint8Array {
  const marks = new Uint8Array(styles.size);
  for (let index = 0; index < marks.length; index++) {
    if ((styles.attributes(~index) & protectedCell) !== 0) marks[index] = 1;
  }
  return marks;
}

/** Erases the cells of a rectangle that are not protected. */
function eraseUnprotected(t: TerminalState, area: Rectangle): void {
  const { grid, eraseStyle } = t;
  const marks = protectedEntries(t);
  const { left, right } = area;
  spendRows(t, area.bottom + 1 - area.top, right + 1 - left);
  for (let row = area.top; row <= area.bottom; row++) {
    // A row in the default style has no protected cells.
    if (grid.metadata(row).isPlain) grid.erase(row, left, right + 1, eraseStyle);
    else eraseUnmarked(grid, row, left, right + 1, eraseStyle, marks);
  }
}

function eraseUnmarked(
  grid: Grid,
  row: number,
  from: number,
  to: number,
  style: number,
  marks: Uint8Array,
): void {
  if (from >= to) return;
  const start = grid.start(row) + from;
  const { codes, styles } = grid;
  const end = start + to - from;
  grid.beginErase(row, from, to, !isMarked(styles[start]), !isMarked(styles[end - 1]));
  for (let at = start; at < end; at++) {
    if (isMarked(styles[at])) continue;
    codes[at] = empty;
    styles[at] = style;
  }

  function isMarked(word: number): boolean {
    return word < 0 ? marks[~word] === 1 : (word & protectedBits) !== 0;
  }
}
