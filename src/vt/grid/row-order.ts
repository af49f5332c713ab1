import type { RowMetadata } from './row-metadata.ts';

/**
 * Capacity of the list in screens. So many screens can scroll before the entries are moved back to
 * the start.
 */
const screensInList = 4;

/** Bytes per entry. */
const bytesOfEntry = 8;

/** The metadata of each row, in order. Scrolling moves entries of the list instead of cells. */
export class RowOrder {
  readonly #rows: number;
  /** The rows are the `rows` entries from {@link #first} on. */
  readonly #list: RowMetadata[];
  #first = 0;

  /** @param list by row */
  constructor(list: readonly RowMetadata[]) {
    this.#rows = list.length;
    const capacity = list.length * screensInList;
    this.#list = Array.from({ length: capacity }, (_, index) => list[index % list.length]);
  }

  /** Returns the same order of copied metadata. */
  copy(): RowOrder {
    const list = this.#list.slice(this.#first, this.#first + this.#rows);
    return new RowOrder(list.map((meta) => meta.copy()));
  }

  /** Allocated memory in bytes. */
  get bytes(): number {
    return this.#list.length * bytesOfEntry;
  }

  at(row: number): RowMetadata {
    return this.#list[this.#first + row];
  }

  /**
   * Rotates the rows from `top` up to but excluding `end`, so that the row at `middle` moves to
   * `top`.
   */
  rotate(top: number, middle: number, end: number): void {
    const list = this.#list;
    const from = this.#first + top;
    const to = this.#first + end;
    const up = middle - top;
    if (up === 1) {
      const first = list[from];
      for (let at = from + 1; at < to; at++) list[at - 1] = list[at];
      list[to - 1] = first;
    } else if (middle === end - 1) {
      const last = list[to - 1];
      for (let at = to - 1; at > from; at--) list[at] = list[at - 1];
      list[from] = last;
    } else {
      const moved = list.slice(from, from + up);
      for (let at = from + up; at < to; at++) list[at - up] = list[at];
      for (let at = 0; at < up; at++) list[to - up + at] = moved[at];
    }
  }

  /**
   * Moves the first `count` rows to the end. The most frequent scroll, which usually moves no
   * entries.
   */
  rotateAll(count: number): void {
    const list = this.#list;
    const rows = this.#rows;
    if (this.#first + rows + count > list.length) {
      for (let row = 0; row < rows; row++) list[row] = list[this.#first + row];
      this.#first = 0;
    }
    for (let row = 0; row < count; row++) {
      list[this.#first + rows] = list[this.#first];
      this.#first++;
    }
  }
}
