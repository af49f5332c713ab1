import { emptyCell, padCell, tailCell, wideFlag } from '../cells/cell.ts';
import { defaultStyle } from '../style/style-word.ts';
import { bytesOfSlot, padded, Slot, unsettled, wide } from './row-metadata.ts';
import { SlotOrder } from './row-order.ts';

const space = 0x20;
/** Where a row that becomes empty has more cells in use than this, emptying it is put off. */
const maxCellsAtOnce = 256;

export function fillCells(cells: Int32Array, value: number, from: number, to: number): void {
  // A call of `fill` costs as much as a dozen stores.
  if (to - from > 16) cells.fill(value, from, to);
  else for (let at = from; at < to; at++) cells[at] = value;
}

function slotsOf(cols: number, rows: number): Slot[] {
  return Array.from({ length: rows }, (_, row) => new Slot(row * cols));
}

/**
 * The cells of one screen, in two flat arrays. A row is found through its slot, so that scrolling
 * moves slots and no cells. What prints and moves cells is in `cell-writing.ts` and `cell-moves.ts`.
 *
 * Positions must lie on the grid; who calls has clamped them.
 */
export class Grid {
  readonly cols: number;
  readonly rows: number;
  /** Contents, see `cell.ts`. A row's cells begin at {@link Grid.start}. */
  readonly codes: Int32Array;
  /** Styles, at the same places. */
  readonly styles: Int32Array;
  /** The revision that rows which change from now on belong to. */
  revision = 0;
  /** What was printed counts as just printed from this revision on. */
  printedSince = 0;

  readonly #order: SlotOrder;
  #allChangedAt = 0;

  constructor(cols: number, rows: number, order?: SlotOrder) {
    this.cols = cols;
    this.rows = rows;
    this.codes = new Int32Array(cols * rows);
    this.styles = new Int32Array(cols * rows);
    this.#order = order ?? new SlotOrder(slotsOf(cols, rows));
  }

