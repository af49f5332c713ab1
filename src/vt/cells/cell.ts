/**
 * The content of a cell is one 32-bit word: a code point or the index of a cluster, and flags. Its
 * style is a second word, see `style-word.ts`. A word of 0 is a cell that has not been written to
 * since it was erased.
 */
export const emptyCell = 0;

/** The code point or, with {@link clusterFlag}, the index of the cluster. */
export const codeMask = 0x1f_ffff;
/** The cell contains several code points; the code is their index in the cluster table. */
export const clusterFlag = 1 << 21;
/** The first of the two cells of a wide character. */
export const wideFlag = 1 << 22;
/** The spacer in the second cell of a wide character; the other bits are 0. */
export const spacerTail = 1 << 23;
/**
 * A spacer at the end of a row, where a wide character did not fit and wrapped; the other bits are
 * 0.
 */
export const spacerHead = 1 << 24;

/**
 * The cells that a tab moved over while they were empty: the first, those between, and the last; or
 * the only one. They look empty. If one of them is written to or erased, the others count as empty.
 */
export const tabStart = 4;
export const tabMiddle = 5;
export const tabEnd = 6;
export const tabAlone = 7;

/** The lowest code of a character. Cells with lower codes look empty. */
export const firstCharacter = 0x20;

const firstCapacity = 128;
/** What {@link CellBuffer.clear} keeps for the next line, in cells. */
const maxKeptCapacity = 4096;

/** A growable array of cells outside a grid, used to assemble a line. */
export class CellBuffer {
  #codes = new Int32Array(firstCapacity);
  #styles = new Int32Array(firstCapacity);
  #length = 0;

  /** Valid up to {@link length}, until the next change. */
  get codes(): Int32Array {
    return this.#codes;
  }

  /** The style of each cell, by the same index. */
  get styles(): Int32Array {
    return this.#styles;
  }

  get length(): number {
    return this.#length;
  }

  clear(): void {
    this.#length = 0;
    if (this.#codes.length <= maxKeptCapacity) return;
    this.#codes = new Int32Array(firstCapacity);
    this.#styles = new Int32Array(firstCapacity);
  }

  push(code: number, style: number): void {
    this.#reserve(1);
    this.#codes[this.#length] = code;
    this.#styles[this.#length] = style;
    this.#length++;
  }

  append(codes: Int32Array, styles: Int32Array, start: number, end: number): void {
    this.#reserve(end - start);
    this.#codes.set(codes.subarray(start, end), this.#length);
    this.#styles.set(styles.subarray(start, end), this.#length);
    this.#length += end - start;
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#codes.length) return;
    const capacity = Math.max(needed, this.#codes.length * 2);
    const codes = new Int32Array(capacity);
    const styles = new Int32Array(capacity);
    codes.set(this.#codes);
    styles.set(this.#styles);
    this.#codes = codes;
    this.#styles = styles;
  }
}
