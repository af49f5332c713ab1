import { emptyCell } from '../cells/cell.ts';
import type { ClusterTable } from '../cells/cluster-table.ts';
import { ReadyRow } from '../cells/ready-row.ts';
import { defaultStyle } from '../style/style-word.ts';

// The flags that printing checks before it writes cells. Most rows have none.
/** All cells have the same content, which has not been written yet. */
export const fillDeferred = 1 << 0;
/** The row's line continues in the next row. */
export const lineWraps = 1 << 1;
/** The row may contain wide characters. */
export const mayHaveWide = 1 << 2;
/** The row may contain head spacers. */
export const mayHaveSpacers = 1 << 3;

/** Approximate bytes per row. */
export const bytesOfMetadata = 112;

/** The position of a row in the arrays of a grid, and what is known about its cells. */
export class RowMetadata {
  /** Index of the first cell. */
  readonly start: number;
  /**
   * A combination of {@link fillDeferred}, {@link lineWraps}, {@link mayHaveWide} and
   * {@link mayHaveSpacers}.
   */
  flags = 0;
  /** The revision of the last change, except changes of the whole screen. */
  changedAt = 0;
  /** From this column on, all cells are empty and in the default style. */
  extent = 0;
  /** Whether all cells are in the default style. May be false although they are. */
  isPlain = true;
  /** The content of all cells if {@link fillDeferred} is set. */
  fillCode = emptyCell;
  fillStyle = defaultStyle;
  /** The revision of the first print to the columns recorded below; -1 if never. */
  printedAt = -1;
  /** The first column printed to. */
  printedFrom = 0;
  /** One past the last column printed to. */
  printedTo = 0;
  /** With {@link fillDeferred}: the text of which the cells are made; null if they all have the same content. */
  ready: ReadyRow | null = null;
  /** Kept for the next text. */
  #spare: ReadyRow | null = null;

  constructor(start: number) {
    this.start = start;
  }

  /** Returns a copy without the printed columns. */
  copy(): RowMetadata {
    const copy = new RowMetadata(this.start);
    copy.copyFrom(this);
    copy.printedAt = this.printedAt;
    return copy;
  }

  /** Copies everything except the position and the printed columns. */
  copyFrom(other: RowMetadata): void {
    this.flags = other.flags;
    this.changedAt = other.changedAt;
    this.extent = other.extent;
    this.isPlain = other.isPlain;
    this.fillCode = other.fillCode;
    this.fillStyle = other.fillStyle;
  }

  /** Defers the cells of an empty row: they are to be those of another one. */
  setReady(row: ReadyRow, clusters: ClusterTable): void {
    this.#spare ??= new ReadyRow();
    this.#spare.copyFrom(row, clusters);
    this.ready = this.#spare;
    this.flags |= fillDeferred;
  }

  /** Memory of texts in bytes. */
  get readyBytes(): number {
    return this.#spare?.bytes ?? 0;
  }

  get isFilled(): boolean {
    return (this.flags & fillDeferred) === 0;
  }

  get wraps(): boolean {
    return (this.flags & lineWraps) !== 0;
  }

  set wraps(wraps: boolean) {
    this.flags = wraps ? this.flags | lineWraps : this.flags & ~lineWraps;
  }

  /**
   * Records that the columns from `from` up to but excluding `to` were printed to.
   *
   * @param since columns printed before this revision are dropped from the record
   */
  notePrinted(from: number, to: number, revision: number, since: number): void {
    this.changedAt = revision;
    if (to > this.extent) this.extent = to;
    if (this.printedAt < since) {
      this.printedAt = revision;
      this.printedFrom = from;
      this.printedTo = to;
      return;
    }
    if (from < this.printedFrom) this.printedFrom = from;
    if (to > this.printedTo) this.printedTo = to;
  }
}

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