  /** The same grid, to be read only: which columns were just printed to is not noted in it. */
  copy(): Grid {
    const copy = new Grid(this.cols, this.rows, this.#order.copy());
    copy.codes.set(this.codes);
    copy.styles.set(this.styles);
    copy.revision = this.revision;
    copy.#allChangedAt = this.#allChangedAt;
    return copy;
  }

  /** Valid until the next scroll. */
  slot(row: number): Slot {
    return this.#order.at(row);
  }

  /**
   * Index of the row's first cell in {@link codes} and {@link styles}. Whoever looks at cells of a row
   * has asked for this before, since the row was last written to.
   */
  start(row: number): number {
    const slot = this.slot(row);
    if (!slot.isSettled) this.settleSlot(slot);
    return slot.start;
  }

  /** Makes all cells what they are to be, for whoever goes through them not by rows. */
  settle(): void {
    for (let row = 0; row < this.rows; row++) this.start(row);
  }

  /** Makes the cells of an unsettled row what they are to be. */
  settleSlot(slot: Slot): void {
    const end = slot.start + this.cols;
    this.codes.fill(slot.fillCode, slot.start, end);
    this.styles.fill(slot.fillStyle, slot.start, end);
    slot.flags &= ~unsettled;
  }

  /** Memory held, in bytes. */
  get bytes(): number {
    const slots = this.rows * bytesOfSlot + this.#order.bytes;
    return this.codes.byteLength + this.styles.byteLength + slots;
  }

  /** Whether the row's line goes on in the next row. */
  wraps(row: number): boolean {
    return this.slot(row).wraps;
  }

  /** Marks the row's line as going on in the next row; its last `pads` cells are left free. */
  wrap(row: number, pads: number): void {
    const slot = this.slot(row);
    slot.wraps = true;
    if (pads === 0) return;
    const end = this.start(row) + this.cols;
    this.cut(end - pads);
    fillCells(this.codes, padCell, end - pads, end);
    fillCells(this.styles, defaultStyle, end - pads, end);
    slot.flags |= padded;
    slot.extent = this.cols;
    slot.changedAt = this.revision;
  }

  unwrap(row: number): void {
    const slot = this.slot(row);
    if (slot.wraps) this.unwrapSlot(slot);
  }

  /** The line of a row that wraps ends with it; its pads become empty cells. */
  unwrapSlot(slot: Slot): void {
    slot.wraps = false;
    if ((slot.flags & padded) === 0) return;
    slot.flags &= ~padded;
    const { codes } = this;
    for (let at = slot.start; at < slot.start + this.cols; at++) {
      if (codes[at] === padCell) codes[at] = emptyCell;
    }
  }

  changedAt(row: number): number {
    return Math.max(this.slot(row).changedAt, this.#allChangedAt);
  }

  /** Marks as changed now what has changed after a revision. */
  touchSince(revision: number): void {
    for (let row = 0; row < this.rows; row++) {
      if (this.changedAt(row) > revision) this.slot(row).changedAt = this.revision;
    }
  }

  touchAll(): void {
    this.#allChangedAt = this.revision;
  }

  /** The first column of the row that was just printed to; -1 for none. */
  printedFrom(row: number): number {
    const slot = this.slot(row);
    return slot.printedAt >= this.printedSince ? slot.printedFrom : -1;
  }

  /** The revision in which the row was last printed to: of several in one frame, its first; -1 for none. */
  printedAt(row: number): number {
    return this.slot(row).printedAt;
  }

  /** One past the last column that was printed to, where {@link printedFrom} is not -1. */
  printedTo(row: number): number {
    return this.slot(row).printedTo;
  }

  /** How many cells of the row are in use: up to the last one that is not as after a reset. */
  usedCols(row: number): number {
    const slot = this.slot(row);
    // Whether all of it is in use or nothing.
    if (!slot.isSettled) return slot.extent;
    const { codes, styles } = this;
    let end = slot.start + slot.extent;
    while (end > slot.start && codes[end - 1] === emptyCell && styles[end - 1] === defaultStyle) {
      end--;
    }
    return end - slot.start;
  }

  /** One past the last of the first `rows` rows that holds a character; 0 for none. */
  writtenRows(rows: number): number {
    let end = rows;
    while (end > 0 && !this.#isWritten(this.slot(end - 1))) end--;
    return end;
  }

  #isWritten(slot: Slot): boolean {
    if (!slot.isSettled) return slot.fillCode !== emptyCell;
    for (let at = slot.start + slot.extent; at > slot.start; at--) {
      if (this.codes[at - 1] !== emptyCell) return true;
    }
    return false;
  }

  /** Empties the cells `from` up to and without `to`. */
  erase(row: number, from: number, to: number, style: number): void {
    if (from >= to) return;
    const start = this.start(row);
    const slot = this.slot(row);
    if (to === this.cols) this.unwrap(row);
    this.cut(start + from);
    if (to < this.cols) this.cut(start + to);
    this.blank(slot, from, to, style);
    slot.changedAt = this.revision;
  }

  /**
   * Makes cells ready for some of them being emptied by whoever calls, the first and the last or not,
   * and both halves of a character or none.
   */
  openErased(row: number, from: number, to: number, first: boolean, last: boolean): void {
    const start = this.start(row);
    const slot = this.slot(row);
    if (to === this.cols && last) this.unwrap(row);
    if (first) this.cut(start + from);
    if (to < this.cols && last) this.cut(start + to);
    if (to > slot.extent) slot.extent = to;
    slot.isPlain = false;
    slot.changedAt = this.revision;
  }

  /** Empties the rows `from` up to and without `to`. */
  eraseRows(from: number, to: number, style: number): void {
    for (let row = from; row < to; row++) {
      const slot = this.slot(row);
      if (style === defaultStyle && slot.isSettled && slot.extent <= maxCellsAtOnce) {
        this.blank(slot, 0, this.cols, style);
        slot.flags = 0;
      } else this.#fillLater(slot, emptyCell, style);
      slot.isPlain = style === defaultStyle;
      slot.printedAt = -1;
      slot.changedAt = this.revision;
    }
  }

  /** Writes one character of width 1 into every cell, in the default style. */
  fill(code: number): void {
    for (let row = 0; row < this.rows; row++) {
      const slot = this.slot(row);
      this.#fillLater(slot, code, defaultStyle);
      slot.isPlain = true;
    }
    this.touchAll();
  }

  #fillLater(slot: Slot, code: number, style: number): void {
    slot.flags = unsettled;
    slot.fillCode = code;
    slot.fillStyle = style;
    slot.extent = code === emptyCell && style === defaultStyle ? 0 : this.cols;
  }

  /** Sets the first cells of a row that is empty, as many as fit. */
  setRow(row: number, codes: Int32Array, styles: Int32Array, start: number, end: number): void {
    const slot = this.slot(row);
    const count = Math.min(end - start, this.cols);
    this.codes.set(codes.subarray(start, start + count), slot.start);
    this.styles.set(styles.subarray(start, start + count), slot.start);
    slot.extent = count;
    slot.isPlain = false;
    slot.flags |= wide;
  }

  /**
   * Takes over a row of another grid, as much of it as fits. Where the widths differ it no longer
   * ends where its line went on.
   */
  copyRow(row: number, other: Grid, otherRow: number): void {
    const slot = this.slot(row);
    if (other.cols !== this.cols) other.unwrap(otherRow);
    const source = other.start(otherRow);
    const width = Math.min(this.cols, other.cols);
    this.codes.set(other.codes.subarray(source, source + width), slot.start);
    this.styles.set(other.styles.subarray(source, source + width), slot.start);
    slot.copyFrom(other.slot(otherRow));
    slot.extent = Math.min(width, slot.extent);
    slot.changedAt = this.revision;
    // What is half of a wide character here, or was clipped to one column there.
    const last = slot.start + width - 1;
    const isHalf = this.cols !== other.cols && (this.codes[last] & wideFlag) !== 0;
    if (isHalf && this.cols > 1) this.codes[last] = space;
  }

  /** What comes before cells of a row are changed other than by printing. Returns the slot. */
  beginEdit(row: number, from: number, to: number): Slot {
    const start = this.start(row);
    const slot = this.slot(row);
    this.unwrap(row);
    this.cut(start + from);
    if (to < this.cols) this.cut(start + to);
    slot.changedAt = this.revision;
    return slot;
  }

  /**
   * Makes cells ready for being written to by whoever calls, not as printing does, in whatever style;
   * returns the index of the first. They must be whole characters in the end.
   */
  openStyledCells(row: number, from: number, to: number): number {
    const slot = this.beginEdit(row, from, to);
    if (to > slot.extent) slot.extent = to;
    slot.isPlain = false;
    slot.flags |= wide;
    return slot.start + from;
  }

  /**
   * Moves the rows `top`..`bottom` up by `count`; empty ones come in below. Lines that went on
   * across the borders of the region are cut there; `keepWrap` spares the one at the bottom, which
   * is being continued by this very scroll.
   */
  scrollUp(top: number, bottom: number, count: number, style: number, keepWrap = false): void {
    const moved = Math.min(count, bottom - top + 1);
    if (!keepWrap) this.unwrap(bottom);
    if (top === 0 && bottom === this.rows - 1) {
      this.#order.turn(moved);
      this.touchAll();
    } else {
      if (top > 0) this.unwrap(top - 1);
      this.#order.rotate(top, top + moved, bottom + 1);
      this.#touchRows(top, bottom);
    }
    this.eraseRows(bottom + 1 - moved, bottom + 1, style);
  }

  /** Moves the rows `top`..`bottom` down by `count`; empty ones come in above. */
  scrollDown(top: number, bottom: number, count: number, style: number): void {
    const moved = Math.min(count, bottom - top + 1);
    if (top > 0) this.unwrap(top - 1);
    this.#order.rotate(top, bottom + 1 - moved, bottom + 1);
    this.eraseRows(top, top + moved, style);
    this.unwrap(bottom);
    this.#touchRows(top, bottom);
  }

  #touchRows(top: number, bottom: number): void {
    if (top === 0 && bottom === this.rows - 1) this.touchAll();
    else for (let row = top; row <= bottom; row++) this.slot(row).changedAt = this.revision;
  }

  /** A wide character that an edit begins or ends in the middle of becomes two spaces. */
  cut(at: number): void {
    if (this.codes[at] !== tailCell) return;
    this.codes[at] = space;
    this.codes[at - 1] = space;
  }

  /** Empties columns, of which only those before the extent can be anything else. */
  blank(slot: Slot, from: number, to: number, style: number): void {
    const { start, extent } = slot;
    fillCells(this.codes, emptyCell, start + from, start + Math.min(to, extent));
    if (style === defaultStyle) {
      if (to >= extent) slot.extent = Math.min(from, extent);
      if (!slot.isPlain) fillCells(this.styles, style, start + from, start + Math.min(to, extent));
    } else {
      fillCells(this.styles, style, start + from, start + to);
      slot.isPlain = false;
      slot.extent = Math.max(extent, to);
    }
  }
}
