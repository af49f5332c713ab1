import { VtrError } from '../errors.ts';

/** Columns and rows of a screen, each a whole number in 1..{@link maxSide}. */
export interface Size {
  readonly cols: number;
  readonly rows: number;
}

/** The size of a cell in pixels. */
export interface CellPixels {
  readonly width: number;
  readonly height: number;
}

/** What programs are told if no other size is set. */
export const defaultCellPixels: CellPixels = { width: 10, height: 20 };

export const maxSide = 1000;
export const defaultSize: Size = { cols: 80, rows: 24 };

const fits = (side: unknown): boolean =>
  Number.isInteger(side) && (side as number) >= 1 && (side as number) <= maxSide;

export function isSize(size: Size): boolean {
  return fits(size.cols) && fits(size.rows);
}

/** @throws VtrError INVALID_SIZE if a side is not a whole number in 1..1000 */
export function checkSize(size: Size): Size {
  for (const side of ['cols', 'rows'] as const) {
    if (fits(size[side])) continue;
    throw new VtrError(
      'INVALID_SIZE',
      `${side} is ${String(size[side])}; it must be a whole number from 1 to ${maxSide}`,
      { details: { side, value: String(size[side]) } },
    );
  }
  return size;
}
