import type { Shown } from './shown.ts';

/**
 * A number that is another one when the screen looks different: cells, cursor, and how far the
 * primary screen has scrolled. 32 bits; two different screens share one about once in 4 thousand
 * million cases.
 */
export function fingerprint(t: Shown): number {
  const { grid, cursor, modes } = t;
  let hash = Math.imul(t.scrollback.pushedRows, 0x9e3779b1) ^ (cursor.row << 16) ^ cursor.col;
  hash ^= modes.cursorVisible ? 1 : 0;
  for (let row = 0; row < t.rows; row++) {
    const start = grid.start(row);
    const end = start + grid.usedCols(row);
    // So that a row differs from the same row one further down.
    hash = Math.imul(hash ^ row, 0x85ebca6b);
    for (let at = start; at < end; at++) {
      hash = Math.imul(hash ^ grid.codes[at], 0x01000193);
      hash = Math.imul(hash ^ grid.styles[at], 0x01000193) ^ (hash >>> 15);
    }
  }
  return hash;
}
