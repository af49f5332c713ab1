const tableBits = 15;
/** Leaves the upper {@link tableBits} of a product of 32 bits. */
const shift = 32 - tableBits;
/** Spreads bits over all of a product: 2^32 divided by the golden ratio (Knuth, 6.4). */
const factor = 0x9e3779b1;

/** @param three bytes of text, the last one in the lowest bits */
export const hashOf = (three: number): number => Math.imul(three, factor) >>> shift;

/** The first three bytes of words, to find the places in text at which one may be. */
export class WordTable {
  /** 0 where there is no word, by {@link hashOf}: much faster than {@link has}. */
  readonly maybe = new Uint8Array(1 << tableBits);
  readonly #words = new Set<number>();

  get isEmpty(): boolean {
    return this.#words.size === 0;
  }

  /** @param word of at least three bytes */
  add([a = 0, b = 0, c = 0]: Uint8Array): void {
    const three = (a << 16) | (b << 8) | c;
    this.#words.add(three);
    this.maybe[hashOf(three)] = 1;
  }

  /** @param three as {@link hashOf} takes them */
  has(three: number): boolean {
    return this.#words.has(three);
  }

  /** As {@link search}, in the bytes of a text up to but excluding `to`. */
  searchBytes(bytes: Uint8Array, from: number, to: number): number {
    let three = 0;
    for (let at = from; at < to; at++) {
      three = ((three << 8) | (bytes[at] as number)) & 0xffffff;
      if (this.maybe[hashOf(three)] !== 0 && this.has(three)) return at - 2;
    }
    return -1;
  }

  /** Returns the first place from `from` on at which a word of ASCII may be; -1 if there is none. */
  search(text: string, from: number): number {
    let three = 0;
    for (let at = from; at < text.length; at++) {
      const code = text.charCodeAt(at);
      // Anything else is part of no such word.
      three = code < 0x80 ? ((three << 8) | code) & 0xffffff : 0;
      if (this.maybe[hashOf(three)] !== 0 && this.has(three)) return at - 2;
    }
    return -1;
  }
}
