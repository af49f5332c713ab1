import type { LineFinder, LineScan } from '#model';
import { type CellBuffer, emptyCell } from '../cells/cell.ts';
import type { ClusterTable } from '../cells/cluster-table.ts';
import type { ReadyRow } from '../cells/ready-row.ts';
import type { Grid } from '../grid/grid.ts';
import { type CutRow, isClipped } from '../grid/wrapping.ts';
import type { StyleTable } from '../style/style-table.ts';
import {
  Page,
  type PageContent,
  type PageMemory,
  type StoredLine,
  type StoredText,
} from './page.ts';

export interface ScrollbackLimits {
  /** Maximum number of lines; 0 keeps none. */
  readonly maxLines: number;
  /**
   * Maximum memory in bytes. It may be exceeded by the last page: 64 KiB, or 512 KiB with a line
   * without end; and by one spare page of 64 KiB.
   */
  readonly maxBytes: number;
}

/** A page with more bytes than this is full. It may exceed them by the rest of its last line. */
const pageBytes = 56 * 1024;
/** More than any page takes. Up to this much below the limit, no exact check is needed. */
const mostBytesOfPage = 4 * 1024 * 1024;
/** Larger pages, which contain long lines, are not reused. */
const maxSpareBytes = 64 * 1024;
/** Up to this many lines over the limit are kept until the next feed. */
const maxUntrimmedLines = 4096;
/** A line with more bytes is continued under a new number, so that its beginning can be dropped. */
const maxLineBytes = 256 * 1024;

/** How many rows a line of narrow characters takes. */
export function rowsOfText(length: number, cols: number): number {
  return length <= cols ? 1 : Math.ceil(length / cols);
}

/**
 * The lines that scrolled off the top of the primary screen, oldest first. A line is logical: the
 * rows that it occupied on the screen are joined, and readers wrap it again.
 *
 * Lines are numbered from the first line ever. A number is never reused.
 */
export class Scrollback {
  readonly limits: ScrollbackLimits;
  readonly #styles: StyleTable;
  readonly #clusters: ClusterTable;
  #pages: Page[] = [];
  /** The page that is written to. */
  #last: Page | undefined;
  /** A dropped page, kept to reuse its memory. */
  #spare: Page | undefined;
  /** Memory of all pages except the last. */
  #sealedBytes = 0;
  /** The oldest line in memory. */
  #firstHeld: number;
  #nextLine: number;
  #open = false;
  #openCells = 0;
  #pushedRows = 0;
  /** How often the open line changed otherwise than by growing. */
  openEdits = 0;
  /**
   * While saved lines are added again. They were within the limits, which depend on how the memory
   * was allocated.
   */
  isRestoring = false;
  /**
   * Called before lines are dropped because of the limits, with those of one page and the bytes of their text. Not
   * for lines that are erased.
   */
  onDrop: ((lines: PageContent, textBytes: number) => void) | null = null;
  /** Called before all lines are erased. */
  onErase: (() => void) | null = null;
  /** Called after all lines were erased, with the next line. */
  onErased: ((next: number) => void) | null = null;
  /** Lines before it are known to {@link onDrop}. */
  reportedEnd = 0;

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

  /** The oldest line within the limits. */
  get firstLine(): number {
    return Math.max(this.#firstHeld, this.#nextLine - this.limits.maxLines);
  }

  /** The oldest line in memory. Lines beyond the limits stay there until the next feed. */
  get firstHeld(): number {
    return this.#firstHeld;
  }

  /** The oldest line that {@link stored} returns: older than {@link firstLine} while its page is in use. */
  get firstStored(): number {
    return this.#pages[0]?.firstLine ?? this.#nextLine;
  }

  /** The number of the open line, or of the next line if none is open. */
  get nextLine(): number {
    return this.#nextLine;
  }

  /** Whether the last line continues in the topmost row of the screen. */
  get open(): boolean {
    return this.#open;
  }

  /** Number of cells of the open line. */
  get openCells(): number {
    return this.#openCells;
  }

  /** Number of rows ever pushed. */
  get pushedRows(): number {
    return this.#pushedRows;
  }

  set pushedRows(rows: number) {
    this.#pushedRows = rows;
  }

  /** Allocated memory in bytes. */
  get bytes(): number {
    return this.#pagesBytes + (this.#last?.extraBytes ?? 0) + (this.#spare?.bytes ?? 0);
  }

  get #pagesBytes(): number {
    return this.#sealedBytes + (this.#last?.bytes ?? 0);
  }

