/**
 * Code points that take the place of the cells of secrets until an answer is complete: noncharacters, which
 * text is not to contain (Unicode, 23.7), of the same length as the mask in UTF-8 and in UTF-16. Secrets
 * next to each other get different ones, so that they can be counted.
 */
const firstMark = 0xfdd0;
const markCount = 32;

const marks = /[\ufdd0-\ufdef]/g;

/** Whether a text has marks. */
export const hasMarks = (text: string): boolean => text.search(marks) >= 0;

/** Hands out the marks of an answer, and counts them in it. */
export class Marks {
  #given = 0;
  #last = '';
  /** How many secrets the answer shows as replaced. */
  count = 0;

  /** Returns the code point for the next secret. */
  next(): number {
    this.#given++;
    return firstMark + (this.#given % markCount);
  }

  /** Calls `use`, in which nothing is counted. */
  uncounted<T>(use: () => T): T {
    const { count } = this;
    const result = use();
    this.count = count;
    return result;
  }

  /** Counts the secrets in a part of the answer, and replaces their marks with the mask. */
  masked(text: string, mask: string): string {
    return text.replace(marks, (mark) => {
      if (mark !== this.#last) this.count++;
      this.#last = mark;
      return mask;
    });
  }
}

/** Returns a text with marks in place of the characters of a span, except blanks and other marks. */
export function withMark(text: string, from: number, to: number, code: number): string {
  const mark = String.fromCodePoint(code);
  const hidden = text.slice(from, to).replace(/[^\s\ufdd0-\ufdef]/gu, mark);
  return text.slice(0, from) + hidden + text.slice(to);
}
