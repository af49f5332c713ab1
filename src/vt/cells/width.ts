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

/** {@link quickWidths} has the widths of so many code points from here on: nearly all emoji. */
export const firstEmoji = 0x1_f000;
const emojiCount = 0x1000;
const lowCount = 0x1_0000;
/** What to subtract from the code point of an emoji for its index in {@link quickWidths}. */
export const emojiOffset = firstEmoji - lowCount;

/** The widths by code point below 0x10000, then those of the emoji. */
export function quickWidths(widthOf: (codePoint: number) => number): Uint8Array {
  const all = new Uint8Array(lowCount + emojiCount);
  return all.map((_, index) => widthOf(index < lowCount ? index : index + emojiOffset));
}

/**
 * {@link charWidth} as a table, see {@link quickWidths}. One array access instead of two makes
 * non-ASCII output a tenth faster.
 */
export function quickCharWidths(): Uint8Array {
  widths ??= quickWidths(charWidth);
  return widths;
}
