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
