import { decodeUtf8 } from '#base';
import { decodeWhole, encodedLength } from '../parser/utf8-decoder.ts';
import { copyBytes } from './byte-buffer.ts';
import { clusterFlag, spacerTail, wideFlag } from './cell.ts';
import { clusterEnd, narrowCluster, wideCluster } from './cell-text.ts';
import type { ClusterTable } from './cluster-table.ts';
import { charWidth } from './width.ts';

/** Integers per run: its style, its cells, its bytes of text. */
export const runWords = 3;
/** Integers per cluster: its first column, where its text begins and where it ends. */
export const clusterWords = 3;

/** The least that is allocated. */
const leastBytes = 64;
export const noWords: DataView = new DataView(new ArrayBuffer(0));
const noRuns = new Int32Array(0);

/** A row in the form in which a page of the scrollback stores it: a part of larger arrays. */
export class ReadyRow {
  /** Its text is from `start` up to but excluding `end`. */
  words: DataView = noWords;
  /** Bytes of {@link words}, of a row that has arrays of its own: their length is a call. */
  #capacity = 0;
  start = 0;
  end = 0;
  /** {@link runWords} integers per run. */
  runs = noRuns;
  firstRun = 0;
  endRun = 0;
  /** {@link clusterWords} integers per cluster. */
  clusters = noRuns;
  firstCluster = 0;
  endCluster = 0;
  cells = 0;
  /** The number of cells before the first that is not ASCII. */
  asciiCells = 0;
  /** The table with its clusters. */
  table: ClusterTable | null = null;

  /** Allocated memory in bytes, of a row that has arrays of its own. */
  get bytes(): number {
    return this.words.byteLength + this.runs.byteLength + this.clusters.byteLength;
  }

  /**
   * Copies a row to arrays of its own.
   *
   * @param table the table with its clusters
   */
  copyFrom(other: ReadyRow, table: ClusterTable): void {
    this.table = table;
    this.end = other.end - other.start;
    if (this.#capacity < this.end) {
      this.words = new DataView(bytesFor(this.end));
      this.#capacity = this.words.byteLength;
    }
    copyBytes(other.words, other.start, other.end, this.words, 0);
    this.endRun = other.endRun - other.firstRun;
    if (this.runs.length < this.endRun) this.runs = new Int32Array(bytesFor(4 * this.endRun));
    for (let run = 0; run < this.endRun; run++) this.runs[run] = other.runs[other.firstRun + run];
    this.endCluster = other.endCluster - other.firstCluster;
    if (this.endCluster > 0) this.#copyClusters(other);
    this.cells = other.cells;
    this.asciiCells = other.asciiCells;
  }

  #copyClusters(other: ReadyRow): void {
    if (this.clusters.length < this.endCluster) {
      this.clusters = new Int32Array(bytesFor(4 * this.endCluster));
    }
    for (let index = 0; index < this.endCluster; index++) {
      const isCol = index % clusterWords === 0;
      const value = other.clusters[other.firstCluster + index];
      this.clusters[index] = isCol ? value : value - other.start;
    }
  }

  /** Writes the cells of a row that has arrays of its own, from the index `into` on. */
  writeCells(codes: Int32Array, styles: Int32Array, into: number): void {
    let cell = into;
    for (let run = 0; run < this.endRun; run += runWords) {
      const next = cell + this.runs[run + 1];
      styles.fill(this.runs[run], cell, next);
      cell = next;
    }
    const bytes = new Uint8Array(this.words.buffer, 0, this.end);
    for (let at = 0, to = into; at < this.end; ) {
      const byte = bytes[at];
      if (byte >= 0x20 && byte < 0x80) {
        codes[to++] = byte;
        at++;
        continue;
      }
      let code: number;
      if (byte === narrowCluster || byte === wideCluster) {
        const end = bytes.indexOf(clusterEnd, at);
        const text = decodeUtf8(bytes.subarray(at + 1, end));
        code = clusterFlag | (this.table?.intern(text) ?? 0);
        if (byte === wideCluster) code |= wideFlag;
        at = end + 1;
      } else {
        code = decodeWhole(bytes, at, this.end);
        at += encodedLength(code);
        if (charWidth(code) === 2) code |= wideFlag;
      }
      codes[to++] = code;
      if ((code & wideFlag) !== 0) codes[to++] = spacerTail;
    }
  }
}

/** Allocates a power of two of bytes, at least `length`. */
function bytesFor(length: number): ArrayBuffer {
  let capacity = leastBytes;
  while (capacity < length) capacity *= 2;
  return new ArrayBuffer(capacity);
}
