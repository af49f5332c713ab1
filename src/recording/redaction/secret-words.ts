import { encodeUtf8 } from '#base';
import type { SecretRule } from './secrets.ts';

/** Of the words that every private key has in its borders (RFC 7468). */
const keyWord = 'KEY';
const tableBits = 15;
/** Of a product of 32 bits. */
const shift = 32 - tableBits;
/** Spreads bits over all of a product: 2^32 divided by the golden ratio (Knuth, 6.4). */
const factor = 0x9e3779b1;

/** @param three as {@link SecretWords.has} takes them */
export const hashOf = (three: number): number => Math.imul(three, factor) >>> shift;

/** Finds the places in text at which a secret is possible, by the first three bytes of words. */
export class SecretWords {
  /** 0 where there is no word, by {@link hashOf}: much faster than {@link has}. */
  readonly maybe = new Uint8Array(1 << tableBits);
  readonly #words = new Set<number>();

  /** Returns the words of all rules; null if a rule has none, so that secrets are possible everywhere. */
  static of(rules: readonly SecretRule[]): SecretWords | null {
    const words = rules.map((rule) => rule.words);
    if (!words.every((each) => each !== undefined)) return null;
    return new SecretWords(words.length === 0 ? [] : [keyWord, ...words.flat()]);
  }

  /** @param words of at least three bytes each */
  private constructor(words: readonly string[]) {
    for (const word of words) {
      const [a = 0, b = 0, c = 0] = encodeUtf8(word);
      const three = (a << 16) | (b << 8) | c;
      this.#words.add(three);
      this.maybe[hashOf(three)] = 1;
    }
  }

  /** Whether nothing is a secret. */
  get isEmpty(): boolean {
    return this.#words.size === 0;
  }

  /** @param three bytes of text, the last one in the lowest bits */
  has(three: number): boolean {
    return this.#words.has(three);
  }
}
