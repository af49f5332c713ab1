import { CodePointTable } from './code-point-table.ts';
import { wideRanges, zeroWidthRanges } from './width-table.gen.ts';

// Built when the first character that is not ASCII is printed.
let table: CodePointTable | null = null;
let widths: Uint8Array | null = null;

/**
 * Returns the width of a character in cells: 0 for a character that combines with the one before
 * it, 2 for a wide one, otherwise 1 (UAX #11; see scripts/generate-width-table.mjs).
 *
 * @param codePoint 0..0x10FFFF, not a control character
 */
export function charWidth(codePoint: number): number {
  table ??= new CodePointTable([zeroWidthRanges, '', wideRanges], 1);
  return table.values[(table.blocks[codePoint >> 8] << 8) | (codePoint & 0xff)];
}

/**
 * The same by code point, for code points below 0x10000. One array access instead of two makes
 * non-ASCII output a tenth faster.
 */
export function lowCharWidths(): Uint8Array {
  widths ??= new Uint8Array(0x1_0000).map((_, codePoint) => charWidth(codePoint));
  return widths;
}
