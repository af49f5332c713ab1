import { wideFlag } from './cell.ts';

/**
 * Cuts a line into rows as printing it would: a row is full, or one cell short where a wide
 * character did not fit. Calls `visit` with where each row begins and ends; an empty line is one row.
 */
export function cutIntoRows(
  codes: Int32Array,
  length: number,
  cols: number,
  visit: (start: number, end: number) => void,
): void {
  let start = 0;
  do {
    let end = Math.min(start + cols, length);
    if (end < length && cols > 1 && (codes[end - 1] & wideFlag) !== 0) end--;
    visit(start, end);
    start = end;
  } while (start < length);
}
