import { beginWork, type Clock, currentWork, endWork } from '#base';
import type { LineFinder, LineScan } from '#model';
import type { LineSource, Readable } from '../watched.ts';

interface Cursor {
  readonly find: LineFinder;
  /** All lines before it are scanned. */
  line: number;
  /** Whether it may match. */
  mayMatch: boolean;
}

/** Finds the lines that any of several patterns may match, from the oldest on. */
export class LineScanner {
  readonly #terminal: Pick<LineSource['terminal'], 'firstLine' | 'scanLines'>;
  /** They go on side by side: the lines of an archive are rendered in blocks, of which few are kept. */
  readonly #cursors: readonly Cursor[];
  /** Lines that could not be read, or were dropped before they were scanned. */
  lostLines = 0;

  constructor(
    terminal: Pick<LineSource['terminal'], 'firstLine' | 'scanLines'>,
    finders: readonly LineFinder[],
  ) {
    this.#terminal = terminal;
    this.#cursors = finders.map((find) => ({ find, line: 0, mayMatch: false }));
  }

  /**
   * Scans the lines from `from` up to but not including `to`, up to the first that may match, for at most a
   * fraction of a millisecond. `from` must not be less than before.
   */
  next(from: number, to: number): LineScan {
    const first = Math.max(from, Math.min(this.#terminal.firstLine, to));
    this.lostLines += first - from;
    for (const cursor of this.#cursors) {
      if (cursor.line < first) Object.assign(cursor, { line: first, mayMatch: false });
    }
    const last = this.#last();
    if (last === undefined || last.line >= to) return { line: to, mayMatch: false };
    if (!last.mayMatch) this.#scan(last, to);
    const { line, mayMatch } = this.#last() ?? last;
    return { line: Math.min(line, to), mayMatch: mayMatch && line < to };
  }

  #scan(cursor: Cursor, to: number): void {
    const { line, mayMatch, unreadable } = this.#terminal.scanLines(cursor.line, to, cursor.find);
    Object.assign(cursor, { line, mayMatch });
    if (unreadable && cursor === this.#cursors[0]) this.lostLines += 1;
  }

  /** Returns the cursor that is behind the others; of several in one line, one whose pattern may match it. */
  #last(): Cursor | undefined {
    return this.#cursors.reduce<Cursor | undefined>((last, each) => {
      const isBehind = last === undefined || each.line < last.line;
      return isBehind || (each.line === last.line && each.mayMatch) ? each : last;
    }, undefined);
  }
}

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
    const lineText = this.#texts[line - this.#first];
    if (lineText !== undefined) return lineText;
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

/** The length of a slice, in ms. */
const sliceMs = 2;

/** Cuts work that takes long into slices of time, between which other work goes on. */
export class Slices {
  readonly #clock: Clock;
  readonly #onNext: () => void;
  /** Whose call this is part of, if that is shown. */
  readonly #session = currentWork()?.session;
  #endMs: number;

  /** @param onNext called at the beginning of each slice but the first; ends the work by an error */
  constructor(clock: Clock, onNext: () => void = () => {}) {
    this.#clock = clock;
    this.#onNext = onNext;
    this.#endMs = clock.nowMs() + sliceMs;
    this.#begin();
  }

  /** Whether the current slice is over. */
  get over(): boolean {
    return this.#clock.nowMs() >= this.#endMs;
  }

  /** Yields to the event loop, then begins the next slice. */
  async next(): Promise<void> {
    endWork();
    await new Promise<void>((resolve) => this.#clock.afterPendingIo(resolve));
    this.#begin();
    this.#onNext();
    this.#endMs = this.#clock.nowMs() + sliceMs;
  }

  #begin(): void {
    if (this.#session !== undefined) beginWork('search', this.#session);
  }
}
