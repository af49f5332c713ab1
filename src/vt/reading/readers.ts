import { decodeUtf8, encodeUtf8 } from '#base';
import type { Cell, LineFinder, LineScan } from '#model';
import { ByteBuffer } from '../cells/byte-buffer.ts';
import { CellBuffer, emptyCell, firstCharacter, spacerTail } from '../cells/cell.ts';
import {
  cellsText,
  cellText,
  tabbedText,
  trimmedEnd,
  trimmedToTab,
  writeText,
} from '../cells/cell-text.ts';
import type { ClusterTable } from '../cells/cluster-table.ts';
import { cutIntoRows } from '../grid/wrapping.ts';
import type { VisibleState } from '../state/visible-state.ts';
import { linkNumber } from '../style/attributes.ts';
import { linkSequence } from '../style/link-table.ts';
import { sgrOfStyle } from '../style/sgr-text.ts';
import type { StyleTable } from '../style/style-table.ts';
import { defaultStyle } from '../style/style-word.ts';
import { cellObjects } from './cell-objects.ts';
import { readScreenLine, type ScreenLine, screenLines } from './changes.ts';

const lineFeed = 0x0a;
/** As an end column: the end of the row or line. */
const all = Number.POSITIVE_INFINITY;

/**
 * Reads a row of the visible screen, or a line. The text of a line has the tabs that were written, if
 * nothing was written over them; a row has spaces.
 */
export interface Reader {
  /**
   * The whole text, or the cells from column `from` up to but excluding `to`. Trailing empty cells
   * are removed.
   */
  text(from?: number, to?: number): string;
  /** As {@link text}, with spaces in place of tabs, as displayed. */
  spaced(from?: number, to?: number): string;
  /** The column after the first `length` UTF-16 code units of {@link spaced}. */
  colAfter(length: number): number;
  /** The same with SGR sequences, for the cells from column `from` up to but excluding `to`. */
  ansi(from?: number, to?: number): string;
  /** The first column that is not empty; the number of columns if all are. */
  firstCol(): number;
  cells(): Cell[];
  /** Returns a reader of the same cells, in which some look like another character. */
  covered(covers: readonly Cover[]): Reader;
}

/** Cells from column `from` up to but excluding `to`, none of which is half a wide character. */
export interface Cover {
  readonly from: number;
  readonly to: number;
  /** The code point that each of them looks like, one column wide. */
  readonly code: number;
}

/** The text of the rows of the visible screen, with trailing spaces and empty cells removed. */
export function screenText(t: VisibleState): string[] {
  const { grid, cols, rows, clusters } = t;
  // All rows are decoded in one call, because each call has a fixed cost.
  const text = new ByteBuffer(rows * (cols + 1));
  for (let row = 0; row < rows; row++) {
    const used = grid.usedCols(row);
    if (used > 0) {
      const start = grid.start(row);
      const end = trimmedEnd(grid.codes, start, start + used, true);
      writeText(text, grid.codes, start, end, clusters);
    }
    text.push(lineFeed);
  }
  // Excludes the last line feed. Cells never contain line feeds.
  return decodeUtf8(text.bytes.subarray(0, text.length - 1)).split('\n');
}

/** Returns a reader of a row of the visible screen. */
export function rowReader(t: VisibleState, row: number): Reader {
  const { grid, cols } = t;
  const start = grid.start(row);
  return cellReader(t, grid.codes, grid.styles, start, start + cols, false);
}

/** The visible screen as cells, at a revision. */
export interface ScreenCells {
  readonly revision: number;
  readonly rows: readonly (readonly Cell[])[];
}

/**
 * Returns the rows of the visible screen as cells. Rows that have not changed since `before`, an
 * earlier read of the same terminal, are the same objects as there.
 */
export function screenCells(
  t: VisibleState,
  revision: number,
  before: ScreenCells | null,
): ScreenCells {
  const rows = before === null ? [] : before.rows.slice(0, t.rows);
  const count = rows.length;
  const since = before?.revision ?? -1;
  for (let row = 0; row < t.rows; row++) {
    if (row < count && t.grid.changedAt(row) <= since) continue;
    rows[row] = Object.freeze(rowReader(t, row).cells());
  }
  return { revision, rows: Object.freeze(rows) };
}

