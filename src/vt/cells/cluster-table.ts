import { encodeUtf8 } from '#base';
import { clusterFlag, codeMask } from './cell.ts';

/** Further code points in one cell are dropped: a base and 16 marks are kept. */
export const maxClusterLength = 17;
/** The code of no cell: a key of {@link ClusterTable.keep}. */
const noCell = 1;
const keptBits = 7;
const keptPairs = 1 << keptBits;
/**
 * Approximate bytes per cluster, apart from its text: the entries in the lists and derived data.
 */
const bytesOfEntry = 300;
/** Approximate bytes per UTF-16 code unit: in the text, as UTF-8, and as a number. */
const bytesOfUnit = 10;

function slotOf(code: number, codePoint: number): number {
  const hash = Math.imul(Math.imul(code, 31) + codePoint, 0x9e3779b1);
  return 3 * (hash >>> (32 - keptBits));
}

/**
 * The texts of cells that contain several code points, each stored once. Cells refer to them by
 * index.
 */
export class ClusterTable {
  #texts: string[] = [];
  /** By index, created on demand. */
  #utf8: (Uint8Array | undefined)[] = [];
  #codePoints: (readonly number[] | undefined)[] = [];
  #indexes = new Map<string, number>();
  /** Three numbers per entry, see {@link ClusterTable.keep}. */
  #pairs: Int32Array | null = null;
  /** Length of all texts in UTF-16 code units. */
  #units = 0;

  /** Allocated memory in bytes; an approximate upper bound. */
  get bytes(): number {
    return this.#texts.length * bytesOfEntry + this.#units * bytesOfUnit;
  }

  get size(): number {
    return this.#texts.length;
  }

  text(index: number): string {
    return this.#texts[index];
  }

  /** The text as UTF-8; the same bytes for the same index. */
  utf8(index: number): Uint8Array {
    const cached = this.#utf8[index];
    if (cached !== undefined) return cached;
    const bytes = encodeUtf8(this.#texts[index]);
    this.#utf8[index] = bytes;
    return bytes;
  }

  /** The code points of the text; the same array for the same index. */
  codePoints(index: number): readonly number[] {
    const codePoint = this.#codePoints[index];
    if (codePoint !== undefined) return codePoint;
    const codePoints = Array.from(this.#texts[index], (char) => char.codePointAt(0) as number);
    this.#codePoints[index] = codePoints;
    return codePoints;
  }

  /** A number that does not change when entries are renumbered. */
  hash(index: number): number {
    let hash = 0;
    for (const codePoint of this.codePoints(index)) hash = Math.imul(hash ^ codePoint, 0x01000193);
    return hash;
  }

  intern(text: string): number {
    const number = this.#indexes.get(text);
    if (number !== undefined) return number;
    const index = this.#texts.push(text) - 1;
    this.#indexes.set(text, index);
    this.#units += text.length;
    return index;
  }

  /**
   * Returns the cluster that results from adding a code point to the content of a cell: a code point, or the index of a
   * cluster and its flag.
   */
  extend(content: number, codePoint: number): number {
    const isCluster = (content & clusterFlag) !== 0;
    const text = isCluster ? this.#texts[content & codeMask] : String.fromCodePoint(content);
    return this.intern(text + String.fromCodePoint(codePoint));
  }

  /** Returns the cluster of one code point. */
  alone(codePoint: number): number {
    const before = this.recall(noCell, codePoint);
    if (before !== 0) return before & codeMask;
    const index = this.intern(String.fromCodePoint(codePoint));
    this.keep(noCell, codePoint, clusterFlag | index);
    return index;
  }

  /**
   * Returns what was last kept for a pair of numbers; 0 if that is not known. Building and looking up strings would cost
   * more than the rest of printing.
   */
  recall(code: number, codePoint: number): number {
    const pairs = this.#pairs;
    if (pairs === null) return 0;
    const at = slotOf(code, codePoint);
    return pairs[at] === code && pairs[at + 1] === codePoint ? pairs[at + 2] : 0;
  }

  /** Keeps a number with the index of a cluster, for {@link recall}. */
  keep(code: number, codePoint: number, whole: number): void {
    this.#pairs ??= new Int32Array(3 * keptPairs);
    const at = slotOf(code, codePoint);
    this.#pairs[at] = code;
    this.#pairs[at + 1] = codePoint;
    this.#pairs[at + 2] = whole;
  }

  /** Removes the clusters whose mark is 0. Returns the new index of each old one. */
  retain(marks: Uint8Array): Int32Array {
    const texts = this.#texts;
    const moved = new Int32Array(texts.length).fill(-1);
    this.#texts = [];
    this.#utf8 = [];
    this.#pairs = null;
    this.#codePoints = [];
    this.#indexes = new Map();
    this.#units = 0;
    for (const [index, text] of texts.entries()) {
      if (marks[index] !== 0) moved[index] = this.intern(text);
    }
    return moved;
  }
}
