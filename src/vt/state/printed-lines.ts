const firstCapacity = 3 * 16;
/** A larger list is released when it is cleared. A chunk of 4 KiB ends no more lines than this. */
const keptCapacity = 3 * 4096;
/** The largest list that is used again. A chunk of 64 KiB ends no more lines than this. */
const spareCapacity = 16 * keptCapacity;
/** The list that any terminal released last. Without it, a flood would allocate one for each chunk. */
let spare: Int32Array | null = null;

/** Which cells of which lines were printed to, in the order of the lines. */
export class PrintedLines {
  /** Line numbers are counted from {@link #first}: a flood reaches 2^31 lines in minutes. */
  #lines: Int32Array = new Int32Array(firstCapacity);
  #count = 0;
  /** The line of the first entry. */
  #first = 0;

  get count(): number {
    return this.#count;
  }

  /** Allocated memory in bytes. */
  get bytes(): number {
    return this.#lines.byteLength;
  }

  clear(): void {
    if (this.#lines.length > keptCapacity) {
      if (this.#lines.length <= spareCapacity) spare = this.#lines;
      this.#lines = new Int32Array(firstCapacity);
    }
    this.#count = 0;
  }

  /**
   * @param from first cell of the logical line
   * @param to one past the last cell
   */
  push(line: number, from: number, to: number): void {
    const at = this.#count * 3;
    if (at === this.#lines.length) this.#grow();
    if (at === 0) this.#first = line;
    this.#lines[at] = line - this.#first;
    this.#lines[at + 1] = from;
    this.#lines[at + 2] = to;
    this.#count++;
  }

  #grow(): void {
    const held = this.#lines;
    let grown = held.length >= keptCapacity ? spare : null;
    if (grown === null || grown.length <= held.length) grown = new Int32Array(held.length * 2);
    else spare = null;
    grown.set(held);
    this.#lines = grown;
  }

  /** Three numbers for each entry, as {@link push} has them. */
  save(): number[] {
    const indexes = Array.from({ length: this.#count }, (_, index) => index);
    return indexes.flatMap((index) => [this.line(index), this.from(index), this.to(index)]);
  }

  line(index: number): number {
    return this.#first + this.#lines[index * 3];
  }

  from(index: number): number {
    return this.#lines[index * 3 + 1];
  }

  to(index: number): number {
    return this.#lines[index * 3 + 2];
  }
}
