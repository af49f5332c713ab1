import { emptyCell } from '../cells/cell.ts';
import type { Grid } from '../grid/grid.ts';
import type { Rectangle } from '../grid/rectangle.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import { spendRows } from '../state/work.ts';
import { protectedCell } from '../style/attributes.ts';
import { attributesBits } from '../style/style-word.ts';

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
export function sparesProtected({ modes }: TerminalState, isSelective: boolean): boolean {
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
export function eraseUnprotected(t: TerminalState, area: Rectangle): void {
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
