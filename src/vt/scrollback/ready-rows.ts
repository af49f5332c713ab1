import type { ByteBuffer } from '../cells/byte-buffer.ts';
import { clusterEnd, maxCharacterBytes, narrowCluster, wideCluster } from '../cells/cell-text.ts';
import { clusterWords, ReadyRow, runWords } from '../cells/ready-row.ts';
import { copyText } from './page-text.ts';

/** The most rows, runs and clusters that are held. */
const maxRows = 4 * 1024;
const maxRuns = 16 * 1024;
const maxClusters = 4 * 1024;
const maxTextBytes = 96 * 1024;

/** Integers per row, see {@link ReadyRows}. */
const rowWords = 5;

/**
 * Rows in the form in which a page stores them, before they are appended to one. They were printed without a grid.
 */
export class ReadyRows {
  /** The text of all rows, see `page-text.ts`. */
  readonly text = new Uint8Array(maxTextBytes);
  /** The same as {@link text}, to read and write several bytes at once. */
  readonly words = new DataView(this.text.buffer);
  /** {@link runWords} integers per run. A run ends with its row. */
  readonly runs = new Int32Array(maxRuns * runWords);
  /** {@link clusterWords} integers per cluster, in their order. */
  readonly clusters = new Int32Array(maxClusters * clusterWords);
  /** Per row: where its text, its runs and its clusters end, its cells, and the cells before the first not in ASCII. */
  readonly #rows = new Int32Array(maxRows * rowWords);
  readonly #row = new ReadyRow();
  /** Bytes of text, including those of the row that has not ended. */
  length = 0;
  #rowCount = 0;
  #runCount = 0;
  #clusterCount = 0;

  /** Number of rows that have ended. */
  get rowCount(): number {
    return this.#rowCount;
  }

  /** Whether there may be no capacity for another run, cluster or row, or for `textBytes` more bytes. */
  isFull(textBytes: number): boolean {
    if (this.length + textBytes > maxTextBytes || this.#rowCount === maxRows) return true;
    return this.#runCount === maxRuns || this.#clusterCount === maxClusters;
  }

  clear(): void {
    this.length = 0;
    this.#rowCount = 0;
    this.#runCount = 0;
    this.#clusterCount = 0;
  }

  addRun(style: number, cells: number, textBytes: number): void {
    const at = this.#runCount++ * runWords;
    this.runs[at] = style;
    this.runs[at + 1] = cells;
    this.runs[at + 2] = textBytes;
  }

  /**
   * Makes the text from `start` on a cluster, whose next character is appended after that.
   *
   * @param col its first column in the row
   * @param isLonger whether it is a cluster already
   */
  beginCluster(col: number, start: number, isWide: boolean, isLonger: boolean): void {
    const { text } = this;
    // The new character replaces the end of the cluster, or a mark comes before the text.
    if (isLonger) {
      this.length--;
      this.#clusterCount--;
    } else for (let at = this.length++; at > start; at--) text[at] = text[at - 1];
    text[start] = isWide ? wideCluster : narrowCluster;
    const at = this.#clusterCount * clusterWords;
    this.clusters[at] = col;
    this.clusters[at + 1] = start;
  }

  endCluster(): void {
    this.text[this.length++] = clusterEnd;
    this.clusters[this.#clusterCount++ * clusterWords + 2] = this.length;
  }

  endRow(cells: number, asciiCells: number): void {
    const at = this.#rowCount++ * rowWords;
    this.#rows[at] = this.length;
    this.#rows[at + 1] = this.#runCount * runWords;
    this.#rows[at + 2] = this.#clusterCount * clusterWords;
    this.#rows[at + 3] = cells;
    this.#rows[at + 4] = asciiCells;
  }

  /** The number of the cells of a row. */
  cells(row: number): number {
    return this.#rows[row * rowWords + 3];
  }

  /** Valid until the next call. */
  at(row: number): ReadyRow {
    const at = row * rowWords;
    const rows = this.#rows;
    const ready = this.#row;
    ready.words = this.words;
    ready.start = row === 0 ? 0 : rows[at - rowWords];
    ready.end = rows[at];
    ready.runs = this.runs;
    ready.firstRun = row === 0 ? 0 : rows[at - rowWords + 1];
    ready.endRun = rows[at + 1];
    ready.clusters = this.clusters;
    ready.firstCluster = row === 0 ? 0 : rows[at - rowWords + 2];
    ready.endCluster = rows[at + 2];
    ready.cells = rows[at + 3];
    ready.asciiCells = rows[at + 4];
    return ready;
  }
}

/**
 * Appends the cells of a row between two columns, whose text is from `start` up to but excluding `end`. The capacity is
 * that after `writeCells`.
 */
export function appendReadyCells(
  text: ByteBuffer,
  row: ReadyRow,
  start: number,
  end: number,
  col: number,
  endCol: number,
): void {
  text.reserve((endCol - col) * maxCharacterBytes);
  let at = start;
  for (let next = row.firstCluster; next < row.endCluster; next += clusterWords) {
    const clusterStart = row.clusters[next + 1];
    if (clusterStart < start) continue;
    if (clusterStart >= end) break;
    copyText(text, row.words, at, clusterStart);
    at = row.clusters[next + 2];
    text.reserve(at - clusterStart);
    copyText(text, row.words, clusterStart, at);
    text.reserve((endCol - row.clusters[next] - 1) * maxCharacterBytes);
  }
  copyText(text, row.words, at, end);
}
