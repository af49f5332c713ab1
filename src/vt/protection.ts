import { protectedCell } from './attributes.ts';
import type { TerminalState } from './terminal-state.ts';

// Cells can be protected from being erased, in two ways that share one mark on the cell: DECSCA
// protects from selective erasing only, SPA of ECMA-48 from erasing too. Which of the two counts is
// what was used last, as in xterm.

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

/** Whether DECSCA protects the characters to come. */
export function isProtecting({ modes, pen }: TerminalState): boolean {
  return modes.protection === 'dec' && (pen.attributes & protectedCell) !== 0;
}

/** Whether erasing has to look which cells are protected. */
export function sparesProtected({ modes }: TerminalState, isSelective: boolean): boolean {
  return modes.protection === 'iso' || (isSelective && modes.protection === 'dec');
}

export function isProtected({ styles }: TerminalState, style: number): boolean {
  return (styles.attributes(style) & protectedCell) !== 0;
}

/** Empties the cells `from` up to and without `to` that are not protected. */
export function eraseUnprotected(t: TerminalState, row: number, from: number, to: number): void {
  const { grid, eraseStyle } = t;
  const start = grid.start(row);
  let begin = from;
  for (let col = from; col < to; col++) {
    if (!isProtected(t, grid.styles[start + col])) continue;
    grid.erase(row, begin, col, eraseStyle);
    begin = col + 1;
  }
  grid.erase(row, begin, to, eraseStyle);
}
