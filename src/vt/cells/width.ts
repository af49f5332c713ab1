import { CodePointTable } from './code-point-table.ts';
import { wideRanges, zeroWidthRanges } from './width-table.gen.ts';

const { blocks, values } = new CodePointTable([zeroWidthRanges, '', wideRanges], 1);

/**
 * How many cells a character takes on its own: 0 for what combines with the character before it,
 * 2 for wide ones, 1 for all others (UAX #11; see the script that makes the table).
 *
 * @param codePoint 0..0x10FFFF, no control character
 */
export function charWidth(codePoint: number): number {
  return values[(blocks[codePoint >> 8] << 8) | (codePoint & 0xff)];
}

/**
 * The same by code point, of those below 0x10000: what is printed most is looked up at one go, which
 * makes output that is not ASCII a tenth faster.
 */
export const widths = new Uint8Array(0x1_0000).map((_, codePoint) => charWidth(codePoint));
