import { wideFlag } from '../cells/cell.ts';

/**
 * Cuts a line into rows as printing it would: a row is full, or one cell short where a wide
 * character did not fit. On a screen of one column a wide character has a row of its own, its two
 * cells clipped to one. Calls `visit` with where each row begins and ends; an empty line is one row.
 *
 * @param from first cell of the line, @param to one past its last
 */
export function cutIntoRows(
  codes: Int32Array,
  from: number,
  to: number,
  cols: number,
  visit: (start: number, end: number) => void,
): void {
  let start = from;
  do {
    let end = Math.min(start + cols, to);
    if (end < to && (codes[end - 1] & wideFlag) !== 0) end += cols === 1 ? 1 : -1;
    visit(start, end);
    start = end;
  } while (start < to);
}
