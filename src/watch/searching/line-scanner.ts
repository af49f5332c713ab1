import type { LineFinder, LineScan } from '#model';
import type { LineSource } from '../watched.ts';

interface Cursor {
  readonly find: LineFinder;
  /** All lines before it are scanned. */
  line: number;
  /** Whether it may match. */
  found: boolean;
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
    this.#cursors = finders.map((find) => ({ find, line: 0, found: false }));
  }

  /**
   * Scans the lines from `from` up to but not including `to`, up to the first that may match, for at most a
   * fraction of a millisecond. `from` must not be less than before.
   */
  next(from: number, to: number): LineScan {
    const first = Math.max(from, Math.min(this.#terminal.firstLine, to));
    this.lostLines += first - from;
    for (const cursor of this.#cursors) {
      if (cursor.line < first) Object.assign(cursor, { line: first, found: false });
    }
    const last = this.#last();
    if (last === undefined || last.line >= to) return { line: to, found: false };
    if (!last.found) this.#scan(last, to);
    const { line, found } = this.#last() ?? last;
    return { line: Math.min(line, to), found: found && line < to };
  }

  #scan(cursor: Cursor, to: number): void {
    const { line, found, unreadable } = this.#terminal.scanLines(cursor.line, to, cursor.find);
    Object.assign(cursor, { line, found });
    if (unreadable && cursor === this.#cursors[0]) this.lostLines += 1;
  }

  /** Returns the cursor that is behind the others; of several in one line, one whose pattern may match it. */
  #last(): Cursor | undefined {
    return this.#cursors.reduce<Cursor | undefined>((last, each) => {
      const isBehind = last === undefined || each.line < last.line;
      return isBehind || (each.line === last.line && each.found) ? each : last;
    }, undefined);
  }
}
