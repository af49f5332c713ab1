import { encodeUtf8 } from '#base';
import {
  type CommandRecord,
  checkRenderFormat,
  type Line,
  type LinesRead,
  type ReadLinesRequest,
  type RenderFormat,
  type ScreenRequest,
  type ScreenSnapshot,
} from '#model';
import type { EndOfLines, SessionView } from '#session';
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
class RedactedLines<T extends TerminalWithLines = TerminalWithLines> {
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

/** A session as answers show it. */
export type ShownView = SessionView | RedactedView;

/** A session without secrets, for the readers of `watch`. Raw output is as it was written. */
export class RedactedView extends RedactedTerminal<SessionView['terminal']> {
  readonly #view: SessionView;
  readonly outputs: Pick<SessionView['outputs'], 'lines' | 'bytes'>;
  /** Contract: {@link SessionView.all}. */
  readonly all: RedactedLines<SessionView['all']['terminal']>;

  constructor(view: SessionView, cells: SecretCells) {
    super(view.terminal, cells);
    this.#view = view;
    const { all } = view;
    this.all = all === view ? this : new RedactedLines(all.terminal, cells, () => this.openLine);
    this.outputs = {
      lines: (command) => this.#outputOf(command),
      bytes: (command) => view.outputs.bytes(command),
    };
  }

  get id(): string {
    return this.#view.id;
  }

  get oldestLine(): number {
    return this.#view.oldestLine;
  }

  get startLine(): number {
    return this.#view.startLine;
  }

  get erasedTo(): number {
    return this.#view.erasedTo;
  }

  get outputEnd(): number {
    return this.#view.outputEnd;
  }

  shownRows(): ReturnType<SessionView['shownRows']> {
    return this.#view.shownRows();
  }

  keepShown(): void {
    this.#view.keepShown();
  }

  shownAt(revision: number): ReturnType<SessionView['shownAt']> {
    return this.#view.shownAt(revision);
  }

  rawOutput(from: number): ReturnType<SessionView['rawOutput']> {
    return this.#view.rawOutput(from);
  }

  protected override get openLine(): number | null {
    return this.isOpen ? this.terminal.linePosition().line : null;
  }

  protected override get isOpen(): boolean {
    return this.#view.exitStatus === null;
  }

  #outputOf(command: CommandRecord) {
    const output = this.#view.outputs.lines(command);
    const parts = output.parts.map((part) => {
      const { terminal } = part.lines;
      const isOwn = (terminal as unknown) === this.all.terminal;
      return { ...part, lines: isOwn ? this.all : new RedactedLines(terminal, this.cells) };
    });
    return { ...output, parts };
  }
}
