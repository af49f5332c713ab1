import { clusterFlag, codeMask, emptyCell, padCell, tailCell } from './cell.ts';
import type { ClusterTable } from './cluster-table.ts';

const space = 0x20;
/** Strings are made of as many UTF-16 code units at a time. */
const unitsAtOnce = 1024;
const units = new Uint16Array(unitsAtOnce + 1);

/** The text of one cell; empty for the second half of a wide character. */
export function cellText(code: number, clusters: ClusterTable): string {
  if (code === emptyCell || code === padCell) return ' ';
  if (code === tailCell) return '';
  if ((code & clusterFlag) !== 0) return clusters.text(code & codeMask);
  return String.fromCodePoint(code & codeMask);
}

/** The text of the cells `start` up to and without `end`; empty cells are spaces. */
export function cellsText(
  codes: Int32Array,
  start: number,
  end: number,
  clusters: ClusterTable,
): string {
  let text = '';
  let count = 0;
  for (let at = start; at < end; at++) {
    const code = codes[at];
    if (code < 0x80) units[count++] = code || space;
    else if (code === tailCell) continue;
    else {
      text += takeUnits(count) + cellText(code, clusters);
      count = 0;
    }
    if (count === unitsAtOnce) {
      text += takeUnits(count);
      count = 0;
    }
  }
  return text + takeUnits(count);
}

function takeUnits(count: number): string {
  return count === 0 ? '' : String.fromCharCode.apply(null, units.subarray(0, count) as never);
}

/** Where the text ends without the empty cells, and with `spaces` the spaces, at its end. */
export function trimmedEnd(codes: Int32Array, start: number, end: number, spaces: boolean): number {
  let used = end;
  while (used > start) {
    const code = codes[used - 1];
    if (code !== emptyCell && code !== padCell && !(spaces && code === space)) break;
    used--;
  }
  return used;
}
