import type { Slot } from './row-metadata.ts';

/** So many screens full can scroll before the list is moved back to its beginning. */
const turns = 4;

/** Memory of a place in the list. */
const bytesOfPlace = 8;

/** Which slot each row has: scrolling moves slots in a list, and no cells. */
export class SlotOrder {
  readonly #rows: number;
  /** The slots of the rows are the `rows` entries from {@link #first} on. */
  readonly #slots: Slot[];
  #first = 0;

  /** @param slots by row */
  constructor(slots: readonly Slot[]) {
    this.#rows = slots.length;
    const places = slots.length * turns;
    this.#slots = Array.from({ length: places }, (_, place) => slots[place % slots.length]);
  }

  /** The same order of slots that are copies. */
  copy(): SlotOrder {
    const slots = this.#slots.slice(this.#first, this.#first + this.#rows);
    return new SlotOrder(slots.map((slot) => slot.copy()));
  }

  /** Memory of the list, in bytes. */
  get bytes(): number {
    return this.#slots.length * bytesOfPlace;
  }

  at(row: number): Slot {
    return this.#slots[this.#first + row];
  }

  /** Moves the slots of the rows `top` up to and without `end` so that the one at `middle` gets to `top`. */
  rotate(top: number, middle: number, end: number): void {
    const slots = this.#slots;
    const from = this.#first + top;
    const to = this.#first + end;
    const up = middle - top;
    if (up === 1) {
      const first = slots[from];
      for (let at = from + 1; at < to; at++) slots[at - 1] = slots[at];
      slots[to - 1] = first;
    } else if (middle === end - 1) {
      const last = slots[to - 1];
      for (let at = to - 1; at > from; at--) slots[at] = slots[at - 1];
      slots[from] = last;
    } else {
      const moved = slots.slice(from, from + up);
      for (let at = from + up; at < to; at++) slots[at - up] = slots[at];
      for (let at = 0; at < up; at++) slots[to - up + at] = moved[at];
    }
  }

  /** Makes the first `count` slots the last: the commonest of all scrolls moves no list. */
  turn(count: number): void {
    const slots = this.#slots;
    const rows = this.#rows;
    if (this.#first + rows + count > slots.length) {
      for (let row = 0; row < rows; row++) slots[row] = slots[this.#first + row];
      this.#first = 0;
    }
    for (let row = 0; row < count; row++) {
      slots[this.#first + rows] = slots[this.#first];
      this.#first++;
    }
  }
}
