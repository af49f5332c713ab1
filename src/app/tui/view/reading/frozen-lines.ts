import { encodeUtf8 } from '#base';
import { type Cell, type Line, maxSide } from '#model';
import type { Reader, Terminal } from '#vt';
import { type Frozen, type Place, rowOfCol, rowStarts, type ViewLine } from '../scroll/lines.ts';

/** Returns what a terminal shows as lines that do not change any more. */
export function frozenLines(terminal: Terminal): Frozen {
  const { topLine: from, endLine, alternate, cursor } = terminal;
  const lines = linesIn(terminal, from, endLine);
  if (!alternate) {
    const { line, col } = terminal.position;
    const top = topOf(terminal, lines);
    const place = inLines(lines, from, { line: line ?? from, col });
    return {
      from,
      lines: lines.length === 0 ? [emptyLine(from)] : lines,
      top,
      cursor: place,
      endLine,
    };
  }
  const rows = Array.from({ length: terminal.size.rows }, (_, row) =>
    viewLine(endLine + row, terminal.readRow(row)),
  );
  const place = inLines(rows, endLine, { line: endLine + cursor.row, col: cursor.col });
  return {
    from,
    lines: [...lines, ...rows],
    top: { line: endLine, col: 0 },
    cursor: place,
    endLine,
  };
}

const emptyLine = (number: number): ViewLine => ({ number, cells: [], text: '', tabbed: '' });

/** Returns the nearest place that exists. */
function inLines(lines: readonly ViewLine[], from: number, { line, col }: Place): Place {
  const last = from + Math.max(0, lines.length - 1);
  const at = Math.max(from, Math.min(line, last));
  const width = lines[at - from]?.cells.length ?? 0;
  return { line: at, col: Math.max(0, Math.min(col, width - 1)) };
}

/**
 * Returns the first character on the screen: the rows between it and the cursor are known, and the
 * line may begin above it.
 */
function topOf(terminal: Terminal, lines: readonly ViewLine[]): Place {
  const { topLine, size, cursor, position } = terminal;
  const rowsOf = (line: ViewLine) => rowStarts(line.cells, size.cols);
  const cursorLine = position.line ?? topLine;
  let rows = 0;
  for (const line of lines) {
    if (line.number < cursorLine) rows += rowsOf(line).length;
    if (line.number === cursorLine) rows += rowOfCol(rowsOf(line), position.col);
  }
  const [first] = lines;
  const starts = first === undefined ? [0] : rowsOf(first);
  const hidden = Math.max(0, Math.min(rows - cursor.row, starts.length - 1));
  return { line: topLine, col: starts[hidden] ?? 0 };
}

/** Returns lines of the scrollback and of the primary screen. */
export function linesIn(terminal: Terminal, from: number, to: number): ViewLine[] {
  const lines: ViewLine[] = [];
  for (const { line, reader } of terminal.readLines(from, to)) lines.push(viewLine(line, reader));
  return lines;
}

const viewLine = (number: number, reader: Reader): ViewLine => ({
  number,
  cells: usedCells(reader),
  text: reader.spaced(),
  tabbed: reader.text(),
});

/** Returns the cells without those at the end that look empty. */
function usedCells(reader: Reader): readonly Cell[] {
  const cells = reader.cells();
  let { length } = cells;
  while (length > 0 && isEmpty(cells[length - 1] as Cell)) length--;
  cells.length = length;
  return cells;
}

/** A line of a terminal that does not change, read when it is needed. */
class LazyLine implements ViewLine {
  readonly number: number;
  readonly #reader: Reader;
  #cells: readonly Cell[] | null = null;
  #text: string | null = null;

  constructor(number: number, reader: Reader) {
    this.number = number;
    this.#reader = reader;
  }

  get cells(): readonly Cell[] {
    this.#cells ??= usedCells(this.#reader);
    return this.#cells;
  }

  get tabbed(): string {
    return this.#reader.text();
  }

  get text(): string {
    this.#text ??= this.#reader.spaced();
    return this.#text;
  }
}

/** Whether a cell looks as if nothing was written to it. */
const isEmpty = ({ text, style }: Cell): boolean =>
  text === ' ' &&
  style.bg === null &&
  style.underline === 'none' &&
  !(style.inverse || style.overline || style.strikethrough);

/** Returns lines that were read in the format `ansi`, which is a twentieth of the size of `cells`. */
export async function linesOfAnsi(lines: readonly Line[]): Promise<ViewLine[]> {
  const [first] = lines;
  if (first === undefined) return [];
  const { Terminal } = await import('#vt');
  const terminal = new Terminal({
    size: { cols: maxSide, rows: 1 },
    firstLine: first.number,
    scrollback: { maxLines: lines.length + 1, maxBytes: Number.MAX_SAFE_INTEGER },
  });
  terminal.feed(encodeUtf8(lines.map(({ text }) => `${text}\r\n`).join('')));
  const read = terminal.readLines(first.number, first.number + lines.length);
  return Array.from(read, ({ line, reader }) => new LazyLine(line, reader));
}
