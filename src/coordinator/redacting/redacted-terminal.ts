import { encodeUtf8 } from '#base';
import {
  checkRenderFormat,
  type Line,
  type LinesRead,
  type ReadLinesRequest,
  type RenderFormat,
  type ScreenRequest,
  type ScreenSnapshot,
} from '#model';
import type { EndOfLines } from '#session';
import type {
  Reader,
  ReadLine,
  SecretCells,
  TerminalWithLines,
  TerminalWithScreen,
} from './secret-cells.ts';

type LineFormat = 'text' | 'ansi' | 'spaced';

interface Columns {
  readonly from?: number;
  readonly to?: number;
}

/** The lines of a terminal as text, without secrets. */
export class RedactedLines<T extends TerminalWithLines = TerminalWithLines> {
  readonly terminal: T;
  protected readonly cells: SecretCells;
  /** By how many bytes lines are longer than they were written. */
  readonly #grown = new Map<number, number>();

  readonly #openLine: () => number | null;

  /** @param openLine returns the line in which output continues; null if it does not */
  constructor(terminal: T, cells: SecretCells, openLine: () => number | null = () => null) {
    this.terminal = terminal;
    this.cells = cells;
    this.#openLine = openLine;
  }

  /** The line in which output continues; null if it does not. */
  protected get openLine(): number | null {
    return this.#openLine();
  }

  /** Yields the lines from `from` up to but excluding `to` that are kept. */
  *lineTexts(
    from: number,
    to: number,
    format: LineFormat = 'text',
  ): Generator<{ line: number; text: string }> {
    for (const read of this.#read(from, to)) {
      const text = read.reader[format]();
      if (read.written !== undefined && format === 'text') {
        this.#grown.set(read.line, byteLength(text) - byteLength(read.written.text()));
      }
      yield { line: read.line, text };
    }
  }

  linePart(line: number, { from, to }: Columns, format: LineFormat = 'text'): string {
    for (const { reader } of this.#read(line, line + 1)) return reader[format](from, to);
    return '';
  }

  grownBytes(from: number, to: number): number {
    let sum = 0;
    for (const [line, bytes] of this.#grown) if (line >= from && line < to) sum += bytes;
    return sum;
  }

  writtenText(line: number): string | undefined {
    const [read] = this.terminal.readLines(line, line + 1);
    return read?.reader.spaced();
  }

  colAfter(line: number, length: number): number {
    const [read] = this.terminal.readLines(line, line + 1);
    return read?.reader.colAfter(length) ?? 0;
  }

  /** Yields lines as `readLines` returns them. */
  *renderedLines(
    from: number,
    to: number,
    format: RenderFormat,
    cellsOfLast = Number.POSITIVE_INFINITY,
  ): Generator<Line> {
    for (const { line: number, reader } of this.#read(from, to)) {
      const cells = number === to - 1 ? cellsOfLast : Number.POSITIVE_INFINITY;
      if (format === 'cells') yield { number, text: '', cells: reader.cells().slice(0, cells) };
      else yield { number, text: reader[format](0, cells) };
    }
  }

  #read(from: number, to: number): Iterable<ReadLine> {
    return this.cells.lines(this.terminal, from, to, this.openLine);
  }
}

/** A terminal as text, without secrets. */
export class RedactedTerminal<
  T extends TerminalWithScreen = TerminalWithScreen,
> extends RedactedLines<T> {
  /** Whether output may continue at the cursor. */
  protected get isOpen(): boolean {
    return false;
  }

  screenRows(format: 'text' | 'ansi' = 'text'): readonly string[] {
    return this.#readers().map((row) => (format === 'ansi' ? row.ansi() : row.text().trimEnd()));
  }

  /** Returns the text and the cells of a screen in place of those that it was read with. */
  screen(snapshot: ScreenSnapshot, { format = 'text' }: ScreenRequest): ScreenSnapshot {
    checkRenderFormat(format);
    if (format === 'cells')
      return { ...snapshot, cells: this.#readers().map((row) => row.cells()) };
    return { ...snapshot, text: this.screenRows(format) };
  }

  /** Valid until the terminal changes. */
  #readers(): readonly Reader[] {
    return this.cells.rows(this.terminal, this.isOpen);
  }
}

/**
 * Returns lines as `readLines` does.
 *
 * @param read the same without lines
 */
export function redactedLines(
  read: LinesRead,
  lines: RedactedLines,
  request: ReadLinesRequest,
  { to, cells }: EndOfLines,
): LinesRead {
  const from = request.from ?? read.firstLine;
  const dropped = Math.max(0, Math.min(to, lines.terminal.firstLine) - from);
  return {
    ...read,
    dropped,
    lines: [...lines.renderedLines(from, to, request.format ?? 'text', cells)],
  };
}

const byteLength = (text: string): number => encodeUtf8(text).length;
