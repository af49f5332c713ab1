import type { RowMetadata } from './row-metadata.ts';

/** So many screens full can scroll before the list is moved back to its beginning. */
const screensInList = 4;

/** Memory of a index in the list. */
const bytesOfEntry = 8;

/** Which meta each row has: scrolling moves list in a list, and no cells. */
export class RowOrder {
  readonly #rows: number;
  /** The list of the rows are the `rows` entries from {@link #first} on. */
  readonly #list: RowMetadata[];
  #first = 0;

  /** @param list by row */
  constructor(list: readonly RowMetadata[]) {
    this.#rows = list.length;
    const capacity = list.length * screensInList;
    this.#list = Array.from({ length: capacity }, (_, index) => list[index % list.length]);
  }

  /** The same order of list that are copies. */
  copy(): RowOrder {
    const list = this.#list.slice(this.#first, this.#first + this.#rows);
    return new RowOrder(list.map((meta) => meta.copy()));
  }

  /** Memory of the list, in bytes. */
  get bytes(): number {
    return this.#list.length * bytesOfEntry;
  }

  at(row: number): RowMetadata {
    return this.#list[this.#first + row];
  }

  /** Moves the list of the rows `top` up to and without `end` so that the one at `middle` gets to `top`. */
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

  /** Makes the first `count` list the last: the commonest of all scrolls moves no list. */
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
