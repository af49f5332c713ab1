import {
  checkLine,
  checkRenderFormat,
  type Line,
  type LinesRead,
  type OutputPosition,
  type ReadLinesRequest,
  type RenderFormat,
  type ScreenRequest,
  type ScreenSnapshot,
} from '#model';
import type { Reader, ScreenCells, Terminal } from '#vt';

/** The renderings of a row or a line as a string. */
export type TextFormat = Exclude<RenderFormat, 'cells'>;

/** More lines than a typed command has. */
const maxTypedLines = 1_000;

/** Renders a terminal's screen and lines. */
export class TerminalReader {
  readonly #terminal: Terminal;
  /** Reads the lines of the terminal, and those that it has dropped but that can still be read. */
  readonly #lines: () => Pick<Terminal, 'firstLine' | 'readLines'>;
  readonly #startLine: number;
  #cells: { readonly revision: number; readonly rows: WeakRef<ScreenCells['rows']> } | null = null;

  /** @param startLine the line in which the output of the program begins: lost lines before it do not count */
  constructor(
    terminal: Terminal,
    lines: () => Pick<Terminal, 'firstLine' | 'readLines'> = () => terminal,
    startLine = 0,
  ) {
    this.#terminal = terminal;
    this.#lines = lines;
    this.#startLine = startLine;
  }

  /**
   * Returns the shown screen. As cells, rows that have not changed since the last call are the same
   * objects as then, if the caller has kept them.
   *
   * @throws VtrError INVALID_ARGUMENT
   */
  screen({ format = 'text' }: ScreenRequest): ScreenSnapshot {
    const { revision, size, cursor, alternate, title, topLine } = this.#terminal;
    const rows = this.#rows(checkRenderFormat(format));
    return { revision, size, cursor, alternate, title, ...rows, topLine };
  }

  /** @throws VtrError INVALID_ARGUMENT */
  lines(request: ReadLinesRequest): LinesRead {
    const { revision, firstLine, topLine, endLine } = this.#terminal;
    const from = checkLine('from', request.from ?? firstLine);
    const { to, cells } = endOfLines(this.#terminal, request);
    const render = renderers[checkRenderFormat(request.format ?? 'text')];
    const lines: Line[] = [];
    const all = this.#lines();
    for (const { line, reader } of all.readLines(from, to)) {
      lines.push(render(line, reader, line === to - 1 ? cells : Number.POSITIVE_INFINITY));
    }
    const oldestLine = all.firstLine;
    // A damaged archive lacks lines.
    const archived = Math.max(0, Math.min(to, firstLine) - Math.max(from, oldestLine));
    const unreadable = archived - lines.filter(({ number }) => number < firstLine).length;
    const lost = Math.max(0, Math.min(to, oldestLine) - Math.max(from, this.#startLine));
    const dropped = lost + unreadable;
    return { revision, firstLine, oldestLine, topLine, endLine, dropped, lines };
  }

  /**
   * Returns the text of the primary screen and the scrollback between two positions, with line
   * feeds between lines and without trailing spaces; null if it is not kept completely.
   */
  textBetween(from: OutputPosition, to: OutputPosition): string | null {
    if (from.line === null || to.line === null || from.line < this.#terminal.firstLine) return null;
    if (to.line - from.line > maxTypedLines) return null;
    const lines: string[] = [];
    for (const { line, reader } of this.#terminal.readLines(from.line, to.line + 1)) {
      const start = line === from.line ? from.col : 0;
      const end = line === to.line ? to.col : Number.POSITIVE_INFINITY;
      lines.push(reader.text(start, end).trimEnd());
    }
    return lines.join('\n');
  }

  #rows(format: RenderFormat): Pick<ScreenSnapshot, 'text' | 'cells'> {
    if (format !== 'cells') return { text: screenRows(this.#terminal, format) };
    return { text: Array<string>(this.#terminal.size.rows).fill(''), cells: this.#screenCells() };
  }

  #screenCells(): ScreenCells['rows'] {
    const rows = this.#cells?.rows.deref();
    const before = this.#cells === null || rows === undefined ? null : { ...this.#cells, rows };
    const cells = this.#terminal.screenCells(before);
    this.#cells = { revision: cells.revision, rows: new WeakRef(cells.rows) };
    return cells.rows;
  }
}

/** Returns the rows of the shown screen, without trailing blanks. */
export function screenRows(
  terminal: Pick<Terminal, 'screenText' | 'readRow' | 'size'>,
  format: TextFormat,
): string[] {
  if (format === 'text') return terminal.screenText();
  return Array.from({ length: terminal.size.rows }, (_, row) => terminal.readRow(row).ansi());
}

/** Where lines that are read end. */
export interface EndOfLines {
  /** The line to stop before. */
  readonly to: number;
  /** How many cells of the line before that are read. */
  readonly cells: number;
}

/** @throws VtrError INVALID_ARGUMENT */
export function endOfLines(
  { topLine, cellsAbove, endLine }: Pick<Terminal, 'topLine' | 'cellsAbove' | 'endLine'>,
  request: Pick<ReadLinesRequest, 'to' | 'aboveScreen'>,
): EndOfLines {
  const to = checkLine('to', request.to ?? endLine);
  // The screen has moved on since the caller read it: the lines after `to` were on it.
  if (!request.aboveScreen || to < topLine) return { to, cells: Number.POSITIVE_INFINITY };
  return cellsAbove > 0
    ? { to: topLine + 1, cells: cellsAbove }
    : { to: topLine, cells: Number.POSITIVE_INFINITY };
}

type Renderer = (number: number, reader: Reader, cells: number) => Line;

const renderers: Readonly<Record<RenderFormat, Renderer>> = {
  text: (number, reader, cells) => ({ number, text: reader.text(0, cells) }),
  ansi: (number, reader, cells) => ({ number, text: reader.ansi(0, cells) }),
  cells: (number, reader, cells) => ({ number, text: '', cells: reader.cells().slice(0, cells) }),
};

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
