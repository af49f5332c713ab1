import { CellBuffer } from '../cells/cell.ts';
import { cellsText, textUnits } from '../cells/cell-text.ts';
import type { Grid } from '../grid/grid.ts';
import { appendRow, lineLength } from '../grid/wrapping.ts';
import type { Scrollback } from '../scrollback/scrollback.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import { type ScreenLine, screenLines } from './changes.ts';

/** A line, or a row of the alternate screen, that the last feed printed on. */
export interface PrintedText {
  /** The line number; null on the alternate screen, whose rows have none. */
  readonly line: number | null;
  /** The whole line, including older text; only the end of a very long line. */
  readonly text: string;
  /** Whether `text` lacks the beginning of the line. */
  readonly cut: boolean;
  /**
   * Index in `text` of the first printed character. Text between separate printed parts is
   * included.
   */
  readonly from: number;
  /** One past the last printed character. */
  readonly to: number;
  /** The row of the alternate screen; null for a line. */
  readonly row: number | null;
}

/**
 * Yields the lines that the last feed printed on and that can still be read, from the top down. If
 * it printed on several parts of a row, the text between them counts as printed, too.
 */
export function* printedText(t: TerminalState): Generator<PrintedText> {
  const reading = new PrintedTextReader(t);
  const lines = isCurrent(t, t.primary) ? screenLines(t) : [];
  const off = spansOffScreen(t);
  for (const [line, span] of off) {
    // The line that continues in the topmost row is yielded with that row.
    if (line !== lines[0]?.line) yield* reading.scrollbackLine(line, span);
  }
  for (const screenLine of lines) {
    yield* reading.screenLine(screenLine, off.get(screenLine.line));
  }
  if (t.alternate !== null && isCurrent(t, t.alternate)) yield* reading.rows(t.alternate);
}

/** Whether the last feed can have printed on the grid. */
function isCurrent(t: TerminalState, grid: Grid): boolean {
  return grid.revision >= t.printedSince;
}

/** A range of cells of a line, counted from its first cell. */
interface Span {
  readonly from: number;
  readonly to: number;
}

function merge(one: Span | undefined, other: Span | undefined): Span | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return { from: Math.min(one.from, other.from), to: Math.max(one.to, other.to) };
}

/** The text printed on rows that have left the screen, by line. */
function spansOffScreen({ printedOffScreen }: TerminalState): Map<number, Span> {
  const spans = new Map<number, Span>();
  for (let index = 0; index < printedOffScreen.count; index++) {
    const line = printedOffScreen.line(index);
    const span = { from: printedOffScreen.from(index), to: printedOffScreen.to(index) };
    spans.set(line, merge(spans.get(line), span) as Span);
  }
  return spans;
}

/** One pass over the printed text. All lines share one buffer, because there are many. */
class PrintedTextReader {
  readonly #t: TerminalState;
  readonly #buffer = new CellBuffer();

  constructor(t: TerminalState) {
    this.#t = t;
  }

