import { type CellBuffer, spacerHead, spacerTail, wideFlag } from '../cells/cell.ts';
import type { Grid } from './grid.ts';

/**
 * Cuts a line into rows as printing does. A row is full, or one cell short where a wide character
 * did not fit. On a screen of one column, a wide character has a row of its own and its two cells
 * are clipped to one. Calls `visit` with the start and end of each row; an empty line is one row.
 *
 * @param from first cell of the line
 * @param to one past its last cell
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

/**
 * A row that is not in a grid: the cells from `start` up to but excluding `end`, and whether its
 * line continues in the next row.
 */
export interface CutRow {
  readonly cells: CellBuffer;
  readonly start: number;
  readonly end: number;
  readonly wraps: boolean;
}

/**
 * Appends the cells of a row that belong to its line. A clipped wide character gets both its cells.
 */
export function appendRow(grid: Grid, row: number, into: CellBuffer): void {
  const start = grid.start(row);
  const end = start + rowLength(grid, row);
  into.append(grid.codes, grid.styles, start, end);
  if (isClipped(grid, row)) into.push(spacerTail, grid.styles[start]);
}

/** Number of cells that {@link appendRow} appends. */
export function lineLength(grid: Grid, row: number): number {
  return rowLength(grid, row) + (isClipped(grid, row) ? 1 : 0);
}

/** Whether the row has one column and contains a wide character, which is clipped. */
export function isClipped(grid: Grid, row: number): boolean {
  return grid.cols === 1 && (grid.codeAt(row, 0) & wideFlag) !== 0;
}

/**
 * Number of cells of a row that belong to its line: without head spacers if it wraps, otherwise the
 * cells in use.
 */
export function rowLength(grid: Grid, row: number): number {
  const meta = grid.metadata(row);
  if (!meta.wraps) return grid.usedCols(row);
  if (meta.ready !== null) return meta.ready.cells;
  const start = grid.start(row);
  let length = grid.cols;
  while (grid.codes[start + length - 1] === spacerHead) length--;
  return length;
}
