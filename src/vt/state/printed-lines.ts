const firstCapacity = 3 * 16;
/** A larger list is released when it is cleared. A chunk of 4 KiB ends no more lines than this. */
const keptCapacity = 3 * 4096;

/** Which cells of which lines were printed to, in the order of the lines. */
export class PrintedLines {
  #lines = new Int32Array(firstCapacity);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Allocated memory in bytes. */
  get bytes(): number {
    return this.#lines.byteLength;
  }

  clear(): void {
    if (this.#lines.length > keptCapacity) this.#lines = new Int32Array(firstCapacity);
    this.#count = 0;
  }

  /**
   * @param from first cell of the logical line
   * @param to one past the last cell
   */
  push(line: number, from: number, to: number): void {
    const at = this.#count * 3;
    if (at === this.#lines.length) {
      const grown = new Int32Array(this.#lines.length * 2);
      grown.set(this.#lines);
      this.#lines = grown;
    }
    this.#lines[at] = line;
    this.#lines[at + 1] = from;
    this.#lines[at + 2] = to;
    this.#count++;
  }

  /** Three numbers for each entry, as {@link push} has them. */
  save(): number[] {
    return Array.from(this.#lines.subarray(0, this.#count * 3));
  }

  line(index: number): number {
    return this.#lines[index * 3];
  }

  from(index: number): number {
    return this.#lines[index * 3 + 1];
  }

  to(index: number): number {
    return this.#lines[index * 3 + 2];
  }
}
