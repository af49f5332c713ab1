import type { ByteBuffer } from '../cells/byte-buffer.ts';
import { maxCharacterBytes } from '../cells/cell-text.ts';
import { clusterEnd, copyText, narrowCluster, wideCluster } from './page-text.ts';

/** The most rows, runs and clusters that are held. */
const maxRows = 4 * 1024;
const maxRuns = 16 * 1024;
const maxClusters = 4 * 1024;
const maxTextBytes = 96 * 1024;

/** Integers per row, see {@link ReadyRows}. */
const rowWords = 5;
/** Integers per run: its style, its cells, its bytes of text. */
export const runWords = 3;
/** Integers per cluster: its first column, where its text begins and where it ends. */
const clusterWords = 3;

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

  /** Where the text of a row ends; 0 for the row -1. */
  textEnd(row: number): number {
    return row < 0 ? 0 : this.#rows[row * rowWords];
  }

  /** Where the integers of its runs end; 0 for the row -1. */
  runsEnd(row: number): number {
    return row < 0 ? 0 : this.#rows[row * rowWords + 1];
  }

  /** Where the integers of its clusters end; 0 for the row -1. */
  clustersEnd(row: number): number {
    return row < 0 ? 0 : this.#rows[row * rowWords + 2];
  }

  cells(row: number): number {
    return this.#rows[row * rowWords + 3];
  }

  /** The number of cells before the first that is not ASCII. */
  asciiCells(row: number): number {
    return this.#rows[row * rowWords + 4];
  }
}

/**
 * Appends the cells of a row between two columns, whose text is from `start` up to but excluding `end`. The capacity is
 * that after `writeCells`.
 */
export function appendReadyCells(
  text: ByteBuffer,
  rows: ReadyRows,
  row: number,
  start: number,
  end: number,
  col: number,
  endCol: number,
): void {
  text.reserve((endCol - col) * maxCharacterBytes);
  let at = start;
  for (let next = rows.clustersEnd(row - 1); next < rows.clustersEnd(row); next += clusterWords) {
    const clusterStart = rows.clusters[next + 1];
    if (clusterStart < start) continue;
    if (clusterStart >= end) break;
    copyText(text, rows.words, at, clusterStart);
    at = rows.clusters[next + 2];
    text.reserve(at - clusterStart);
    copyText(text, rows.words, clusterStart, at);
    text.reserve((endCol - rows.clusters[next] - 1) * maxCharacterBytes);
  }
  copyText(text, rows.words, at, end);
}
