const blockBits = 8;
const blockSize = 1 << blockBits;
const blockMask = blockSize - 1;
const codePoints = 0x110000;

/** Calls `visit` with the ends of each range, both included; see the scripts that make the tables. */
export function eachRange(ranges: string, visit: (first: number, last: number) => void): void {
  for (const range of ranges.split(' ')) {
    const [first, last = first] = range.split('-');
    visit(Number.parseInt(first, 16), Number.parseInt(last, 16));
  }
}

/**
 * A small number for every code point, in two levels: most blocks of 256 code points have one value
 * throughout and share the block of that value; a block that a range ends in is kept by itself.
 */
export class CodePointTable {
  readonly #blockOf = new Uint8Array(codePoints >> blockBits);
  readonly #valueCount: number;
  #values: Uint8Array;

  /** @param rangesOf by value from 0 on; value 0, or `defaultValue`, has what is in no range */
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

  /** By code point >> 8, the number of its block. */
  get blocks(): Uint8Array {
    return this.#blockOf;
  }

  /** By number of a block, 256 values. */
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
