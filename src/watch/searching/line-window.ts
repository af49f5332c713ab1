import type { Readable } from '../watched.ts';

interface Lines extends Pick<Readable, 'lineTexts'> {
  readonly terminal: { readonly firstLine: number };
}

/** Lines read at once. A line may have 256 Ki characters. */
const linesAtOnce = 16;

/**
 * A window of consecutive lines that moves forward. With it, the context of adjacent matches is
 * converted to text only once.
 */
export class LineWindow {
  readonly #lines: Lines;
  #first = 0;
  #texts: string[] = [];

  constructor(lines: Lines) {
    this.#lines = lines;
  }

  get #end(): number {
    return this.#first + this.#texts.length;
  }

  /** Returns the text of a line; undefined if the line is no longer kept. */
  text(line: number): string | undefined {
    const known = this.#texts[line - this.#first];
    if (known !== undefined) return known;
    for (const { text } of this.#lines.lineTexts(line, line + 1, 'spaced')) return text;
    return undefined;
  }

  /** Moves the beginning of the window to `from`, which may be negative. */
  begin(from: number): void {
    const first = Math.max(0, from);
    if (first > this.#first && first <= this.#end) this.#texts.splice(0, first - this.#first);
    else if (first !== this.#first) this.#texts = [];
    this.#first = first;
  }

  /** Reads some of the lines before `to`. Returns false if there are no more to read. */
  readTo(to: number): boolean {
    const { firstLine } = this.#lines.terminal;
    // The lines between are no longer kept.
    if (this.#end < firstLine) this.begin(firstLine);
    const from = this.#end;
    for (const { text } of this.#lines.lineTexts(
      from,
      Math.min(to, from + linesAtOnce),
      'spaced',
    )) {
      this.#texts.push(text);
    }
    return from < this.#end && this.#end < to;
  }

  /** Returns the lines from `from` up to but not including `to` that have been read. */
  texts(from: number, to: number): string[] {
    const start = Math.max(0, from - this.#first);
    return this.#texts.slice(start, Math.max(start, to - this.#first));
  }
}
