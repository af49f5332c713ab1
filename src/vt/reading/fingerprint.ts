import type { Grid } from '../grid/grid.ts';
import type { Shown } from '../state/visible-state.ts';

/**
 * A number that is another one when the screen looks different: cells, cursor, and how far the
 * primary screen has scrolled. 32 bits; two different screens share one about once in 4 thousand
 * million cases.
 */
export function fingerprint(t: Shown): number {
  const { grid, cursor, modes } = t;
  let hash = Math.imul(t.scrollback.pushedRows, 0x9e3779b1) ^ (cursor.row << 16) ^ cursor.col;
  hash ^= modes.cursorVisible ? 1 : 0;
  // So that a row differs from the same row one further down.
  for (let row = 0; row < t.rows; row++)
    hash = hashRow(grid, row, Math.imul(hash ^ row, 0x85ebca6b));
  return hash;
}

/** A number for each row that is another one when its cells look different. */
export function rowFingerprints({ grid, rows }: Shown): Int32Array {
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