  *scrollbackLine(line: number, span: Span): Generator<PrintedText> {
    this.#buffer.clear();
    this.#t.scrollback.readLine(line, this.#buffer);
    if (this.#buffer.length > 0) yield this.#toText(line, span);
  }

  *screenLine({ line, firstRow, lastRow }: ScreenLine, off: Span | undefined) {
    const { primary, scrollback } = this.#t;
    let offset = firstRow === 0 ? scrollback.openCells : 0;
    let span = off;
    for (let row = firstRow; row <= lastRow; row++) {
      span = merge(span, spanOfRow(primary, row, offset));
      offset += lineLength(primary, row);
    }
    if (span === undefined) return;
    this.#buffer.clear();
    const tail = firstRow === 0 ? openTail(this.#t) : noTail;
    for (let row = firstRow; row <= lastRow; row++) appendRow(primary, row, this.#buffer);
    yield this.#toText(line, span, tail);
  }

  *rows(grid: Grid): Generator<PrintedText> {
    for (let row = 0; row < grid.rows; row++) {
      const span = spanOfRow(grid, row, 0);
      if (span === undefined) continue;
      this.#buffer.clear();
      appendRow(grid, row, this.#buffer);
      yield this.#toText(null, span, noTail, row);
    }
  }

  /** @param tail what precedes the cells in the buffer */
  #toText(line: number | null, span: Span, tail = noTail, row: number | null = null): PrintedText {
    const { codes, length } = this.#buffer;
    const text = tail.text + cellsText(codes, 0, length, this.#t.clusters);
    const from = this.#index(tail, span.from);
    const to = this.#index(tail, span.to);
    // One shape for all: readers go through many of them.
    return { line, text, cut: tail.from > 0, from, to, row };
  }

  /** Returns the index in the text at which a cell of the line begins. */
  #index(tail: OpenTail, cell: number): number {
    if (cell < tail.to) return tail.text.length - unitsFrom(this.#t, tail, cell);
    const { codes, length } = this.#buffer;
    const end = Math.min(cell - tail.to, length);
    return tail.text.length + textUnits(codes, 0, end, this.#t.clusters);
  }
}

const noTail: OpenTail = { from: 0, to: 0, text: '' };

function spanOfRow(grid: Grid, row: number, offset: number): Span | undefined {
  const from = grid.printedFrom(row);
  return from < 0 ? undefined : { from: offset + from, to: offset + grid.printedTo(row) };
}

/** The end of the open line above the screen: its cells from `from` up to `to`, as text. */
interface OpenTail {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

interface KnownTail extends OpenTail {
  readonly line: number;
  readonly edits: number;
}

/** A tail begins at a multiple of this number of cells, and has at least as many if the line has. */
const blockCells = 16 * 1024;
/** The most that a cell without combining characters takes, in bytes. */
const bytesPerCell = 4;
/** Maximum bytes that are read of the open line. */
const maxBytes = 256 * 1024;

/** A long line with many short outputs would take quadratic time if each read its tail again. */
const tails = new WeakMap<Scrollback, KnownTail>();

function openTail(t: TerminalState): OpenTail {
  const { scrollback, clusters } = t;
  const { nextLine: line, openEdits: edits, openCells: to } = scrollback;
  if (!scrollback.open) return { from: to, to, text: '' };
  const from = Math.max(0, Math.floor(to / blockCells) - 1) * blockCells;
  const before = tails.get(scrollback);
  const isGrown = before?.line === line && before.edits === edits && before.from === from;
  if (isGrown && before.to === to) return before;
  const start = isGrown ? before.to : from;
  const cells = lastCells(scrollback, to - start);
  const added = cellsText(cells.codes, 0, cells.length, clusters);
  // Fewer cells are read if they have many combining characters.
  const tail =
    cells.length < to - start
      ? { from: to - cells.length, to, text: added }
      : { from, to, text: isGrown ? before.text + added : added };
  tails.set(scrollback, { ...tail, line, edits });
  return tail;
}

/** Returns the length of the text of the cells of a tail from `cell` on, in UTF-16 code units. */
function unitsFrom(t: TerminalState, tail: OpenTail, cell: number): number {
  if (cell <= tail.from) return tail.text.length;
  const { codes, length } = lastCells(t.scrollback, tail.to - cell);
  return textUnits(codes, 0, length, t.clusters);
}

/** Returns the last cells of the open line, at most `count`. */
function lastCells(scrollback: Scrollback, count: number): { codes: Int32Array; length: number } {
  const cells = new CellBuffer();
  for (let bytes = count * bytesPerCell; count > 0; bytes *= 2) {
    cells.clear();
    scrollback.readTail(Math.min(bytes, maxBytes), cells);
    if (cells.length >= count || bytes >= maxBytes) break;
  }
  const start = Math.max(0, cells.length - count);
  return { codes: cells.codes.subarray(start, cells.length), length: cells.length - start };
}
