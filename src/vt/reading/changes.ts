import type { Grid } from '../grid/grid.ts';
import { screenLines } from '../state/screen-lines.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import type { VisibleState } from '../state/visible-state.ts';

/** To be called after each feed: keeps what `Rewrites` tells. */
export function noteRewrites(t: TerminalState): void {
  const { grid, rewrites, printedOffScreen } = t;
  if (t.onAlternate) return;
  const first = printedOffScreen.count > 0 ? printedOffScreen.line(0) : firstPrintedLine(t);
  rewrites.note(t.revision, first, lineOfRow(grid, t.topLine, t.cursor.row));
}

/** The topmost line on the primary screen that was just printed on; Infinity for none. */
function firstPrintedLine({ primary, topLine }: TerminalState): number {
  let row = 0;
  while (row < primary.rows && primary.printedFrom(row) < 0) row++;
  return row === primary.rows ? Number.POSITIVE_INFINITY : lineOfRow(primary, topLine, row);
}

function lineOfRow(grid: Grid, topLine: number, row: number): number {
  let line = topLine;
  for (let above = 0; above < row; above++) if (!grid.wraps(above)) line++;
  return line;
}

/** Whether anything was printed after a revision on a line of the primary screen, as far as is known. */
export function printedAfter(t: VisibleState, line: number, since: number): boolean {
  const found = screenLines(t).find((each) => each.line === line);
  if (found === undefined) return false;
  for (let row = found.firstRow; row <= found.lastRow; row++) {
    if (isPrintedAfter(t.primary, row, since)) return true;
  }
  return false;
}

/** Of rows that a resize cut anew it is not known when; they count, as those above the screen do. */
function isPrintedAfter(grid: Grid, row: number, since: number): boolean {
  const at = grid.printedAt(row);
  return at > since || (at < 0 && grid.usedCols(row) > 0);
}

/**
 * A number that is another one when the screen looks different: cells, cursor, and how far the
 * primary screen has scrolled. 32 bits; two different screens share one about once in 4 thousand
 * million cases.
 */
export function fingerprint(t: VisibleState): number {
  const { grid, cursor, modes } = t;
  let hash = Math.imul(t.scrollback.pushedRows, 0x9e3779b1) ^ (cursor.row << 16) ^ cursor.col;
  hash ^= modes.cursorVisible ? 1 : 0;
  // So that a row differs from the same row one further down.
  for (let row = 0; row < t.rows; row++)
    hash = hashRow(grid, row, Math.imul(hash ^ row, 0x85ebca6b));
  return hash;
}

/** A number for each row that is another one when its cells look different. */
export function rowFingerprints({ grid, rows }: VisibleState): Int32Array {
  return Int32Array.from({ length: rows }, (_, row) => hashRow(grid, row, 0));
}

function hashRow(grid: Grid, row: number, seed: number): number {
  const start = grid.start(row);
  const end = start + grid.usedCols(row);
  let hash = seed;
  for (let at = start; at < end; at++) {
    hash = Math.imul(hash ^ grid.codes[at], 0x01000193);
    hash = Math.imul(hash ^ grid.styles[at], 0x01000193) ^ (hash >>> 15);
  }
  return hash;
}

/** Rows of the shown screen that changed after a revision. */
export function changedRows(t: VisibleState, since: number): number[] {
  const rows: number[] = [];
  if (t.grid.revision <= since) return rows;
  for (let row = 0; row < t.rows; row++) if (t.grid.changedAt(row) > since) rows.push(row);
  return rows;
}