/** Yields the existing lines from number `from` up to but excluding `to`. */
export function* readLines(
  t: VisibleState,
  from: number,
  to: number,
): Generator<{ line: number; reader: Reader }> {
  const first = Math.max(from, t.scrollback.firstLine);
  for (let line = first; line < Math.min(to, t.topLine); line++) {
    yield { line, reader: scrollbackReader(t, line) };
  }
  for (const screenLine of screenLines(t)) {
    const { line } = screenLine;
    if (line >= from && line < to) yield { line, reader: screenLineReader(t, screenLine) };
  }
}

/**
 * Scans the lines from number `from` up to but excluding `to`. Stops at the first line that may
 * match, or after a fraction of a millisecond. Lines of the screen are reported as possible matches
 * without a scan.
 */
export function scanLines(t: VisibleState, from: number, to: number, find: LineFinder): LineScan {
  const first = Math.max(from, t.scrollback.firstLine);
  const end = Math.min(to, t.topLine);
  if (first < end) return t.scrollback.scan(first, end, find);
  return { line: first, mayMatch: first < Math.min(to, endLine(t)) };
}

/** The scrollback wrapped to the current width, with trailing spaces and empty cells removed. */
export function scrollbackRows(t: VisibleState): string[] {
  const { scrollback } = t;
  const rows: string[] = [];
  const end = scrollback.open ? scrollback.nextLine + 1 : scrollback.nextLine;
  for (let line = scrollback.firstLine; line < end; line++) {
    const { codes, length } = gather(t, line);
    cutIntoRows(codes, 0, length, t.cols, (from, to) => {
      rows.push(cellsText(codes, from, trimmedEnd(codes, from, to, true), t.clusters));
    });
  }
  return rows;
}

/**
 * Bytes of UTF-8 in the text of the lines from `from` up to but excluding `to`, with one line feed
 * per line.
 */
export function textBytes(t: VisibleState, from: number, to: number): number {
  let bytes = t.scrollback.textBytes(from, Math.min(to, t.topLine));
  for (const { reader } of readLines(t, Math.max(from, t.topLine), to)) {
    bytes += encodeUtf8(reader.text()).length + 1;
  }
  return bytes;
}

/** The topmost row that shows a line; null if none does. */
export const rowOf = (t: VisibleState, line: number): number | null =>
  screenLines(t).find((each) => each.line === line)?.firstRow ?? null;

/** One past the last line that is not empty. */
export function endLine(t: VisibleState): number {
  return t.topLine + screenLines(t).length;
}

function gather(t: VisibleState, line: number, buffer = new CellBuffer()): CellBuffer {
  t.scrollback.readLine(line, buffer);
  return buffer;
}

/** The line whose text is read: a new one takes a tenth of the time in which a wait finds its match. */
const textLine = new CellBuffer();

/** Returns an empty buffer, for a text that is read at once. */
function forText(): CellBuffer {
  textLine.clear();
  return textLine;
}

function scrollbackReader(t: VisibleState, line: number): Reader {
  return {
    text: (from = 0, to = all) =>
      from === 0 && to === all
        ? t.scrollback.text(line, true)
        : bufferReader(t, gather(t, line, forText())).text(from, to),
    spaced: (from = 0, to = all) =>
      from === 0 && to === all
        ? t.scrollback.text(line, false)
        : bufferReader(t, gather(t, line, forText())).spaced(from, to),
    colAfter: (length) => bufferReader(t, gather(t, line)).colAfter(length),
    ansi: (from, to) => bufferReader(t, gather(t, line)).ansi(from, to),
    firstCol: () => bufferReader(t, gather(t, line)).firstCol(),
    cells: () => bufferReader(t, gather(t, line)).cells(),
    covered: (covers) => bufferReader(t, gather(t, line)).covered(covers),
  };
}

/**
 * Reads the cells on demand: reading other lines may compact the style table, which renumbers
 * styles.
 */
