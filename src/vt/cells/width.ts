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
const firstSurrogate = 0xd800;
const lastSurrogate = 0xdfff;
/** What to subtract from the code point of an emoji for its index in {@link quickWidths}. */
export const emojiOffset = firstEmoji - lowCount;

/** The widths by code point below 0x10000, then those of the emoji. Surrogates have the width 0. */
export function quickWidths(widthOf: (codePoint: number) => number): Uint8Array {
  const all = new Uint8Array(lowCount + emojiCount);
  for (let index = 0; index < all.length; index++) {
    all[index] = widthOf(index < lowCount ? index : index + emojiOffset);
  }
  return all.fill(0, firstSurrogate, lastSurrogate + 1);
}

/**
 * {@link charWidth} as a table, see {@link quickWidths}. One array access instead of two makes
 * non-ASCII output a tenth faster.
 */
export function quickCharWidths(): Uint8Array {
  widths ??= quickWidths(charWidth);
  return widths;
}

const blockBits = 8;
const blockSize = 1 << blockBits;
const blockMask = blockSize - 1;
const codePoints = 0x110000;

/**
 * Calls `visit` with the first and last code point of each range. The format is that of
 * scripts/code-point-ranges.mjs.
 */
export function eachRange(ranges: string, visit: (first: number, last: number) => void): void {
  for (const range of ranges.split(' ')) {
    const [first, last = first] = range.split('-');
    visit(Number.parseInt(first, 16), Number.parseInt(last, 16));
  }
}

/**
 * A map from code points to small numbers, in two levels. Most blocks of 256 code points have one
 * value and share the block of that value. A block with several values has its own.
 */
export class CodePointTable {
  readonly #blockOf = new Uint8Array(codePoints >> blockBits);
  readonly #valueCount: number;
  #values: Uint8Array;

  /**
   * @param rangesOf ranges by value, from 0 on
   * @param defaultValue of code points in no range
   */
  constructor(rangesOf: readonly string[], defaultValue = 0) {
    this.#valueCount = rangesOf.length;
    this.#values = new Uint8Array(rangesOf.length * blockSize);
    for (let value = 0; value < rangesOf.length; value++) {
      this.#values.fill(value, value * blockSize, (value + 1) * blockSize);
    }
    this.#blockOf.fill(defaultValue);
    for (const [value, ranges] of rangesOf.entries()) {
      if (ranges !== '') eachRange(ranges, (first, last) => this.#setRange(first, last + 1, value));
    }
  }

  /** The number of the block, by code point >> 8. */
  get blocks(): Uint8Array {
    return this.#blockOf;
  }

  /** 256 values per block, by number of the block. */
  get values(): Uint8Array {
    return this.#values;
  }

  #setRange(start: number, end: number, value: number): void {
    for (let from = start; from < end; ) {
      const block = from >> blockBits;
      const to = Math.min(end, (block + 1) << blockBits);
      if (to - from === blockSize) this.#blockOf[block] = value;
      else this.#ownBlock(block).fill(value, from & blockMask, ((to - 1) & blockMask) + 1);
      from = to;
    }
  }

  #ownBlock(block: number): Uint8Array {
    let own = this.#blockOf[block];
    if (own < this.#valueCount) {
      const shared = this.#block(own);
      own = this.#values.length >> blockBits;
      this.#blockOf[block] = own;
      const grown = new Uint8Array(this.#values.length + blockSize);
      grown.set(this.#values);
      grown.set(shared, own * blockSize);
      this.#values = grown;
    }
    return this.#block(own);
  }

  #block(number: number): Uint8Array {
    return this.#values.subarray(number * blockSize, (number + 1) * blockSize);
  }
}
