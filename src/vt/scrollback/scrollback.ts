import type { LineFinder, LineScan } from '#model';
import { emptyCell } from '../cells/cell.ts';
import type { CellBuffer } from '../cells/cell-buffer.ts';
import type { ClusterTable } from '../cells/cluster-table.ts';
import type { Grid } from '../grid/grid.ts';
import { type CutRow, isClipped } from '../grid/wrapping.ts';
import type { StyleTable } from '../style/style-table.ts';
import { Page } from './page.ts';

export interface ScrollbackLimits {
  /** Lines kept; 0 keeps none. */
  readonly maxLines: number;
  /**
   * Bytes of memory kept, give or take the last page, 64 KiB, or 512 KiB with a line without end; and
   * a page of 64 KiB whose memory waits to be used again.
   */
  readonly maxBytes: number;
}

/** A page is full when so much is written on it; it may grow over that by the line it ends with. */
const pageBytes = 56 * 1024;
/** More than any page takes: until so much is left of the limit, there is no need to look closer. */
const mostBytesOfPage = 1024 * 1024;
/** Pages that long lines made larger than this are not used again. */
const maxSpareBytes = 64 * 1024;
/** So many lines over the limit are held until the next feed. */
const maxUntrimmedLines = 4096;
/** A line that is longer in bytes goes on under a new number, so that it can be forgotten at all. */
const maxLineBytes = 256 * 1024;

/**
 * The lines that went off the top of the primary screen, oldest first. A line is a logical one: the
 * rows that it took on the screen are joined, and rows are cut anew by whoever reads.
 *
 * Lines are numbered from the first one ever; a number is never used again.
 */
export class Scrollback {
  readonly limits: ScrollbackLimits;
  readonly #styles: StyleTable;
  readonly #clusters: ClusterTable;
  #pages: Page[] = [];
  /** The one of them that is written to. */
  #last: Page | undefined;
  /** A page that was dropped, for its memory to be used again. */
  #spare: Page | undefined;
  /** Memory of all pages but the last. */
  #sealedBytes = 0;
  /** The oldest line in memory. */
  #firstHeld: number;
  #nextLine: number;
  #open = false;
  #openCells = 0;
  #pushedRows = 0;

  constructor(
    limits: ScrollbackLimits,
    styles: StyleTable,
    clusters: ClusterTable,
    firstLine: number,
  ) {
    this.limits = limits;
    this.#styles = styles;
    this.#clusters = clusters;
    this.#firstHeld = firstLine;
    this.#nextLine = firstLine;
  }

