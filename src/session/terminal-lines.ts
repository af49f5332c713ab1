import type { Terminal } from '#vt';

/** A rendering of lines as strings; `spaced` is text with spaces in place of tabs, as displayed. */
export type LineFormat = 'text' | 'ansi' | 'spaced';

/** Columns of a line from `from` up to but excluding `to`; default: all. */
export interface Columns {
  readonly from?: number;
  readonly to?: number;
}

type Lines = Pick<
  Terminal,
  'revision' | 'firstLine' | 'endLine' | 'readLines' | 'scanLines' | 'textBytes'
>;

/** The lines of a terminal as text. */
export class TerminalLines<T extends Lines = Lines> {
  readonly terminal: T;

  constructor(terminal: T) {
    this.terminal = terminal;
  }

  /** Yields the lines from `from` up to and excluding `to` that are kept. */
  *lineTexts(
    from: number,
    to: number,
    format: LineFormat = 'text',
  ): Generator<{ line: number; text: string }> {
    for (const { line, reader } of this.terminal.readLines(from, to)) {
      yield { line, text: reader[format]() };
    }
  }

  /** Returns the column after the first `length` UTF-16 code units of a line's `spaced` text. */
  colAfter(line: number, length: number): number {
    const [read] = this.terminal.readLines(line, line + 1);
    return read?.reader.colAfter(length) ?? 0;
  }

  /** Returns a line as it was written, with spaces in place of tabs; undefined if it is not kept. */
  writtenText(line: number): string | undefined {
    const [read] = this.terminal.readLines(line, line + 1);
    return read?.reader.spaced();
  }

  /** Returns a part of a line; empty if the line is not kept. */
  linePart(line: number, { from, to }: Columns, format: LineFormat = 'text'): string {
    const [read] = this.terminal.readLines(line, line + 1);
    if (read === undefined) return '';
    return read.reader[format](from, to);
  }
}
