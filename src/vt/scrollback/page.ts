import { encodeUtf8 } from '#base';
import type { LineFinder } from '#model';
import { ByteBuffer, isWasteful } from '../cells/byte-buffer.ts';
import type { CellBuffer } from '../cells/cell.ts';
import type { ClusterTable } from '../cells/cluster-table.ts';
import { type ReadyRow, runWords } from '../cells/ready-row.ts';
import type { StyleTable } from '../style/style-table.ts';
import { defaultStyle } from '../style/style-word.ts';
import {
  PageLinks,
  RunReader,
  type RunTables,
  writeReadyRuns,
  writeRun,
  writeRuns,
} from './page-styles.ts';
import {
  cellStart,
  copyText,
  emptyMark,
  hasTabs,
  isText,
  lineEnd,
  markBytes,
  readCells,
  readText,
  writeAscii,
  writeCells,
  writeText,
} from './page-text.ts';
import { appendReadyCells } from './ready-rows.ts';

/** Initial capacity of a session's first page: small, because many sessions print little. */
const firstLines = 32;
const firstTextBytes = 2048;
/** Initial capacity of a page that follows a full one. */
const nextLines = 1024;
const nextTextBytes = 54 * 1024;
const maxTextStepBytes = 8 * 1024;
const nextRunBytes = 8 * 1024;
/** Larger memory, of pages with long lines, is not used again. */
const maxReusedBytes = 64 * 1024;
/** The most lines that {@link Page.unstyled} returns: callers may need only the first. */
const maxUnstyledLines = 64;
/** Bytes per closed line in the list of line ends. */
const bytesOfEnds = 2 * Uint32Array.BYTES_PER_ELEMENT;

/** A part of a page's text, see `page-text.ts`; valid until the next change. */
export interface StoredText {
  readonly text: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/** The text of a line and its runs. */
export interface StoredLine extends StoredText {
  /** After the last run, the text is in the default style. */
  readonly runs: RunReader;
}

/** Memory of a sealed page, for the next one. */
export interface PageMemory {
  readonly text: ArrayBuffer | null;
  readonly runs: ArrayBuffer | null;
}

/** What a page stores of consecutive lines. */
export interface PageContent {
  readonly firstLine: number;
  readonly lineCount: number;
  /** With the end of each line; see `page-text.ts`. */
  readonly text: Uint8Array;
  /** See `page-styles.ts`. */
  readonly runs: Uint8Array;
  /** For each line, where its text ends and where its runs end; needed if there are runs. */
  readonly ends: Uint32Array;
  /** What is to be subtracted from the ends of texts. */
  readonly textStart: number;
  /** What is to be subtracted from the ends of runs. */
  readonly runsStart: number;
  /** By number - 1; see `PageLinks`. */
  readonly links: readonly string[];
}

/**
 * A part of the scrollback: the text of its lines in one buffer, their styles in another, and the
 * end of each line in both. The last line may be open.
 */
export class Page {
  #firstLine: number;
  readonly #styles: StyleTable;
  readonly #clusters: ClusterTable;
  readonly #text: ByteBuffer;
  readonly #runs: ByteBuffer;
  /** Two numbers per line: the end of its text and the end of its runs. */
  #ends: Uint32Array;
  readonly #tables: RunTables;
  #lineCount = 0;
  /** Bytes at the end of the open line's text that are in the default style and have no run yet. */
  #plainBytes = 0;

  /** @param fullPage the memory of the full page that it follows; null if it follows none */
  constructor(
    firstLine: number,
    fullPage: PageMemory | null,
    styles: StyleTable,
    clusters: ClusterTable,
  ) {
    this.#firstLine = firstLine;
    const textBytes = fullPage === null ? firstTextBytes : nextTextBytes;
    this.#text = new ByteBuffer(textBytes, maxTextStepBytes, fullPage?.text);
    this.#runs = new ByteBuffer(fullPage === null ? 0 : nextRunBytes, undefined, fullPage?.runs);
    this.#ends = new Uint32Array(2 * (fullPage === null ? firstLines : nextLines));
    this.#styles = styles;
    this.#tables = { styles, links: new PageLinks(styles.links) };
    this.#clusters = clusters;
  }

