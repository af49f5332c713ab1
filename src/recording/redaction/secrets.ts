import { encodeUtf8 } from '#base';
import { isSensitiveName } from '#model';

/** A part of a text: from `from` up to but not including `to`. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Finds secrets in text without control sequences. */
export interface SecretRule {
  /** Returns the secrets in a text, which is one line or part of it. */
  find(text: string): Iterable<Span>;
  /** Returns where a secret begins that may continue after the end of the text; -1 if there is none. */
  open(text: string): number;
  /**
   * Returns where a secret begins of which the end of the text shows enough to tell; -1 if there is none.
   * Undefined if only a whole secret can be told.
   */
  begun?(text: string): number;
  /** Returns where a secret ends that began before the text; 0 if there is none that can be told. */
  ended?(text: string): number;
  /**
   * Words of at least three bytes in UTF-8, one of which is in each line with a secret. Undefined if
   * there are none: then recordings take several times as long.
   */
  readonly words?: readonly string[];
}

/** Finds the matches of a pattern of the user; only what it matches is a secret. */
export interface SecretMatcher {
  matches(text: string): Iterable<Span>;
}

/** Returns a rule for a pattern. It is matched within a line, and as soon as a word ends. */
export function matcherRule(matcher: SecretMatcher): SecretRule {
  return {
    find: (text) => matcher.matches(text),
    open(text) {
      // Backwards: a regular expression would look at each place of a long word again.
      let from = text.length;
      while (from > 0 && !/\s/.test(text.charAt(from - 1))) from--;
      return from === text.length ? -1 : from;
    },
  };
}

export type Variables = Readonly<Record<string, string | undefined>>;

/** Variables with such names whose values are not secrets: paths, and where agents of ssh and gpg listen. */
const harmless = /^(?:AWS_.*_FILE|SSH_AUTH_SOCK|SSH_AGENT_PID|GPG_AGENT_INFO)$/;

/** Returns the values of the variables of an environment whose names look like secrets. */
export const secretValues = (variables: Variables): string[] =>
  Object.entries(variables).flatMap(([name, value]) => {
    const isSecret = value !== undefined && isSensitiveName(name) && !harmless.test(name);
    return isSecret ? [value] : [];
  });

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
