import { CodePointTable } from './code-point-table.ts';
import { wideRanges, zeroWidthRanges } from './width-table.gen.ts';

const table = new CodePointTable([zeroWidthRanges, '', wideRanges], 1);

/**
 * By code point >> 8, the width of all 256 code points where that is 0, 1 or 2; else the number of
 * the block of {@link blockWidths} that has them.
 */
export const widthBlocks: Uint8Array = table.blocks;
/** By number of a block, 256 widths. */
export const blockWidths: Uint8Array = table.values;

/**
 * How many cells a character takes on its own: 0 for what combines with the character before it,
 * 2 for wide ones, 1 for all others (UAX #11; see the script that makes the table).
 *
 * @param codePoint 0..0x10FFFF, no control character
 */
export function charWidth(codePoint: number): number {
  return blockWidths[(widthBlocks[codePoint >> 8] << 8) | (codePoint & 0xff)];
}
