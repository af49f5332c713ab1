import { wordsOf } from '../cells/byte-buffer.ts';
import { noWords, ReadyRow, runWords } from '../cells/ready-row.ts';
import { fillDeferred } from '../grid/row-metadata.ts';
import { rowsOfText } from '../scrollback/scrollback.ts';
import { spend, type TerminalState } from '../state/terminal-state.ts';
import { defaultStyle } from '../style/style-word.ts';
import { LinesAhead } from './lines-ahead.ts';
import { isFullWidth } from './movement.ts';
import { pushToScrollback, workOfLine } from './scrolling.ts';

// In a flood, most lines leave the screen within the feed that prints them. Those of plain text go to the scrollback as
// they are: nobody could have seen their cells.

/** Fewer lines than this are not worth it. */
const leastLines = 8;
/** After too few lines, so many bytes are printed otherwise before the next try: a log in colour has them in between. */
const bytesBetweenTries = 1024;
/** The most lines that are handled at once. */
const mostLines = 8 * 1024;
/** All terminals share it: no line is kept. */
let ahead: LinesAhead | null = null;
/** The ends of the lines that were found, without CR LF. All terminals share it: no line is kept. */
const ends = new Int32Array(mostLines);

const cr = 0x0d;
const lf = 0x0a;

/**
 * Prints lines of printable ASCII, each with CR LF, from the first column of the last row on, where that does what
 * printing their characters does. All go to the scrollback but those that fill the screen at the end: they become text of
 * its rows, or are left if somebody reads it. Returns where it stopped; `start` if there are too few lines.
 */
export function printLines(
  t: TerminalState,
  bytes: Uint8Array,
  start: number,
  end: number,
): number {
  const { cols, rows } = t;
  if (end - start < 2 * (rows + leastLines) || !isPlain(t)) return start;
  if (t.pen.style(t.styles) !== defaultStyle) return printStyledLines(t, bytes, start, end);
  const words = wordsOf(bytes);
  const count = findLines(words, start, end);
  const pushable = count - lastLines(count, start, rows - 1, cols);
  if (pushable < leastLines) {
    if (count >= leastLines && !t.grid.noteReads()) {
      keepTexts(t, words, start, 0, count, pushScreen(t, rowsOfTexts(start, 0, count, cols)));
      return lineStart(count, start);
    }
    t.noLinesBefore = lineStart(count, start) + bytesBetweenTries;
    return printStyledLines(t, bytes, start, end);
  }
  const pushed = pushScreen(t, rows) + pushTexts(t, words, start, pushable);
  if (!t.grid.noteReads()) {
    keepTexts(t, words, start, pushable, count, pushed);
    return lineStart(count, start);
  }
  // As far as the rows would have moved one by one: `rowIds` shows it.
  t.grid.scrollUp(0, rows - 1, pushed % rows, defaultStyle);
  t.cursor.row = 0;
  return lineStart(pushable, start);
}

/** Returns how many of the last lines that were found fill so many rows; all, if they are too few. */
function lastLines(count: number, start: number, rows: number, cols: number): number {
  let index = count;
  for (let filled = 0; index > 0 && filled < rows; ) {
    index--;
    filled += rowsOfText(ends[index] - lineStart(index, start), cols);
  }
  return count - index;
}

/** How many rows the lines take that were found, from the index `from` up to but excluding `to`. */
function rowsOfTexts(start: number, from: number, to: number, cols: number): number {
  let rows = 0;
  for (let index = from; index < to; index++) {
    rows += rowsOfText(ends[index] - lineStart(index, start), cols);
  }
  return rows;
}

/** Where a line begins that {@link findLines} has found, or the next one. */
function lineStart(index: number, start: number): number {
  return index === 0 ? start : ends[index - 1] + 2;
}

/** Whether text in the first column of the last row is written to empty cells, and scrolls the whole screen. */
function isPlain(t: TerminalState): boolean {
  const { cursor, grid, rows } = t;
  if (rows < 2 || t.marginTop > 0 || t.marginBottom < rows - 1 || !isFullWidth(t)) return false;
  if (t.onAlternate || t.frame !== null || !t.modes.autowrap || cursor.wrapPending) return false;
  if (t.eraseStyle !== defaultStyle) return false;
  const meta = grid.metadata(rows - 1);
  const isEmpty =
    (meta.flags & ~fillDeferred) === 0 && meta.extent === 0 && meta.printedAt < grid.printedSince;
  return isEmpty && !grid.wraps(rows - 2);
}

/**
 * Like {@link printLines}, for lines of any characters and SGR, of which the first begins in the current style. Those that
 * fill the screen at the end become text of its rows, and cells when somebody reads them.
 */
export function printStyledLines(
  t: TerminalState,
  bytes: Uint8Array,
  start: number,
  end: number,
): number {
  const isRead = t.grid.noteReads();
  // Lines that become cells are read in vain, and so is one that does not end.
  const leastBytes = (isRead ? 1.5 * t.rows : 2) * t.bytesOfLine;
  if (end - start < leastBytes) return start;
  if (t.cols === 1 || !t.modes.graphemeClusters || !isPlain(t)) return start;
  ahead ??= new LinesAhead();
  ahead.read(t, bytes, wordsOf(bytes), start, end);
  const { count } = ahead;
  t.noLinesBefore = (count === 0 ? start : ahead.end(count - 1)) + bytesBetweenTries;
  let last = count;
  if (isRead) {
    while (last > 0 && ahead.rowsEnd(count - 1) - ahead.rowsEnd(last - 1) < t.rows - 1) last--;
    if (last < leastLines) return start;
  } else if (last === 0) return start;
  moveLines(t, ahead, last, isRead);
  ahead.finish(t, last - 1);
  return ahead.end(last - 1);
}

