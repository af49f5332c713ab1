import { encodeUtf8 } from '#base';
import type { SecretRule } from './secrets.ts';
import { WordTable } from './word-table.ts';

/** A word that every private key has in its first and last line (RFC 7468). */
const keyWord = 'KEY';
/** Finds the places in text at which a secret is possible, by the first three bytes of words. */
export class SecretWords {
  readonly #table = new WordTable();

  /** Returns the words of all rules; null if a rule has none, so that secrets are possible everywhere. */
  static of(rules: readonly SecretRule[]): SecretWords | null {
    const words = rules.map((rule) => rule.words);
    if (!words.every((each) => each !== undefined)) return null;
    return new SecretWords(words.length === 0 ? [] : [keyWord, ...words.flat()]);
  }

  /** @param words of at least three bytes each */
  private constructor(words: readonly string[]) {
    for (const word of words) this.#table.add(encodeUtf8(word));
  }

  /** See {@link WordTable.maybe}. */
  get maybe(): Uint8Array {
    return this.#table.maybe;
  }

  /** Whether nothing is a secret. */
  get isEmpty(): boolean {
    return this.#table.isEmpty;
  }

  /** @param three bytes of text, the last one in the lowest bits */
  has(three: number): boolean {
    return this.#table.has(three);
  }
}