  /** Returns a page of lines that {@link content} has returned. */
  static of(
    { firstLine, lineCount, text, runs, ends, textStart, runsStart, links }: PageContent,
    styles: StyleTable,
    clusters: ClusterTable,
  ): Page {
    const page = new Page(firstLine, null, styles, clusters);
    page.#text.append(text);
    page.#runs.append(runs);
    page.#tables.links.restore(links);
    page.#lineCount = lineCount;
    page.#ends = new Uint32Array(2 * lineCount);
    for (let index = 0, at = 0; index < lineCount; index++) {
      at = runs.length > 0 ? ends[index * 2] - textStart : text.indexOf(lineEnd, at) + 1;
      page.#ends[index * 2] = at;
      page.#ends[index * 2 + 1] = runs.length > 0 ? ends[index * 2 + 1] - runsStart : 0;
    }
    return page;
  }

  /** Number of the first line. */
  get firstLine(): number {
    return this.#firstLine;
  }

  /** Number of closed lines. */
  get lineCount(): number {
    return this.#lineCount;
  }

  /** Whether there is neither a closed line nor a part of an open one. */
  get isEmpty(): boolean {
    return this.#text.length + this.#runs.length + this.#lineCount === 0;
  }

  /** Bytes written, including the open line. */
  get usedBytes(): number {
    const links = this.#tables.links.bytes;
    return this.#text.length + this.#runs.length + this.#lineCount * bytesOfEnds + links;
  }

  /** Allocated memory in bytes. */
  get bytes(): number {
    const links = this.#tables.links.bytes;
    return this.#text.capacity + this.#runs.capacity + this.#ends.byteLength + links;
  }

