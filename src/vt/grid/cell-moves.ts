import { wideFlag } from '../cells/cell.ts';
import { defaultStyle } from '../style/style-word.ts';
import type { Grid } from './grid.ts';
import { mayHaveWide, type RowMetadata } from './row-metadata.ts';

// Moves cells within a row and between the rows of a rectangle.

const space = 0x20;

/** Inserts `count` empty cells at `col`. Cells moved past `endCol` are lost. */
export function insertCells(
  grid: Grid,
  row: number,
  col: number,
  count: number,
  style: number,
  endCol: number,
): void {
  const meta = grid.beginEdit(row, col, endCol);
  const gap = Math.min(count, endCol - col);
  const used = meta.extent;
  shift(grid, meta, col, col + gap, Math.min(used, endCol - gap) - col);
  if (used > col && used < endCol) meta.extent = Math.min(used + gap, endCol);
  grid.clearCells(meta, col, col + gap, style);
  const last = meta.start + endCol - 1;
  if ((grid.codes[last] & wideFlag) !== 0) grid.codes[last] = space;
}

/** Deletes `count` cells at `col` and inserts empty ones before `endCol`. */
export function deleteCells(
  grid: Grid,
  row: number,
  col: number,
  count: number,
  style: number,
  endCol: number,
): void {
  const meta = grid.beginEdit(row, col, endCol);
  const gap = Math.min(count, endCol - col);
  const used = Math.min(meta.extent, endCol);
  if (col + gap < endCol) grid.splitWide(meta.start + col + gap);
  shift(grid, meta, col + gap, col, used - col - gap);
  // The cells that were moved away become empty in the default style; the inserted ones get
  // `style`.
  if (used > col) grid.clearCells(meta, Math.max(col, used - gap), used, defaultStyle);
  grid.clearCells(meta, endCol - gap, endCol, style);
}

/** Moves cells within a row; does nothing if `count` is not positive. */
function shift(grid: Grid, meta: RowMetadata, from: number, to: number, count: number): void {
  if (count <= 0) return;
  const { start } = meta;
  grid.codes.copyWithin(start + to, start + from, start + from + count);
  if (meta.isPlain) return;
  grid.styles.copyWithin(start + to, start + from, start + from + count);
}

/** Like {@link Grid.scrollUp}, for the columns of a rectangle. */
export function scrollUpBetween(grid: Grid, region: Rectangle, count: number, style: number): void {
  const { top, bottom, left, right } = region;
  beginRegionEdit(grid, region);
  const rest = Math.max(0, bottom + 1 - top - count);
  for (let row = top; row < top + rest; row++) moveCells(grid, row + count, row, left, right);
  for (let row = top + rest; row <= bottom; row++) grid.erase(row, left, right + 1, style);
}

/** Like {@link Grid.scrollDown}, for the columns of a rectangle. */
export function scrollDownBetween(
  grid: Grid,
  region: Rectangle,
  count: number,
  style: number,
): void {
  const { top, bottom, left, right } = region;
  beginRegionEdit(grid, region);
  const rest = Math.max(0, bottom + 1 - top - count);
  for (let row = bottom; row > bottom - rest; row--) moveCells(grid, row - count, row, left, right);
  for (let row = bottom - rest; row >= top; row--) grid.erase(row, left, right + 1, style);
}

function beginRegionEdit(grid: Grid, { top, bottom, left, right }: Rectangle): void {
  if (top > 0) grid.unwrap(top - 1);
  for (let row = top; row <= bottom; row++) grid.beginEdit(row, left, right + 1);
}

/**
 * Copies the columns `left`..`right` of another row. Both rows must have been prepared by
 * beginEdit.
 */
function moveCells(grid: Grid, from: number, to: number, left: number, right: number): void {
  const { codes, styles } = grid;
  const source = grid.metadata(from);
  const target = grid.metadata(to);
  const isPlain = source.isPlain && target.isPlain;
  const end = Math.max(left, Math.min(right + 1, source.extent));
  codes.copyWithin(target.start + left, source.start + left, source.start + end);
  if (!isPlain) styles.copyWithin(target.start + left, source.start + left, source.start + end);
  target.isPlain = isPlain;
  target.flags |= source.flags & mayHaveWide;
  if (end > target.extent && end > left) target.extent = end;
  grid.clearCells(target, end, right + 1, defaultStyle);
  if (source.printedAt < grid.printedSince) return;
  const printedFrom = Math.max(left, source.printedFrom);
  const printedTo = Math.min(right + 1, source.printedTo);
  if (printedFrom < printedTo) {
    target.notePrinted(printedFrom, printedTo, grid.revision, grid.printedSince);
  }
}

/** A part of the screen: 0-based rows and columns, the last ones included. */
export interface Rectangle {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}
