import type { Span } from './secrets.ts';

export const border = /-----(BEGIN|END) [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----/g;
const unfinishedBorder = /-{1,5}[A-Z0-9 ]{0,60}-{0,4}$/;
const atEnd = new RegExp(`${border.source}$`);

/** The longest key, in characters. */
const maxKey = 16 * 1024;

/** Finds private keys (RFC 7468) in a stream of text. */
export class PrivateKeys {
  /** The characters of the present key so far; null outside of one. */
  #length: number | null = null;
  /** The characters of the next part that belong to a border. */
  #seen = 0;

  /** Whether the present part ends outside of a key and of its borders. */
  get isOutside(): boolean {
    return this.#length === null && this.#seen === 0;
  }

  /** Returns where a border begins that may continue after the end of the text; -1 if there is none. */
  open(text: string): number {
    if (!text.includes('-', text.length - 70)) return -1;
    return atEnd.test(text) ? -1 : text.search(unfinishedBorder);
  }

  /**
   * Returns the keys in a part of the text, from `from` up to but not including `to`. Must be called
   * once for each part.
   */
  find(text: string, from: number, to: number): Span[] {
    const spans: Span[] = [];
    let at = from + this.#seen;
    this.#seen = 0;
    if (this.#length === null && !text.includes('-----', from)) return spans;
    const add = (end: number) => {
      if (this.#length === null || end <= at) return;
      spans.push({ from: at, to: end });
      this.#length += end - at;
      if (this.#length > maxKey) this.#length = null;
    };
    border.lastIndex = at;
    for (let match = border.exec(text); match !== null; match = border.exec(text)) {
      if (match.index >= to) break;
      add(match.index);
      at = match.index + match[0].length;
      this.#length = match[1] === 'BEGIN' ? 0 : null;
    }
    add(to);
    this.#seen = Math.max(0, at - to);
    return spans;
  }
}