  /** Memory beyond {@link bytes}, of the page before it. */
  get extraBytes(): number {
    const [text, runs] = [this.#text, this.#runs];
    return text.heldBytes - text.capacity + runs.heldBytes - runs.capacity;
  }

  /** Bytes of the open line. */
  get openBytes(): number {
    const index = this.#lineCount;
    const runs = this.#runs.length - this.#runsStart(index) + this.#tables.links.lineBytes;
    return this.#text.length - this.#textStart(index) + runs;
  }

  /** Appends cells in the default style to the open line. */
  appendPlain(codes: Int32Array, start: number, end: number): void {
    const before = this.#text.length;
    writeCells(this.#text, codes, start, end, this.#clusters);
    this.#plainBytes += this.#text.length - before;
  }

  /**
   * Appends printable ASCII in the default style to the open line.
   *
   * @param cols of the rows that the text fills: as much capacity is allocated as for them
   */
  appendText(source: DataView, start: number, end: number, cols: number): void {
    writeText(this.#text, source, start, end, cols);
    this.#plainBytes += end - start;
  }

  /**
   * Appends a row to the open line. The capacity is that after {@link append} with its cells: when lines are dropped
   * depends on it.
   */
  appendReady(row: ReadyRow): void {
    const { start, end, runs, firstRun, endRun, cells, asciiCells } = row;
    const before = this.#text.length;
    if (endRun <= firstRun + runWords && (cells === 0 || runs[firstRun] === defaultStyle)) {
      appendReadyCells(this.#text, row, start, end, 0, cells);
      this.#plainBytes += this.#text.length - before;
      return;
    }
    this.#text.reserve(cells);
    copyText(this.#text, row.words, start, start + asciiCells);
    if (asciiCells === cells) {
      const plain = this.#plainBytes;
      this.#plainBytes = writeReadyRuns(this.#runs, plain, runs, firstRun, endRun, this.#tables);
      return;
    }
    let col = 0;
    let at = start;
    for (let run = firstRun; run < endRun; run += runWords) {
      const endCol = col + runs[run + 1];
      const next = at + runs[run + 2];
      const written = Math.max(asciiCells - col, 0);
      if (endCol > asciiCells) {
        appendReadyCells(this.#text, row, at + written, next, col + written, endCol);
      }
      this.#appendRun(next - at, runs[run]);
      col = endCol;
      at = next;
    }
  }

  /** Appends empty cells to the open line. */
  appendBlank(count: number, style: number): void {
    const text = this.#text;
    text.reserve(count);
    text.bytes.fill(emptyMark, text.length, text.length + count);
    text.length += count;
    if (count > 0) this.#appendRun(count, style);
  }

  /** Appends cells to the open line. */
  append(codes: Int32Array, styles: Int32Array, start: number, end: number): void {
    const written = writeAscii(this.#text, codes, start, end);
    if (written === end) {
      // Most rows: each cell is one byte.
      this.#plainBytes = writeRuns(this.#runs, this.#plainBytes, styles, start, end, this.#tables);
      return;
    }
    for (let at = start; at < end; ) {
      const style = styles[at];
      const from = at;
      do at++;
      while (at < end && styles[at] === style);
      const bytes = at <= written ? at - from : this.#appendCells(codes, from, at, written);
      this.#appendRun(bytes, style);
    }
  }

  /**
   * Appends the cells of a run, except those before `written`. Returns the number of bytes of the
   * run.
   */
  #appendCells(codes: Int32Array, from: number, to: number, written: number): number {
    const rest = Math.max(from, written);
    const before = this.#text.length;
    writeCells(this.#text, codes, rest, to, this.#clusters);
    return rest - from + this.#text.length - before;
  }

  closeLine(): void {
    this.#dropEmptyTail();
    this.#text.push(lineEnd);
    if (this.#ends.length === this.#lineCount * 2) {
      const grown = new Uint32Array(this.#ends.length * 2);
      grown.set(this.#ends);
      this.#ends = grown;
    }
    this.#ends[this.#lineCount * 2] = this.#text.length;
    this.#ends[this.#lineCount * 2 + 1] = this.#runs.length;
    this.#lineCount++;
    this.#plainBytes = 0;
    this.#tables.links.endLine();
  }

  /** Releases capacity for further lines if much of it is unused. Returns memory for the next page. */
  seal(): PageMemory {
    const memory = { text: reusable(this.#text.trim()), runs: reusable(this.#runs.trim()) };
    const used = this.#lineCount * 2;
    if (isWasteful(used, this.#ends.length)) this.#ends = this.#ends.slice(0, used);
    return memory;
  }

  /** Removes all lines, to reuse the memory. */
  reset(firstLine: number): void {
    this.#firstLine = firstLine;
    this.#text.length = 0;
    this.#runs.length = 0;
    this.#lineCount = 0;
    this.#plainBytes = 0;
    this.#tables.links.clear();
  }

  /** @param index of the line in this page, below `lineCount`, or `lineCount` for the open line */
  text(index: number, withTabs: boolean): string {
    return readText(this.#text.bytes, this.#textStart(index), this.#textEnd(index), withTabs);
  }

  /**
   * Bytes of UTF-8 in the text of closed lines, by index in this page, with one line feed per line.
   */
  textBytes(from: number, to: number): number {
    const { bytes } = this.#text;
    const start = this.#textStart(from);
    const all = this.#textStart(to) - start;
    if (isText(bytes, start, start + all)) return all;
    if (hasTabs(bytes, start, start + all)) return this.#encodedBytes(from, to);
    let unseen = markBytes(bytes, start, start + all);
    for (let index = from; index < to; index++) {
      let end = this.#textEnd(index);
      for (; end > this.#textStart(index) && bytes[end - 1] === emptyMark; end--) unseen++;
    }
    return all - unseen;
  }

  #encodedBytes(from: number, to: number): number {
    let sum = 0;
    for (let index = from; index < to; index++)
      sum += encodeUtf8(this.text(index, true)).length + 1;
    return sum;
  }

  /**
   * Returns the first closed line from `from` up to but excluding `to` that may match; `to` if
   * there is none.
   */
  findLine(from: number, to: number, find: LineFinder): number {
    const start = this.#textStart(from);
    const at = from < to ? find(this.#text.bytes, start, this.#ends[to * 2 - 2]) : -1;
    return at < 0 ? to : this.#lineAt(at, from, to);
  }

  /** Appends the cells of a line. */
  readLine(index: number, into: CellBuffer): void {
    let at = this.#textStart(index);
    const runs = this.#runsOf(index);
    while (!runs.done) {
      const to = at + runs.readLength();
      const style = runs.readStyle(this.#styles);
      readCells(this.#text.bytes, at, to, style, this.#clusters, into);
      at = to;
    }
    readCells(this.#text.bytes, at, this.#textEnd(index), defaultStyle, this.#clusters, into);
  }

  /** A closed line as it is stored. */
  stored(index: number): StoredLine {
    return {
      text: this.#text.bytes,
      start: this.#textStart(index),
      end: this.#textEnd(index),
      runs: this.#runsOf(index),
    };
  }

  /**
   * Returns the text of closed lines, each with its end, from one on: up to the first that has other styles than the
   * default, and not beyond `to`. They may be fewer.
   */
  unstyled(index: number, to: number): StoredText {
    const end = Math.min(to, this.#lineCount, index + maxUnstyledLines);
    const runs = this.#runsStart(index);
    let last = index;
    while (last < end && this.#runsEnd(last) === runs) last++;
    return { text: this.#text.bytes, start: this.#textStart(index), end: this.#textStart(last) };
  }

  /** Closed lines, by index in this page, from `from` up to but excluding `to`. Valid until the page changes. */
  content(from: number, to: number): PageContent {
    const textStart = this.#textStart(from);
    const runsStart = this.#runsStart(from);
    return {
      firstLine: this.#firstLine + from,
      lineCount: to - from,
      textStart,
      runsStart,
      text: this.#text.bytes.subarray(textStart, this.#textStart(to)),
      runs: this.#runs.bytes.subarray(runsStart, this.#runsStart(to)),
      ends: this.#ends.subarray(from * 2, to * 2),
      links: this.#tables.links.keys,
    };
  }

  /** Bytes of the last closed line. */
  get lastLineBytes(): number {
    const index = this.#lineCount - 1;
    const text = this.#textEnd(index) - this.#textStart(index);
    return text + this.#runsEnd(index) - this.#runsStart(index);
  }

  /** Removes the open line or the last closed line, and appends its cells to `into`. */
  takeLine(isOpen: boolean, into: CellBuffer): void {
    const index = isOpen ? this.#lineCount : this.#lineCount - 1;
    this.readLine(index, into);
    this.#text.length = this.#textStart(index);
    this.#runs.length = this.#runsStart(index);
    this.#plainBytes = 0;
    this.#tables.links.endLine();
    this.#lineCount = index;
  }

  /** Appends cells from the last `maxBytes` of the open line, in the default style. */
  readTail(maxBytes: number, into: CellBuffer): void {
    const { bytes, length } = this.#text;
    const from = Math.max(this.#textStart(this.#lineCount), length - maxBytes);
    readCells(bytes, cellStart(bytes, from, length), length, defaultStyle, this.#clusters, into);
  }

  /**
   * Removes the empty cells at the end of the open line. They were stored because their row
   * wrapped, but no text followed.
   */
  #dropEmptyTail(): void {
    const text = this.#text;
    const from = text.length - this.#plainBytes;
    while (text.length > from && text.bytes[text.length - 1] === emptyMark) text.length--;
  }

  #appendRun(textBytes: number, style: number): void {
    if (style === defaultStyle) {
      this.#plainBytes += textBytes;
      return;
    }
    if (this.#plainBytes > 0) {
      writeRun(this.#runs, this.#plainBytes, defaultStyle, this.#tables);
      this.#plainBytes = 0;
    }
    writeRun(this.#runs, textBytes, style, this.#tables);
  }

  #runsOf(index: number): RunReader {
    const { bytes } = this.#runs;
    return new RunReader(this.#tables.links, bytes, this.#runsStart(index), this.#runsEnd(index));
  }

  /** Returns which of the lines from `from` up to but excluding `to` contains a byte. */
  #lineAt(at: number, from: number, to: number): number {
    let low = from;
    let high = to - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#ends[middle * 2] <= at) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #textStart(index: number): number {
    return index === 0 ? 0 : this.#ends[index * 2 - 2];
  }

  #textEnd(index: number): number {
    return index < this.#lineCount ? this.#ends[index * 2] - 1 : this.#text.length;
  }

  #runsStart(index: number): number {
    return index === 0 ? 0 : this.#ends[index * 2 - 1];
  }

  #runsEnd(index: number): number {
    return index < this.#lineCount ? this.#ends[index * 2 + 1] : this.#runs.length;
  }
}

const reusable = (memory: ArrayBuffer | null): ArrayBuffer | null =>
  memory !== null && memory.byteLength <= maxReusedBytes ? memory : null;
