import { sanitize } from '#base';

/** A line of a megabyte is one too. */
export const maxLineChars = 1000;

/** Lines of programs that one answer tells, made plain, and what is to be known of them. */
export class PlainLines {
  #removed = 0;

  /** Of a long one its beginning. */
  plain(line: string): string {
    const { text: plain, removed } = sanitize(line.slice(0, maxLineChars));
    this.#removed += removed;
    return plain;
  }

  facts(hiddenText = false) {
    return {
      ...(this.#removed > 0 ? { removed: this.#removed } : {}),
      ...(hiddenText ? { hidden_text: true } : {}),
      untrusted: true as const,
    };
  }
}
