import type { Readable } from '../watched.ts';

type Lines = Pick<Readable, 'firstLine' | 'lineTexts'>;

/** Lines that are read at a time, of which each may have 256 Ki characters. */
const linesAtOnce = 16;

/**
 * The texts of lines that follow on each other, of which the first can be given up and more be read:
 * where lines are shown around several matches, each is made into text once.
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

  /** Undefined where the line is no longer kept. */
  text(line: number): string | undefined {
    const known = this.#texts[line - this.#first];
    if (known !== undefined) return known;
    for (const { text } of this.#lines.lineTexts(line, line + 1)) return text;
    return undefined;
  }

  /** Gives up the lines before `from`, which may be below 0. */
  begin(from: number): void {
    const first = Math.max(0, from);
    if (first > this.#first && first <= this.#end) this.#texts.splice(0, first - this.#first);
    else if (first !== this.#first) this.#texts = [];
    this.#first = first;
  }

  /** Reads some of the lines up to and without `to`; false when there is nothing more to be read. */
  readTo(to: number): boolean {
    const { firstLine } = this.#lines;
    // What lies between is no longer kept.
    if (this.#end < firstLine) this.begin(firstLine);
    const from = this.#end;
    for (const { text } of this.#lines.lineTexts(from, Math.min(to, from + linesAtOnce))) {
      this.#texts.push(text);
    }
    return from < this.#end && this.#end < to;
  }

  /** The lines `from` up to and without `to`, as far as they have been read. */
  texts(from: number, to: number): string[] {
    const start = Math.max(0, from - this.#first);
    return this.#texts.slice(start, Math.max(start, to - this.#first));
  }
}