/**
 * Scrolls the screen by the rows of lines. They go to the scrollback, except those that remain on the screen.
 *
 * @param areMore whether more lines follow, which fill the screen
 */
function moveLines(t: TerminalState, lines: LinesAhead, count: number, areMore: boolean): void {
  const { grid, rows } = t;
  const all = lines.rowsEnd(count - 1);
  const leaving = areMore ? rows - 1 : Math.min(all, rows - 1);
  pushScreen(t, leaving);
  const left = areMore ? 0 : leaving;
  const scrolled = areMore ? all + rows - 1 : all;
  // As far as the rows would have moved one by one: `rowIds` shows it.
  grid.scrollUp(0, rows - 1, leaving === rows - 1 ? scrolled % rows : scrolled, defaultStyle);
  t.cursor.row = areMore ? 0 : rows - 1;
  const ready = lines.rows;
  const pushed = all - left;
  let work = 0;
  for (let line = 0, row = 0; line < count; line++) {
    const end = lines.rowsEnd(line);
    for (; row < end; row++) {
      const wraps = row < end - 1;
      if (row < pushed) work += pushReady(t, ready.at(row), wraps);
      else grid.setReady(row - pushed + rows - 1 - left, ready.at(row), wraps, t.clusters);
    }
  }
  spend(t, work);
}

/** Appends a row to the scrollback. Returns the work. */
function pushReady(
  { printedOffScreen, scrollback }: TerminalState,
  row: ReadyRow,
  wraps: boolean,
): number {
  const { cells } = row;
  const before = scrollback.openCells;
  if (cells > 0) printedOffScreen.push(scrollback.nextLine, before, before + cells);
  scrollback.pushReady(row, wraps);
  return cells + workOfLine;
}

/** Finds the ends of the lines from `start` on that have only printable ASCII. Returns how many. */
function findLines(words: DataView, start: number, end: number): number {
  let count = 0;
  for (let at = start; count < mostLines; at += 2) {
    at = printableEnd(words, at, end);
    if (at + 2 > end || words.getUint8(at) !== cr || words.getUint8(at + 1) !== lf) break;
    ends[count++] = at;
  }
  return count;
}

/** Returns the index of the first byte from `start` on that is outside 0x20..0x7E. */
function printableEnd(words: DataView, start: number, end: number): number {
  let at = start;
  for (; at + 4 <= end; at += 4) {
    const word = words.getInt32(at, true);
    // The highest bit of a byte is set by the subtraction if it is less than a space, and by the sum if it is DEL. A carry
    // comes only from such a byte, or from one that is not ASCII.
    if (((word | (word - 0x20202020) | (word + 0x01010101)) & 0x80808080) !== 0) break;
  }
  for (; at < end; at++) {
    const byte = words.getUint8(at);
    if (byte < 0x20 || byte > 0x7e) break;
  }
  return at;
}

/**
 * Moves the first rows to the scrollback, as many as lines of `count` rows scroll away; if these are all above the last
 * one, empties the screen. Returns the number of rows above the last one.
 */
function pushScreen(t: TerminalState, count: number): number {
  const last = t.rows - 1;
  const leaving = Math.min(count, last);
  for (let row = 0; row < leaving; row++) pushToScrollback(t, row);
  if (leaving === last) t.grid.eraseRows(0, t.rows, defaultStyle);
  return last;
}

/** Appends the first lines that were found to the scrollback. Returns the number of their rows. */
function pushTexts(t: TerminalState, words: DataView, start: number, count: number): number {
  const { cols, printedOffScreen, scrollback } = t;
  const before = scrollback.pushedRows;
  for (let index = 0, at = start; index < count; index++) {
    const end = ends[index];
    if (end > at) {
      for (let from = at; from < end; from += cols) {
        printedOffScreen.push(scrollback.nextLine, from - at, Math.min(from + cols, end) - at);
      }
      t.lastPrinted = words.getUint8(end - 1);
    }
    scrollback.pushText(words, at, end, cols);
    at = end + 2;
  }
  const pushed = scrollback.pushedRows - before;
  spend(t, lineStart(count, start) - 2 * count - start + pushed * workOfLine);
  return pushed;
}

/** A row of such a line. All terminals share it. */
const textRow = new ReadyRow();
textRow.runs = new Int32Array(runWords);
textRow.endRun = runWords;

/**
 * Scrolls the screen by lines that were found, from the index `from` up to but excluding `to`, which become text of its
 * rows. The first ones scroll away if they are too many.
 *
 * @param pushed how many rows were pushed, of the screen and of lines; those of the screen count as all but the last one
 */
function keepTexts(
  t: TerminalState,
  words: DataView,
  start: number,
  from: number,
  to: number,
  pushed: number,
): void {
  const { clusters, cols, grid, rows } = t;
  const leaving = rowsOfTexts(start, from, to, cols) + 1 - rows;
  grid.scrollUp(0, rows - 1, (pushed + leaving) % rows, defaultStyle);
  t.cursor.row = rows - 1;
  textRow.words = words;
  let work = 0;
  let row = -leaving;
  for (let index = from; index < to; index++) {
    const end = ends[index];
    let at = lineStart(index, start);
    if (end > at) t.lastPrinted = words.getUint8(end - 1);
    do {
      textRow.start = at;
      at = Math.min(at + cols, end);
      textRow.end = at;
      const cells = at - textRow.start;
      textRow.cells = cells;
      textRow.asciiCells = cells;
      textRow.runs[1] = cells;
      textRow.runs[2] = cells;
      if (row < 0) work += pushReady(t, textRow, at < end);
      else grid.setReady(row, textRow, at < end, clusters);
      row++;
    } while (at < end);
  }
  // The output is not held.
  textRow.words = noWords;
  spend(t, work);
}