  /** The oldest line that is still kept. */
  get firstLine(): number {
    return Math.max(this.#firstHeld, this.#nextLine - this.limits.maxLines);
  }

  /** The number that the next closed line gets: of the open line, where there is one. */
  get nextLine(): number {
    return this.#nextLine;
  }

  /** Whether the last line goes on in the topmost row of the screen. */
  get open(): boolean {
    return this.#open;
  }

  /** Cells of the open line. */
  get openCells(): number {
    return this.#openCells;
  }

  /** How many rows have ever been pushed. */
  get pushedRows(): number {
    return this.#pushedRows;
  }

  /** Adds the numbers of the links that lines in memory lead to. */
  addLinks(to: Set<number>): void {
    for (const { links } of this.#pages) for (const link of links) to.add(link);
  }

  /** Memory held, in bytes. */
  get bytes(): number {
    return this.#pagesBytes + (this.#spare?.bytes ?? 0);
  }

  get #pagesBytes(): number {
    return this.#sealedBytes + (this.#last?.bytes ?? 0);
  }

  /** Appends the first `count` cells of a row to the open line, or to a new one. */
  push(grid: Grid, row: number, count: number): void {
    const page = this.#lastPage();
    const meta = grid.metadata(row);
    if (!meta.isFilled && meta.fillCode === emptyCell) {
      this.#openCells += count;
      page.appendBlank(count, meta.fillStyle);
      this.#endRow(page, meta.wraps);
      return;
    }
    const start = grid.start(row);
    this.#openCells += isClipped(grid, row) ? 2 : count;
    if (meta.isPlain) page.appendPlain(grid.codes, start, start + count);
    else page.append(grid.codes, grid.styles, start, start + count);
    this.#endRow(page, meta.wraps);
  }

  /** Appends a row that is on no screen. */
  pushCells({ cells, start, end, wraps }: CutRow): void {
    const page = this.#lastPage();
    this.#openCells += end - start;
    page.append(cells.codes, cells.styles, start, end);
    this.#endRow(page, wraps);
  }

  /**
   * Takes the last line back: what there is of the open one, or the last one that is kept. Appends
   * its cells. False where there is none, or one so long that it is better left alone.
   */
  takeLine(into: CellBuffer): boolean {
    const { firstLine } = this;
    const page = this.#last;
    if (!this.#open) {
      if (page === undefined || this.#nextLine === firstLine) return false;
      if (page.lastLineBytes > maxLineBytes / 2) return false;
      this.#nextLine--;
      // A line that has been forgotten does not come back because there is room again.
      this.#firstHeld = firstLine;
    }
    page?.takeLine(this.#open, into);
    if (page?.usedBytes === 0) this.#dropLastPage();
    this.#open = false;
    this.#openCells = 0;
    return true;
  }

  /**
   * Gives back the memory of lines that are too many. To be called before a feed and not after it:
   * observers of the feed can then read what it printed and pushed off, even where nothing is kept.
   */
  trim(): void {
    while (this.#pages.length > 1 && this.#isForgotten(this.#pages[0])) this.#dropFirstPage();
    if (this.limits.maxLines === 0 && !this.#open) this.#forgetPages();
  }

  /** Ends the open line: what stands in the topmost row belongs to it no longer. */
  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#closeLine();
  }

  /** Forgets the lines, and passes over `count` numbers besides. */
  clear(count: number): void {
    const wasOpen = this.#open;
    this.#forgetPages();
    this.#sealedBytes = 0;
    this.#nextLine += count;
    this.#firstHeld = this.#nextLine;
    this.#open = wasOpen && count === 0;
    this.#openCells = 0;
  }

  /** @param line from firstLine on, below nextLine, or nextLine for the open line */
  text(line: number): string {
    const page = this.#pageOf(line);
    return page === undefined ? '' : page.text(line - page.firstLine);
  }

  /** Bytes of UTF-8 of the text of the lines from `from` up to and without `to`, a line feed for each. */
  textBytes(from: number, to: number): number {
    let bytes = 0;
    for (const page of this.#pages) {
      const first = Math.max(from - page.firstLine, 0);
      const end = Math.min(to - page.firstLine, page.lineCount);
      if (first < end) bytes += page.textBytes(first, end);
    }
    return bytes;
  }

  /**
   * Goes over closed lines, up to the first that may match, or as far as they are on one page.
   *
   * @param from from firstLine on, below `to`
   * @param to nextLine at most
   */
  scan(from: number, to: number, find: LineFinder): LineScan {
    const page = this.#pageOf(from);
    if (page === undefined) return { line: to, found: false };
    const end = Math.min(page.lineCount, to - page.firstLine);
    const index = page.findLine(from - page.firstLine, end, find);
    return { line: page.firstLine + index, found: index < end };
  }

  /** Appends the cells of a line. */
  readLine(line: number, into: CellBuffer): void {
    const page = this.#pageOf(line);
    page?.readLine(line - page.firstLine, into);
  }

  /** Appends cells from the end of the open line, those of its last `maxBytes`, without their styles. */
  readTail(maxBytes: number, into: CellBuffer): void {
    if (this.#open) this.#last?.readTail(maxBytes, into);
  }

  #endRow(page: Page, wraps: boolean): void {
    this.#open = wraps && page.openBytes <= maxLineBytes;
    this.#pushedRows++;
    if (!this.#open) this.#closeLine();
  }

  #lastPage(): Page {
    const last = this.#last;
    if (last !== undefined && (last.usedBytes < pageBytes || last.openBytes > 0)) return last;
    if (last !== undefined) {
      last.seal();
      this.#sealedBytes += last.bytes;
    }
    const page = this.#newPage(last !== undefined);
    this.#pages.push(page);
    this.#last = page;
    return page;
  }

  #newPage(afterFull: boolean): Page {
    const spare = this.#spare;
    this.#spare = undefined;
    if (spare === undefined) {
      return new Page(this.#nextLine, afterFull, this.#styles, this.#clusters);
    }
    spare.reset(this.#nextLine);
    return spare;
  }

  #forgetPages(): void {
    this.#pages = [];
    this.#last = undefined;
  }

  #closeLine(): void {
    this.#last?.closeLine();
    this.#openCells = 0;
    this.#nextLine++;
    const { maxLines, maxBytes } = this.limits;
    if (this.#nextLine - this.#firstHeld > maxLines + maxUntrimmedLines) this.trim();
    if (this.#sealedBytes + mostBytesOfPage > maxBytes) this.#dropPagesOver(maxBytes);
  }

  #dropPagesOver(maxBytes: number): void {
    while (this.#pages.length > 1 && this.#pagesBytes > maxBytes) this.#dropFirstPage();
  }

  #isForgotten(page: Page): boolean {
    return page.firstLine + page.lineCount <= this.firstLine;
  }

  #dropFirstPage(): void {
    const page = this.#pages.shift() as Page;
    this.#sealedBytes -= page.bytes;
    this.#firstHeld = Math.max(this.#firstHeld, page.firstLine + page.lineCount);
    if (page.bytes <= maxSpareBytes) this.#spare = page;
  }

  #dropLastPage(): void {
    this.#pages.pop();
    this.#last = this.#pages.at(-1);
    if (this.#last !== undefined) this.#sealedBytes -= this.#last.bytes;
  }

  /** Undefined where nothing of the line is kept: a line that was open when the rest was cleared. */
  #pageOf(line: number): Page | undefined {
    let low = 0;
    let high = this.#pages.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#pages[middle].firstLine <= line) low = middle;
      else high = middle - 1;
    }
    const page = this.#pages[low];
    return page !== undefined && line >= page.firstLine ? page : undefined;
  }
}