  /** Appends the first `count` cells of a row to the open line, or to a new one. */
  push(grid: Grid, row: number, count: number): void {
    const meta = grid.metadata(row);
    if (meta.ready !== null) {
      this.pushReady(meta.ready, meta.wraps);
      return;
    }
    const page = this.#lastPage();
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

  /** Appends a row that is not in a grid. */
  pushCells({ cells, start, end, wraps }: CutRow): void {
    const page = this.#lastPage();
    this.#openCells += end - start;
    page.append(cells.codes, cells.styles, start, end);
    this.#endRow(page, wraps);
  }

  /**
   * Appends a line of printable ASCII in the default style, as if rows of `cols` columns had been pushed with it. No
   * line may be open.
   */
  pushText(source: DataView, start: number, end: number, cols: number): void {
    const page = this.#lastPage();
    page.appendText(source, start, end, cols);
    this.#pushedRows += rowsOfText(end - start, cols);
    this.#closeLine();
  }

  /** Appends a row that is not in a grid, in the form of a page. */
  pushReady(row: ReadyRow, wraps: boolean): void {
    const page = this.#lastPage();
    this.#openCells += row.cells;
    page.appendReady(row);
    this.#endRow(page, wraps);
  }

  /**
   * Removes the open line, or else the last line within the limits, and appends its cells to
   * `into`. Returns false if there is none or if it is too long to be moved back.
   */
  takeLine(into: CellBuffer): boolean {
    const { firstLine } = this;
    const page = this.#last;
    if (!this.#open) {
      if (page === undefined || this.#nextLine === firstLine) return false;
      if (page.lastLineBytes > maxLineBytes / 2) return false;
      this.#nextLine--;
      // A line that was beyond the limit stays dropped when there is room again.
      this.#firstHeld = firstLine;
    }
    this.openEdits++;
    page?.takeLine(this.#open, into);
    if (page?.isEmpty) this.#dropLastPage();
    this.#open = false;
    this.#openCells = 0;
    return true;
  }

  /**
   * Releases the memory of lines beyond the limit. Must be called before a feed, not after it:
   * observers of the feed can then read what it pushed off the screen, even if nothing is kept.
   */
  trim(): void {
    while (this.#pages.length > 1 && this.#isForgotten(this.#pages[0])) this.#dropFirstPage();
    if (this.limits.maxLines > 0 || this.#open) return;
    for (const page of this.#pages) this.#reportDrop(page);
    this.#forgetPages();
  }

  /** Ends the open line. The topmost row of the screen no longer belongs to it. */
  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#closeLine();
  }

  /** Removes all lines and skips `count` line numbers. */
  clear(count: number): void {
    const wasOpen = this.#open;
    this.openEdits++;
    this.onErase?.();
    this.reportedEnd = 0;
    this.#forgetPages();
    this.#sealedBytes = 0;
    this.#nextLine += count;
    this.#firstHeld = this.#nextLine;
    this.#open = wasOpen && count === 0;
    this.#openCells = 0;
    this.onErased?.(this.#nextLine);
  }

  /** @param line from firstLine on, below nextLine, or nextLine for the open line */
  text(line: number, withTabs: boolean): string {
    const page = this.#pageOf(line);
    return page === undefined ? '' : page.text(line - page.firstLine, withTabs);
  }

  /**
   * Bytes of UTF-8 in the text of the lines from `from` up to but excluding `to`, with one line
   * feed per line.
   */
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
   * Scans closed lines up to the first that may match or to the end of the page.
   *
   * @param from from firstLine on, below `to`
   * @param to nextLine at most
   */
  scan(from: number, to: number, find: LineFinder): LineScan {
    const page = this.#pageOf(from);
    if (page === undefined) return { line: to, mayMatch: false };
    const end = Math.min(page.lineCount, to - page.firstLine);
    const index = page.findLine(from - page.firstLine, end, find);
    return { line: page.firstLine + index, mayMatch: index < end };
  }

  /** Appends the cells of a line. */
  readLine(line: number, into: CellBuffer): void {
    const page = this.#pageOf(line);
    page?.readLine(line - page.firstLine, into);
  }

  /** A closed line as it is stored; undefined if nothing of it is. */
  stored(line: number): StoredLine | undefined {
    const page = this.#pageOf(line);
    return page?.stored(line - page.firstLine);
  }

  /** Contract: `Page.unstyled`. @param line below `to`; undefined if nothing of it is stored */
  unstyled(line: number, to: number): StoredText | undefined {
    const page = this.#pageOf(line);
    return page?.unstyled(line - page.firstLine, to - page.firstLine);
  }

  /** The lines of the page of a line that are before `to`; null if nothing of the line is stored. */
  content(line: number, to: number): PageContent | null {
    const page = this.#pageOf(line);
    if (page === undefined) return null;
    return page.content(0, Math.min(page.lineCount, to - page.firstLine));
  }

  /** Adds lines to a scrollback that has none. */
  hold(content: PageContent): void {
    this.#last = Page.of(content, this.#styles, this.#clusters);
    this.#pages = [this.#last];
    this.#firstHeld = content.firstLine;
    this.#nextLine = content.firstLine + content.lineCount;
  }

  /** Appends cells from the last `maxBytes` of the open line, without their styles. */
  readTail(maxBytes: number, into: CellBuffer): void {
    if (this.#open) this.#last?.readTail(maxBytes, into);
  }

  #endRow(page: Page, wraps: boolean): void {
    this.#open = wraps && (this.isRestoring || page.openBytes <= maxLineBytes);
    this.#pushedRows++;
    if (!this.#open) this.#closeLine();
  }

  #lastPage(): Page {
    const last = this.#last;
    if (last !== undefined && (last.usedBytes < pageBytes || last.openBytes > 0)) return last;
    const memory = last?.seal() ?? null;
    if (last !== undefined) this.#sealedBytes += last.bytes;
    const page = this.#newPage(memory);
    this.#pages.push(page);
    this.#last = page;
    return page;
  }

  /** @param fullPage the memory of the full page before it */
  #newPage(fullPage: PageMemory | null): Page {
    const spare = this.#spare;
    this.#spare = undefined;
    if (spare === undefined) {
      return new Page(this.#nextLine, fullPage, this.#styles, this.#clusters);
    }
    spare.reset(this.#nextLine);
    return spare;
  }

  #forgetPages(): void {
    this.#pages = [];
    this.#last = undefined;
  }

  #closeLine(): void {
    // There is no page if the others were cleared while the line was open.
    const page = this.#last ?? this.#lastPage();
    page.closeLine();
    this.#openCells = 0;
    this.#nextLine++;
    const { maxLines, maxBytes } = this.limits;
    if (this.#nextLine - this.#firstHeld > maxLines + maxUntrimmedLines) this.trim();
    if (this.isRestoring) return;
    if (this.#sealedBytes + mostBytesOfPage > maxBytes) this.#dropPagesOver(maxBytes);
  }

  #dropPagesOver(maxBytes: number): void {
    while (this.#pages.length > 1 && this.#pagesBytes > maxBytes) this.#dropFirstPage();
  }

  #isForgotten(page: Page): boolean {
    return page.firstLine + page.lineCount <= this.firstLine;
  }

  /** Calls {@link onDrop} for the lines beyond the limits that are still in memory. */
  reportBeyondLimits(): void {
    const { firstLine } = this;
    for (const page of this.#pages) {
      if (page.firstLine >= firstLine) return;
      this.#report(page, Math.min(page.firstLine + page.lineCount, firstLine));
    }
  }

  #reportDrop(page: Page): void {
    if (!this.isRestoring) this.#report(page, page.firstLine + page.lineCount);
  }

  /** Calls {@link onDrop} for the lines of a page before `to` for which it was not called. */
  #report(page: Page, to: number): void {
    const from = Math.max(page.firstLine, this.reportedEnd);
    if (from >= to) return;
    this.reportedEnd = to;
    if (this.onDrop === null) return;
    const [first, end] = [from - page.firstLine, to - page.firstLine];
    this.onDrop(page.content(first, end), page.textBytes(first, end));
  }

  #dropFirstPage(): void {
    this.#reportDrop(this.#pages[0]);
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

  /**
   * Undefined if nothing of the line is stored: a line that was open when the others were cleared.
   */
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
