import { wideRanges, zeroWidthRanges } from './width-table.gen.ts';

const blockBits = 8;
const blockSize = 1 << blockBits;
const blockMask = blockSize - 1;
const codePoints = 0x110000;

/**
 * Two levels: most blocks of 256 code points have one width throughout and share the block of that
 * width; a block that a range ends in is kept by itself.
 */
class WidthTable {
  readonly blockOf = new Uint8Array(codePoints >> blockBits).fill(1);
  widths = new Uint8Array(3 * blockSize);

  constructor() {
    for (const width of [0, 1, 2])
      this.widths.fill(width, width * blockSize, (width + 1) * blockSize);
    this.#setRanges(wideRanges, 2);
    this.#setRanges(zeroWidthRanges, 0);
  }

  #setRanges(ranges: string, width: number): void {
    for (const range of ranges.split(' ')) {
      const [first, last = first] = range.split('-');
      this.#setRange(Number.parseInt(first, 16), Number.parseInt(last, 16) + 1, width);
    }
  }

  #setRange(start: number, end: number, width: number): void {
    for (let from = start; from < end; ) {
      const block = from >> blockBits;
      const to = Math.min(end, (block + 1) << blockBits);
      if (to - from === blockSize) this.blockOf[block] = width;
      else this.#ownBlock(block).fill(width, from & blockMask, ((to - 1) & blockMask) + 1);
      from = to;
    }
  }

  #ownBlock(block: number): Uint8Array {
    let own = this.blockOf[block];
    if (own <= 2) {
      const shared = this.widths.subarray(own * blockSize, (own + 1) * blockSize);
      own = this.widths.length >> blockBits;
      this.blockOf[block] = own;
      const grown = new Uint8Array(this.widths.length + blockSize);
      grown.set(this.widths);
      grown.set(shared, own * blockSize);
      this.widths = grown;
    }
    return this.widths.subarray(own * blockSize, (own + 1) * blockSize);
  }
}

const { blockOf, widths } = new WidthTable();

/**
 * How many cells a character takes on its own: 0 for what combines with the character before it,
 * 2 for wide ones, 1 for all others (UAX #11; see the script that makes the table).
 *
 * @param codePoint 0..0x10FFFF, no control character
 */
export function charWidth(codePoint: number): number {
  return widths[(blockOf[codePoint >> blockBits] << blockBits) | (codePoint & blockMask)];
}