function screenLineReader(t: VisibleState, line: ScreenLine): Reader {
  const read = (buffer = new CellBuffer()) => {
    readScreenLine(t, line, buffer);
    return bufferReader(t, buffer);
  };
  return {
    text: (from, to) => read(forText()).text(from, to),
    spaced: (from, to) => read(forText()).spaced(from, to),
    colAfter: (length) => read().colAfter(length),
    ansi: (from, to) => read().ansi(from, to),
    firstCol: () => read().firstCol(),
    cells: () => read().cells(),
    covered: (covers) => read().covered(covers),
  };
}

function bufferReader(t: VisibleState, buffer: CellBuffer): Reader {
  return cellReader(t, buffer.codes, buffer.styles, 0, buffer.length, true);
}

function cellReader(
  t: VisibleState,
  codes: Int32Array,
  styles: Int32Array,
  start: number,
  end: number,
  withTabs: boolean,
): Reader {
  const spaced = (from = 0, to = all) => {
    const first = Math.min(start + from, end);
    const last = trimmedEnd(codes, first, Math.min(start + to, end), false);
    return cellsText(codes, first, last, t.clusters);
  };
  return {
    text: (from = 0, to = all) => {
      if (!withTabs) return spaced(from, to);
      const first = Math.min(start + from, end);
      const last = trimmedToTab(codes, first, Math.min(start + to, end));
      return tabbedText(codes, first, last, t.clusters);
    },
    spaced,
    colAfter: (length) => {
      let at = start;
      for (let left = length; at < end && (left > 0 || codes[at] === spacerTail); at++) {
        left -= cellText(codes[at], t.clusters).length;
      }
      return at - start;
    },
    ansi: (from = 0, to = all) => {
      const first = Math.min(start + from, end);
      const last = styledEnd(codes, styles, first, Math.min(start + to, end), withTabs);
      return cellsAnsi(codes, styles, first, last, t.styles, t.clusters, withTabs);
    },
    firstCol: () => {
      let at = start;
      while (at < end && codes[at] === emptyCell) at++;
      return at - start;
    },
    cells: () => cellObjects(codes, styles, start, end, t.styles, t.clusters),
    covered: (covers) => {
      const look = codes.slice(start, end);
      for (const { from, to, code } of covers) look.fill(code, from, to);
      return cellReader(t, look, styles.slice(start, end), 0, look.length, withTabs);
    },
  };
}

/** Returns the end of the cells that are visible, including those with only a background. */
function styledEnd(
  codes: Int32Array,
  styles: Int32Array,
  start: number,
  end: number,
  withTabs: boolean,
): number {
  let used = end;
  while (used > start && codes[used - 1] < firstCharacter && styles[used - 1] === defaultStyle) {
    used--;
  }
  return withTabs ? Math.max(used, trimmedToTab(codes, start, end)) : used;
}

/**
 * The text of the cells from `start` up to but excluding `end`, with SGR sequences where the style
 * changes and OSC 8 where a link begins or ends. Begins and ends in the default style.
 *
 * @param withTabs whether the cells that a tab moved over are a tab rather than spaces
 */
function cellsAnsi(
  codes: Int32Array,
  cellStyles: Int32Array,
  start: number,
  end: number,
  styles: StyleTable,
  clusters: ClusterTable,
  withTabs: boolean,
): string {
  const textOf = withTabs ? tabbedText : cellsText;
  let text = '';
  let style: number = defaultStyle;
  for (let at = start; at < end; ) {
    const from = at;
    const next = cellStyles[at];
    do at++;
    while (at < end && cellStyles[at] === next);
    if (next !== style) text += styleChange(style, next, styles);
    style = next;
    text += textOf(codes, from, at, clusters);
  }
  return style === defaultStyle ? text : text + styleChange(style, defaultStyle, styles);
}

/** Returns the sequences that change one style to another: SGR and, if the link differs, OSC 8. */
function styleChange(from: number, to: number, styles: StyleTable): string {
  const isSame = linkNumber(styles.attributes(from)) === linkNumber(styles.attributes(to));
  return sgrOfStyle(to, styles) + (isSame ? '' : linkSequence(styles.link(to)));
}
