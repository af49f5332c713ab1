import { CellBuffer } from './cell-buffer.ts';
import { cellsText, cellText } from './cell-text.ts';
import { readScreenLine, rowLength, type ScreenLine, screenLines } from './screen-lines.ts';
import type { TerminalState } from './terminal-state.ts';

/** A line, or a row of the alternate screen, that the last feed printed on. */
export interface PrintedText {
  /** Line number; null on the alternate screen, whose rows have none. */
  readonly line: number | null;
  /** The whole line, with what stood there before. */
  readonly text: string;
  /** Index in `text` of the first character that was printed, give or take what lies between. */
  readonly from: number;
  /** One past the last. */
  readonly to: number;
}

/**
 * What the last feed printed, line by line, from the top down. Where it printed in several places
 * of a row, what lies between them counts as printed too. Lines that have been dropped from the
 * scrollback since are missing.
 */
export function* printedText(t: TerminalState): Generator<PrintedText> {
  const off = joinedSpans(t);
  const lines = t.onAlternate ? [] : screenLines(t);
  const first = lines[0];
  for (const [line, span] of off) {
    // The line that goes on in the topmost row comes with that row.
    if (line === first?.line) continue;
    const buffer = new CellBuffer();
    if (line >= t.scrollback.firstLine) t.scrollback.readLine(line, buffer);
    if (buffer.length > 0) yield toText(t, line, buffer, span);
  }
  if (t.onAlternate) yield* printedRows(t);
  for (const screenLine of lines) {
    const span = merge(off.get(screenLine.line), spanOnScreen(t, screenLine));
    if (span === undefined) continue;
    const buffer = new CellBuffer();
    readScreenLine(t, screenLine, buffer);
    yield toText(t, screenLine.line, buffer, span);
  }
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
function joinedSpans({ printedOff }: TerminalState): Map<number, Span> {
  const spans = new Map<number, Span>();
  for (let index = 0; index < printedOff.count; index++) {
    const line = printedOff.line(index);
    const span = { from: printedOff.from(index), to: printedOff.to(index) };
    spans.set(line, merge(spans.get(line), span) as Span);
  }
  return spans;
}

function spanOnScreen(t: TerminalState, { firstRow, lastRow }: ScreenLine): Span | undefined {
  let offset = firstRow === 0 ? t.scrollback.openCells : 0;
  let span: Span | undefined;
  for (let row = firstRow; row <= lastRow; row++) {
    const from = t.primary.printedFrom(row);
    if (from >= 0)
      span = merge(span, { from: offset + from, to: offset + t.primary.printedTo(row) });
    offset += rowLength(t.primary, row);
  }
  return span;
}

function* printedRows(t: TerminalState): Generator<PrintedText> {
  for (let row = 0; row < t.rows; row++) {
    const from = t.grid.printedFrom(row);
    if (from < 0) continue;
    const buffer = new CellBuffer();
    const start = t.grid.start(row);
    buffer.append(t.grid.codes, t.grid.styles, start, start + t.grid.usedCols(row));
    yield toText(t, null, buffer, { from, to: t.grid.printedTo(row) });
  }
}

function toText(
  t: TerminalState,
  line: number | null,
  buffer: CellBuffer,
  span: Span,
): PrintedText {
  const text = cellsText(buffer.codes, 0, buffer.length, t.clusters);
  const from = textIndex(t, buffer, span.from);
  return { line, text, from, to: from + textLength(t, buffer, span.from, span.to) };
}

function textIndex(t: TerminalState, buffer: CellBuffer, cell: number): number {
  return textLength(t, buffer, 0, cell);
}

/** Length of the text of the cells `from` up to and without `to`, in UTF-16 code units. */
function textLength(t: TerminalState, buffer: CellBuffer, from: number, to: number): number {
  let length = 0;
  for (let at = from; at < Math.min(to, buffer.length); at++) {
    length += buffer.codes[at] < 0x80 ? 1 : cellText(buffer.codes[at], t.clusters).length;
  }
  return length;
}
