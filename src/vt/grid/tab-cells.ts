import { firstCharacter, tabAlone, tabEnd, tabMiddle, tabStart } from '../cells/cell.ts';
import type { Grid } from './grid.ts';

/**
 * Marks the cells from `from` up to but excluding `to` as those that a tab moved over, unless one of
 * them contains a character. There must be at least one.
 */
export function markTab(grid: Grid, row: number, from: number, to: number): void {
  const meta = grid.metadata(row);
  if (!meta.isFilled) grid.applyFill(meta);
  const { codes } = grid;
  const first = meta.start + from;
  const last = meta.start + to - 1;
  // From the extent on, all cells are empty.
  const used = Math.min(meta.start + meta.extent, last + 1);
  for (let at = first; at < used; at++) if (codes[at] >= firstCharacter) return;
  if (to > meta.extent) meta.extent = to;
  if (first === last) codes[first] = tabAlone;
  else {
    codes[first] = tabStart;
    for (let at = first + 1; at < last; at++) codes[at] = tabMiddle;
    codes[last] = tabEnd;
  }
}

/** Sets cells that look empty to one of the codes of a tab, to restore a dump. */
export function restoreTab(grid: Grid, row: number, from: number, to: number, code: number): void {
  const start = grid.start(row);
  for (let at = start + from; at < start + to; at++) {
    if (grid.codes[at] < firstCharacter) grid.codes[at] = code;
  }
  const meta = grid.metadata(row);
  if (to > meta.extent) meta.extent = to;
}
