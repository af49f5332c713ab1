import { CellBuffer } from '../cells/cell-buffer.ts';
import { cellsText, cellText } from '../cells/cell-text.ts';
import type { Grid } from '../grid/grid.ts';
import { appendRow, rowLength } from '../grid/wrapping.ts';
import { type ScreenLine, screenLines } from '../state/screen-lines.ts';
import type { TerminalState } from '../state/terminal-state.ts';

/** A line, or a row of the alternate screen, that the last feed printed on. */
export interface PrintedText {
  /** Line number; null on the alternate screen, whose rows have none. */
  readonly line: number | null;
  /** The whole line, with what stood there before; of a very long one its end. */
  readonly text: string;
  /** Whether `text` lacks the beginning of the line. */
  readonly cut: boolean;
  /** Index in `text` of the first character that was printed, give or take what lies between. */
  readonly from: number;
  /** One past the last. */
  readonly to: number;
}

/** Of a line that is still open, no more than so many bytes of what has left the screen are looked at. */
const maxTailBytes = 32 * 1024;

/**
 * What the last feed printed and what of it can still be read, line by line, from the top down.
 * Where it printed in several places of a row, what lies between them counts as printed too.
 */
export function* printedText(t: TerminalState): Generator<PrintedText> {
  const reading = new PrintedTextReader(t);
  const lines = isCurrent(t, t.primary) ? screenLines(t) : [];
  const off = spansOffScreen(t);
  for (const [line, span] of off) {
    // The line that goes on in the topmost row comes with that row.
    if (line !== lines[0]?.line) yield* reading.scrollbackLine(line, span);
  }
  for (const screenLine of lines) {
    yield* reading.screenLine(screenLine, off.get(screenLine.line));
  }
  if (t.alternate !== null && isCurrent(t, t.alternate)) yield* reading.rows(t.alternate);
}

/** Whether anything can have been printed on it in the last feed. */
function isCurrent(t: TerminalState, grid: Grid): boolean {
  return grid.revision >= t.printedSince;
}

/** Cells of a line, counted from its first. */
interface Span {
  readonly from: number;
  readonly to: number;
}

function merge(one: Span | undefined, other: Span | undefined): Span | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return { from: Math.min(one.from, other.from), to: Math.max(one.to, other.to) };
}

/** What was printed on rows that are off the screen now, by line. */
function spansOffScreen({ printedOffScreen }: TerminalState): Map<number, Span> {
  const spans = new Map<number, Span>();
  for (let index = 0; index < printedOffScreen.count; index++) {
    const line = printedOffScreen.line(index);
    const span = { from: printedOffScreen.from(index), to: printedOffScreen.to(index) };
    spans.set(line, merge(spans.get(line), span) as Span);
  }
  return spans;
}

/** One pass over what was printed. Lines are many, so they share one buffer. */
class PrintedTextReader {
  readonly #t: TerminalState;
  readonly #buffer = new CellBuffer();

  constructor(t: TerminalState) {
    this.#t = t;
  }

  *scrollbackLine(line: number, span: Span): Generator<PrintedText> {
    this.#buffer.clear();
    this.#t.scrollback.readLine(line, this.#buffer);
    if (this.#buffer.length > 0) yield this.#toText(line, span, 0);
  }

  *screenLine({ line, firstRow, lastRow }: ScreenLine, off: Span | undefined) {
    const { primary, scrollback } = this.#t;
    let offset = firstRow === 0 ? scrollback.openCells : 0;
    let span = off;
    for (let row = firstRow; row <= lastRow; row++) {
      span = merge(span, spanOfRow(primary, row, offset));
      offset += rowLength(primary, row);
    }
    if (span === undefined) return;
    this.#buffer.clear();
    if (firstRow === 0) scrollback.readTail(maxTailBytes, this.#buffer);
    const cut = firstRow === 0 ? scrollback.openCells - this.#buffer.length : 0;
    for (let row = firstRow; row <= lastRow; row++) appendRow(primary, row, this.#buffer);
    yield this.#toText(line, span, cut);
  }

  *rows(grid: Grid): Generator<PrintedText> {
    for (let row = 0; row < grid.rows; row++) {
      const span = spanOfRow(grid, row, 0);
      if (span === undefined) continue;
      this.#buffer.clear();
      appendRow(grid, row, this.#buffer);
      yield this.#toText(null, span, 0);
    }
  }

  /** @param cut cells of the line that the buffer lacks at its beginning */
  #toText(line: number | null, span: Span, cut: number): PrintedText {
    const { codes, length } = this.#buffer;
    const text = cellsText(codes, 0, length, this.#t.clusters);
    const from = this.#textLength(0, span.from - cut);
    const to = from + this.#textLength(Math.max(0, span.from - cut), span.to - cut);
    return { line, text, cut: cut > 0, from, to };
  }

  /** Length of the text of the cells `from` up to and without `to`, in UTF-16 code units. */
  #textLength(from: number, to: number): number {
    const { codes, length } = this.#buffer;
    let count = 0;
    for (let at = from; at < Math.min(to, length); at++) {
      count += codes[at] < 0x80 ? 1 : cellText(codes[at], this.#t.clusters).length;
    }
    return count;
  }
}

function spanOfRow(grid: Grid, row: number, offset: number): Span | undefined {
  const from = grid.printedFrom(row);
  return from < 0 ? undefined : { from: offset + from, to: offset + grid.printedTo(row) };
}
