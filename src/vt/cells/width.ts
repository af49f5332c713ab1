import { CodePointTable } from './code-point-table.ts';
import { wideRanges, zeroWidthRanges } from './width-table.gen.ts';

const { blocks, values } = new CodePointTable([zeroWidthRanges, '', wideRanges], 1);

/**
 * Returns the width of a character in cells: 0 for a character that combines with the one before
 * it, 2 for a wide one, otherwise 1 (UAX #11; see scripts/generate-width-table.mjs).
 *
 * @param codePoint 0..0x10FFFF, not a control character
 */
export function charWidth(codePoint: number): number {
  return values[(blocks[codePoint >> 8] << 8) | (codePoint & 0xff)];
}

/**
 * The same by code point, for code points below 0x10000. One array access instead of two makes
 * non-ASCII output a tenth faster.
 */
export const widths = new Uint8Array(0x1_0000).map((_, codePoint) => charWidth(codePoint));
