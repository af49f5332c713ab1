import { emptyCell, padCell, tailCell, wideFlag } from './cell.ts';
import type { Rectangle } from './rectangle.ts';
import { defaultStyle } from './style-table.ts';
import { decodeWhole, encodedLength, leadsThree } from './utf8-decoder.ts';
import { charWidth } from './width.ts';

const space = 0x20;
/** The first code point from U+0080 on that is no control. */
const firstPrintable = 0xa0;
/** Where a row that becomes empty has more cells in use than this, emptying it is put off. */
const maxCellsAtOnce = 256;
const noFill = -1;
/** So many screens full can scroll before the table of slots is moved back to its beginning. */
const slotTurns = 4;

/**
 * Copies bytes to cells up to the first that is not 0x20..0x7E; returns where that is. Four a turn,
 * which takes two thirds of the time of a plain loop.
 */
function copyAscii(
  bytes: Uint8Array,
  start: number,
  end: number,
  codes: Int32Array,
  into: number,
): number {
  let at = start;
  let cell = into;
  for (; at + 4 <= end; at += 4, cell += 4) {
    const a = bytes[at];
    if (isOther(a)) return at;
    codes[cell] = a;
    const b = bytes[at + 1];
    if (isOther(b)) return at + 1;
    codes[cell + 1] = b;
    const c = bytes[at + 2];
    if (isOther(c)) return at + 2;
    codes[cell + 2] = c;
    const d = bytes[at + 3];
    if (isOther(d)) return at + 3;
    codes[cell + 3] = d;
  }
  for (; at < end; at++, cell++) {
    const byte = bytes[at];
    if (isOther(byte)) break;
    codes[cell] = byte;
  }
  return at;
}

function fillCells(cells: Int32Array, value: number, from: number, to: number): void {
  // A call of `fill` costs as much as a dozen stores.
  if (to - from > 16) cells.fill(value, from, to);
  else for (let at = from; at < to; at++) cells[at] = value;
}

/** Whether a byte is not 0x20..0x7E, in one comparison. */
function isOther(byte: number): boolean {
  return (byte - 0x20) >>> 0 > 0x5e;
}

/** Memory of what is noted about each row: eight numbers and two bytes. */
const bytesOfRow = 8 * Int32Array.BYTES_PER_ELEMENT + 2;

/**
 * The cells of one screen, in two flat arrays. A row is found through a table of slots, so that
 * scrolling moves numbers in that table and no cells.
 *
 * Positions must lie on the grid; who calls has clamped them.
 */
export class Grid {
  readonly cols: number;
  readonly rows: number;
  /** Contents, see `cell.ts`. A row's cells begin at {@link Grid.start}. */
  readonly codes: Int32Array;
  /** Style ids, at the same places. */
  readonly styles: Int32Array;
  /** The revision that rows which change from now on belong to. */
  revision = 0;
  /** What was printed counts as just printed from this revision on. */
  printedSince = 0;

  /** The slots of the rows are the `rows` entries from {@link #firstSlot} on. */
  readonly #slots: Int32Array;
  #firstSlot = 0;
  /** By row: the revision of the last change, where that was not a change of the whole screen. */
  readonly #changedAt: Int32Array;
  #allChangedAt = 0;
  /** By slot: 1 where the row's line goes on in the next row. */
  readonly #wraps: Uint8Array;
  // By slot, bounds that save looking at cells. From the extent on, all are empty and in the default
  // style; where a row is plain, all are in the default style.
  readonly #extents: Int32Array;
  readonly #plain: Uint8Array;
  // By slot: what all cells of the row are to be, where that has not been written to them yet, so that
  // emptying a screen over and over costs little, however large it is and whatever its colour.
  readonly #fillCodes: Int32Array;
  readonly #fillStyles: Int32Array;
  // By slot: the columns that characters were just printed to, and the revision of the first.
  readonly #printedAt: Int32Array;
  readonly #printedFrom: Int32Array;
  readonly #printedTo: Int32Array;

  constructor(cols: number, rows: number) {
    this.cols = cols;
    this.rows = rows;
    this.codes = new Int32Array(cols * rows);
    this.styles = new Int32Array(cols * rows);
    this.#slots = Int32Array.from({ length: rows * slotTurns }, (_, row) => row);
    this.#changedAt = new Int32Array(rows);
    this.#wraps = new Uint8Array(rows);
    this.#extents = new Int32Array(rows);
    this.#plain = new Uint8Array(rows).fill(1);
    this.#fillCodes = new Int32Array(rows).fill(noFill);
    this.#fillStyles = new Int32Array(rows);
    this.#printedAt = new Int32Array(rows).fill(-1);
    this.#printedFrom = new Int32Array(rows);
    this.#printedTo = new Int32Array(rows);
  }

  /** The same grid, to be read only: which columns were just printed to is not noted in it. */
  copy(): Grid {
    const copy = new Grid(this.cols, this.rows);
    copy.codes.set(this.codes);
    copy.styles.set(this.styles);
    copy.#slots.set(this.#slots);
    copy.#firstSlot = this.#firstSlot;
    copy.#changedAt.set(this.#changedAt);
    copy.#allChangedAt = this.#allChangedAt;
    copy.#wraps.set(this.#wraps);
    copy.#extents.set(this.#extents);
    copy.#plain.set(this.#plain);
    copy.#fillCodes.set(this.#fillCodes);
    copy.#fillStyles.set(this.#fillStyles);
    copy.#printedAt.set(this.#printedAt);
    return copy;
  }

  /**
   * Index of the row's first cell in {@link codes} and {@link styles}. Whoever looks at cells of a row
   * has asked for this before, since the row was last written to.
   */
  start(row: number): number {
    const slot = this.#slot(row);
    if (this.#fillCodes[slot] !== noFill) this.#settle(slot);
    return slot * this.cols;
  }

  /** Makes all cells what they are to be, for whoever goes through them not by rows. */
  settle(): void {
    for (let slot = 0; slot < this.rows; slot++) this.#settle(slot);
  }

  #settle(slot: number): void {
    const code = this.#fillCodes[slot];
    if (code === noFill) return;
    const start = slot * this.cols;
    this.codes.fill(code, start, start + this.cols);
    this.styles.fill(this.#fillStyles[slot], start, start + this.cols);
    this.#fillCodes[slot] = noFill;
  }

  /** Memory held, in bytes. */
  get bytes(): number {
    return this.codes.byteLength + this.styles.byteLength + this.rows * bytesOfRow;
  }

  /** Whether the row's line goes on in the next row. */
  wraps(row: number): boolean {
    return this.#wraps[this.#slot(row)] === 1;
  }

  /** Marks the row's line as going on in the next row; its last `pads` cells are left free. */
  wrap(row: number, pads: number): void {
    this.#wraps[this.#slot(row)] = 1;
    if (pads === 0) return;
    const end = this.start(row) + this.cols;
    this.#cut(end - pads);
    this.codes.fill(padCell, end - pads, end);
    this.styles.fill(defaultStyle, end - pads, end);
    this.#extents[this.#slot(row)] = this.cols;
    this.touch(row);
  }

  unwrap(row: number): void {
    this.#unwrapSlot(this.#slot(row));
  }

  changedAt(row: number): number {
    return Math.max(this.#changedAt[row], this.#allChangedAt);
  }

  touch(row: number): void {
    this.#changedAt[row] = this.revision;
  }

  /** Marks as changed now what has changed after a revision. */
  touchSince(revision: number): void {
    for (let row = 0; row < this.rows; row++) if (this.changedAt(row) > revision) this.touch(row);
  }

  touchAll(): void {
    this.#allChangedAt = this.revision;
  }

  /** The first column of the row that was just printed to; -1 for none. */
  printedFrom(row: number): number {
    const slot = this.#slot(row);
    return this.#printedAt[slot] >= this.printedSince ? this.#printedFrom[slot] : -1;
  }

  /** The revision in which the row was last printed to: of several in one frame, its first; -1 for none. */
  printedAt(row: number): number {
    return this.#printedAt[this.#slot(row)];
  }

  /** One past the last column that was printed to, where {@link printedFrom} is not -1. */
  printedTo(row: number): number {
    return this.#printedTo[this.#slot(row)];
  }

  /** How many cells of the row are in use: up to the last one that is not as after a reset. */
  usedCols(row: number): number {
    const slot = this.#slot(row);
    // Whether all of it is in use or nothing.
    if (this.#fillCodes[slot] !== noFill) return this.#extents[slot];
    const start = slot * this.cols;
    const { codes, styles } = this;
    let end = start + this.#extents[slot];
    while (end > start && codes[end - 1] === emptyCell && styles[end - 1] === defaultStyle) end--;
    return end - start;
  }

  /** The style of all cells of a row that was emptied and not written to since; -1 where it may differ. */
  blankStyle(row: number): number {
    const slot = this.#slot(row);
    return this.#fillCodes[slot] === emptyCell ? this.#fillStyles[slot] : -1;
  }

  /** One past the last of the first `rows` rows that holds a character; 0 for none. */
  writtenRows(rows: number): number {
    let end = rows;
    while (end > 0 && !this.#isWritten(this.#slot(end - 1))) end--;
    return end;
  }

  #isWritten(slot: number): boolean {
    if (this.#fillCodes[slot] !== noFill) return this.#fillCodes[slot] !== emptyCell;
    const start = slot * this.cols;
    for (let at = start + this.#extents[slot]; at > start; at--) {
      if (this.codes[at - 1] !== emptyCell) return true;
    }
    return false;
  }

  /** Whether all cells of the row are in the default style. False may be wrong. */
  isPlain(row: number): boolean {
    return this.#plain[this.#slot(row)] === 1;
  }

  /**
   * Writes the bytes 0x20..0x7E from `bytes[from]` on, of which there is one at least, into
   * consecutive cells, up to `to` or to the end of the row. Returns the index of the next byte.
   */
  putAscii(
    row: number,
    col: number,
    bytes: Uint8Array,
    from: number,
    to: number,
    style: number,
  ): number {
    const { codes, cols } = this;
    const slot = this.#slot(row);
    if (this.#fillCodes[slot] !== noFill) this.#settle(slot);
    const start = slot * cols + col;
    this.#cut(start);
    const next = copyAscii(bytes, from, Math.min(to, from + cols - col), codes, start);
    this.#finishRun(row, slot, col, next - from, style);
    return next;
  }

  /** Writes the same character, of width 1, into consecutive cells; they must fit the row. */
  putSame(row: number, col: number, codePoint: number, count: number, style: number): void {
    const start = this.#open(row, col, count);
    this.codes.fill(codePoint, start, start + count);
    this.#setStyle(this.#slot(row), start, start + count, style);
  }

  /** Writes one character; a wide one takes the next cell too, if the grid has more than one column. */
  put(row: number, col: number, code: number, style: number): void {
    const isWide = (code & wideFlag) !== 0 && this.cols > 1;
    const width = isWide ? 2 : 1;
    const at = this.#open(row, col, width);
    this.codes[at] = code;
    if (isWide) this.codes[at + 1] = tailCell;
    this.#setStyle(this.#slot(row), at, at + width, style);
  }

  /** How many columns the last {@link putUtf8} or {@link putRun} filled. */
  lastRunCols = 0;
  /** The last code point of the last {@link putUtf8} that wrote any. */
  lastRunCharacter = 0;

  /**
   * Writes the characters from `bytes[from]` on into consecutive cells, up to `to`, to the column
   * before `endCol`, or to the first that needs a closer look: a control, an ill-formed character,
   * one without a width of its own. Returns the index of the next character.
   */
  putUtf8(
    row: number,
    col: number,
    bytes: Uint8Array,
    from: number,
    to: number,
    style: number,
    endCol: number,
  ): number {
    const { codes } = this;
    const slot = this.#slot(row);
    if (this.#fillCodes[slot] !== noFill) this.#settle(slot);
    const start = slot * this.cols + col;
    const end = slot * this.cols + endCol;
    let at = start;
    let index = from;
    let last = 0;
    this.#cut(start);
    while (index < to && at < end) {
      const byte = bytes[index];
      if (byte < 0x80) {
        if (isOther(byte)) break;
        codes[at++] = byte;
        last = byte;
        index++;
        continue;
      }
      let codePoint: number;
      let length = 3;
      // Most of what is not ASCII; the same by a call takes half as long again.
      if (leadsThree(byte) && index + 2 < to) {
        const second = bytes[index + 1] ^ 0x80;
        const third = bytes[index + 2] ^ 0x80;
        if ((second | third) > 0x3f) break;
        codePoint = ((byte & 0xf) << 12) | (second << 6) | third;
      } else {
        codePoint = decodeWhole(bytes, index, to);
        if (codePoint < firstPrintable) break;
        length = encodedLength(codePoint);
      }
      const width = charWidth(codePoint);
      if (width === 1) codes[at++] = codePoint;
      else if (width === 0 || at + 2 > end) break;
      else {
        codes[at] = codePoint | wideFlag;
        codes[at + 1] = tailCell;
        at += 2;
      }
      last = codePoint;
      index += length;
    }
    this.lastRunCols = at - start;
    if (at === start) return index;
    this.lastRunCharacter = last;
    this.#finishRun(row, slot, col, at - start, style);
    return index;
  }

  /**
   * Writes characters from `codePoints[from]` on into consecutive cells, up to `to`, to the column
   * before `endCol`, or to the first that has no width of its own. Returns the index of the next
   * character.
   */
  putRun(
    row: number,
    col: number,
    codePoints: Int32Array,
    from: number,
    to: number,
    style: number,
    endCol = this.cols,
  ) {
    const { codes } = this;
    const slot = this.#slot(row);
    if (this.#fillCodes[slot] !== noFill) this.#settle(slot);
    const start = slot * this.cols + col;
    const end = slot * this.cols + endCol;
    let at = start;
    let index = from;
    this.#cut(start);
    for (; index < to; index++) {
      const codePoint = codePoints[index];
      const width = charWidth(codePoint);
      if (width === 0 || at + width > end) break;
      if (width === 1) codes[at++] = codePoint;
      else {
        codes[at++] = codePoint | wideFlag;
        codes[at++] = tailCell;
      }
    }
    this.lastRunCols = at - start;
    if (at > start) this.#finishRun(row, slot, col, at - start, style);
    return index;
  }

  /** What comes after cells have been written one after the other. */
  #finishRun(row: number, slot: number, col: number, count: number, style: number): void {
    const { codes, cols } = this;
    const start = slot * cols + col;
    const end = start + count;
    // Half of a wide character may be left behind the last cell.
    if (col + count < cols && codes[end] === tailCell) codes[end] = space;
    this.#setStyle(slot, start, end, style);
    this.#mark(row, slot, col, col + count);
  }

  /** Replaces what a cell holds, by more of the same character: it keeps its width and style. */
  extend(row: number, col: number, code: number): void {
    this.codes[this.start(row) + col] = code;
    this.#mark(row, this.#slot(row), col, col + 1);
  }

  /** Empties the cells `from` up to and without `to`. */
  erase(row: number, from: number, to: number, style: number): void {
    if (from >= to) return;
    const slot = this.#slot(row);
    const start = this.start(row);
    if (to === this.cols) this.unwrap(row);
    this.#cut(start + from);
    if (to < this.cols) this.#cut(start + to);
    this.#blank(slot, from, to, style);
    this.#changedAt[row] = this.revision;
  }

  /**
   * Makes cells ready for some of them being emptied by whoever calls, the first and the last or not,
   * and both halves of a character or none.
   */
  openErased(row: number, from: number, to: number, first: boolean, last: boolean): void {
    const slot = this.#slot(row);
    const start = this.start(row);
    if (to === this.cols && last) this.unwrap(row);
    if (first) this.#cut(start + from);
    if (to < this.cols && last) this.#cut(start + to);
    if (to > this.#extents[slot]) this.#extents[slot] = to;
    this.#plain[slot] = 0;
    this.#changedAt[row] = this.revision;
  }

  /** Empties the rows `from` up to and without `to`. */
  eraseRows(from: number, to: number, style: number): void {
    for (let row = from; row < to; row++) {
      const slot = this.#slot(row);
      const isFilled = this.#fillCodes[slot] !== noFill;
      if (style === defaultStyle && !isFilled && this.#extents[slot] <= maxCellsAtOnce) {
        this.#blank(slot, 0, this.cols, style);
      } else this.#fillLater(slot, emptyCell, style);
      this.#plain[slot] = style === defaultStyle ? 1 : 0;
      this.#wraps[slot] = 0;
      this.#printedAt[slot] = -1;
      this.#changedAt[row] = this.revision;
    }
  }

  /** Writes one character of width 1 into every cell, in the default style. */
  fill(code: number): void {
    for (let slot = 0; slot < this.rows; slot++) this.#fillLater(slot, code, defaultStyle);
    this.#plain.fill(1);
    this.#wraps.fill(0);
    this.touchAll();
  }

  #fillLater(slot: number, code: number, style: number): void {
    this.#fillCodes[slot] = code;
    this.#fillStyles[slot] = style;
    this.#extents[slot] = code === emptyCell && style === defaultStyle ? 0 : this.cols;
  }

  /** Sets the first cells of a row that is empty, as many as fit. */
  setRow(row: number, codes: Int32Array, styles: Int32Array, start: number, end: number): void {
    const slot = this.#slot(row);
    const count = Math.min(end - start, this.cols);
    this.codes.set(codes.subarray(start, start + count), slot * this.cols);
    this.styles.set(styles.subarray(start, start + count), slot * this.cols);
    this.#extents[slot] = count;
    this.#plain[slot] = 0;
  }

  /**
   * Takes over a row of another grid, as much of it as fits. Where the widths differ it no longer
   * ends where its line went on.
   */
  copyRow(row: number, other: Grid, otherRow: number): void {
    const slot = this.#slot(row);
    const start = slot * this.cols;
    if (other.cols !== this.cols) other.unwrap(otherRow);
    const source = other.start(otherRow);
    const width = Math.min(this.cols, other.cols);
    this.codes.set(other.codes.subarray(source, source + width), start);
    this.styles.set(other.styles.subarray(source, source + width), start);
    this.#wraps[slot] = other.wraps(otherRow) ? 1 : 0;
    this.#extents[slot] = Math.min(width, other.#extents[other.#slot(otherRow)]);
    this.#plain[slot] = other.isPlain(otherRow) ? 1 : 0;
    // What is half of a wide character here, or was clipped to one column there.
    const last = start + width - 1;
    const isHalf = this.cols !== other.cols && (this.codes[last] & wideFlag) !== 0;
    if (isHalf && this.cols > 1) this.codes[last] = space;
  }

  /** Opens a gap of `count` empty cells at `col`; what is pushed over `endCol` is lost. */
  insertCells(row: number, col: number, count: number, style: number, endCol = this.cols): void {
    const slot = this.#beginEdit(row, col, endCol);
    const gap = Math.min(count, endCol - col);
    const used = this.#extents[slot];
    this.#shift(slot, col, col + gap, Math.min(used, endCol - gap) - col);
    if (used > col && used < endCol) this.#extents[slot] = Math.min(used + gap, endCol);
    this.#blank(slot, col, col + gap, style);
    const last = slot * this.cols + endCol - 1;
    if ((this.codes[last] & wideFlag) !== 0) this.codes[last] = space;
  }

  /** Takes `count` cells out at `col`; empty ones come in before `endCol`. */
  deleteCells(row: number, col: number, count: number, style: number, endCol = this.cols): void {
    const slot = this.#beginEdit(row, col, endCol);
    const gap = Math.min(count, endCol - col);
    const used = Math.min(this.#extents[slot], endCol);
    if (col + gap < endCol) this.#cut(slot * this.cols + col + gap);
    this.#shift(slot, col + gap, col, used - col - gap);
    // What has been moved away from leaves nothing; after it comes what the columns are filled with.
    if (used > col) this.#blank(slot, Math.max(col, used - gap), used, defaultStyle);
    this.#blank(slot, endCol - gap, endCol, style);
  }

  /** Moves cells of a row; where there are none in use, none. */
  #shift(slot: number, from: number, to: number, count: number): void {
    if (count <= 0) return;
    const start = slot * this.cols;
    this.codes.copyWithin(start + to, start + from, start + from + count);
    if (this.#plain[slot] === 1) return;
    this.styles.copyWithin(start + to, start + from, start + from + count);
  }

  /** What comes before cells of a row are changed other than by printing. Returns the slot. */
  #beginEdit(row: number, from: number, to: number): number {
    const start = this.start(row);
    this.unwrap(row);
    this.#cut(start + from);
    if (to < this.cols) this.#cut(start + to);
    this.#changedAt[row] = this.revision;
    return this.#slot(row);
  }

  /**
   * Makes cells ready for being written to by whoever calls, not as printing does; returns the index
   * of the first. They must be whole characters in the end, and if the row was plain, in the default
   * style.
   */
  openCells(row: number, from: number, to: number): number {
    const slot = this.#beginEdit(row, from, to);
    if (to > this.#extents[slot]) this.#extents[slot] = to;
    return slot * this.cols + from;
  }

  /** As {@link openCells}, for cells in whatever style. */
  openStyledCells(row: number, from: number, to: number): number {
    this.#plain[this.#slot(row)] = 0;
    return this.openCells(row, from, to);
  }

  /** As {@link scrollUp}, the columns of a rectangle only. */
  scrollUpBetween(region: Rectangle, count: number, style: number): void {
    const { top, bottom, left, right } = region;
    this.#openRegion(region);
    const kept = Math.max(0, bottom + 1 - top - count);
    for (let row = top; row < top + kept; row++) this.#moveCells(row + count, row, left, right);
    for (let row = top + kept; row <= bottom; row++) this.erase(row, left, right + 1, style);
  }

  /** As {@link scrollDown}, the columns of a rectangle only. */
  scrollDownBetween(region: Rectangle, count: number, style: number): void {
    const { top, bottom, left, right } = region;
    this.#openRegion(region);
    const kept = Math.max(0, bottom + 1 - top - count);
    for (let row = bottom; row > bottom - kept; row--)
      this.#moveCells(row - count, row, left, right);
    for (let row = bottom - kept; row >= top; row--) this.erase(row, left, right + 1, style);
  }

  #openRegion({ top, bottom, left, right }: Rectangle): void {
    if (top > 0) this.unwrap(top - 1);
    for (let row = top; row <= bottom; row++) this.#beginEdit(row, left, right + 1);
  }

  /** Takes over the columns `left`..`right` of another row; both are open. */
  #moveCells(from: number, to: number, left: number, right: number): void {
    const { codes, styles, cols } = this;
    const source = this.#slot(from);
    const target = this.#slot(to);
    const start = source * cols;
    const isPlain = this.#plain[source] & this.#plain[target];
    const end = Math.max(left, Math.min(right + 1, this.#extents[source]));
    codes.copyWithin(target * cols + left, start + left, start + end);
    if (isPlain === 0) styles.copyWithin(target * cols + left, start + left, start + end);
    this.#plain[target] = isPlain;
    if (end > this.#extents[target] && end > left) this.#extents[target] = end;
    this.#blank(target, end, right + 1, defaultStyle);
    if (this.#printedAt[source] < this.printedSince) return;
    const printedFrom = Math.max(left, this.#printedFrom[source]);
    const printedTo = Math.min(right + 1, this.#printedTo[source]);
    if (printedFrom < printedTo) this.#mark(to, target, printedFrom, printedTo);
  }

  /**
   * Moves the rows `top`..`bottom` up by `count`; empty ones come in below. Lines that went on
   * across the borders of the region are cut there; `keepWrap` spares the one at the bottom, which
   * is being continued by this very scroll.
   */
  scrollUp(top: number, bottom: number, count: number, style: number, keepWrap = false): void {
    const moved = Math.min(count, bottom - top + 1);
    if (!keepWrap) this.unwrap(bottom);
    if (top > 0) this.unwrap(top - 1);
    if (top === 0 && bottom === this.rows - 1) this.#turnSlots(moved);
    else this.#rotateSlots(top, bottom + 1 - moved, bottom + 1);
    this.eraseRows(bottom + 1 - moved, bottom + 1, style);
    this.#touchRows(top, bottom);
  }

  /** Moves the rows `top`..`bottom` down by `count`; empty ones come in above. */
  scrollDown(top: number, bottom: number, count: number, style: number): void {
    const moved = Math.min(count, bottom - top + 1);
    if (top > 0) this.unwrap(top - 1);
    this.#rotateSlots(top, top + moved, bottom + 1);
    this.eraseRows(top, top + moved, style);
    this.unwrap(bottom);
    this.#touchRows(top, bottom);
  }

  #slot(row: number): number {
    return this.#slots[this.#firstSlot + row];
  }

  /** Moves the slots of the rows from `top` on so that the first one gets to the row `middle`. */
  #rotateSlots(top: number, middle: number, end: number): void {
    const slots = this.#slots;
    const from = this.#firstSlot + top;
    const to = this.#firstSlot + end;
    const up = end - middle;
    if (up === 1) {
      const first = slots[from];
      slots.copyWithin(from, from + 1, to);
      slots[to - 1] = first;
    } else if (middle === top + 1) {
      const last = slots[to - 1];
      slots.copyWithin(from + 1, from, to - 1);
      slots[from] = last;
    } else {
      const first = slots.slice(from, from + up);
      slots.copyWithin(from, from + up, to);
      slots.set(first, to - up);
    }
  }

  /** Makes the first `count` slots the last: the commonest of all scrolls moves no table. */
  #turnSlots(count: number): void {
    const slots = this.#slots;
    const { rows } = this;
    if (this.#firstSlot + rows + count > slots.length) {
      slots.copyWithin(0, this.#firstSlot, this.#firstSlot + rows);
      this.#firstSlot = 0;
    }
    for (let row = 0; row < count; row++) {
      slots[this.#firstSlot + rows] = slots[this.#firstSlot];
      this.#firstSlot++;
    }
  }

  #touchRows(top: number, bottom: number): void {
    if (top === 0 && bottom === this.rows - 1) this.touchAll();
    else this.#changedAt.fill(this.revision, top, bottom + 1);
  }

  /** Makes room for `count` cells at a place, marked as printed; returns their index. */
  #open(row: number, col: number, count: number): number {
    const slot = this.#slot(row);
    const start = this.start(row) + col;
    const to = col + count;
    this.#cut(start);
    if (to < this.cols) this.#cut(start + count);
    this.#mark(row, slot, col, to);
    return start;
  }

  /** Notes that characters have been printed to the columns `from` up to and without `to`. */
  #mark(row: number, slot: number, from: number, to: number): void {
    const { revision } = this;
    this.#changedAt[row] = revision;
    if (to > this.#extents[slot]) this.#extents[slot] = to;
    if (this.#wraps[slot] === 1) this.#writeOnWrapped(slot, from, to);
    if (this.#printedAt[slot] < this.printedSince) {
      this.#printedAt[slot] = revision;
      this.#printedFrom[slot] = from;
      this.#printedTo[slot] = to;
      return;
    }
    if (from < this.#printedFrom[slot]) this.#printedFrom[slot] = from;
    if (to > this.#printedTo[slot]) this.#printedTo[slot] = to;
  }

  /** The line goes on only if the next character wraps again, or its pads are left in peace. */
  #writeOnWrapped(slot: number, from: number, to: number): void {
    const before = from === 0 ? emptyCell : this.codes[slot * this.cols + from - 1];
    const isAtPads = to === this.cols || this.codes[slot * this.cols + to] === padCell;
    if (isAtPads || before === padCell) this.#unwrapSlot(slot);
  }

  #unwrapSlot(slot: number): void {
    if (this.#wraps[slot] === 0) return;
    this.#wraps[slot] = 0;
    const { codes, cols } = this;
    for (let at = slot * cols; at < (slot + 1) * cols; at++) {
      if (codes[at] === padCell) codes[at] = emptyCell;
    }
  }

  #setStyle(slot: number, from: number, to: number, style: number): void {
    if (style === defaultStyle && this.#plain[slot] === 1) return;
    this.#plain[slot] = 0;
    fillCells(this.styles, style, from, to);
  }

  /** A wide character that an edit begins or ends in the middle of becomes two spaces. */
  #cut(at: number): void {
    if (this.codes[at] !== tailCell) return;
    this.codes[at] = space;
    this.codes[at - 1] = space;
  }

  /** Empties columns, of which only those before the extent can be anything else. */
  #blank(slot: number, from: number, to: number, style: number): void {
    const start = slot * this.cols;
    const extent = this.#extents[slot];
    fillCells(this.codes, emptyCell, start + from, start + Math.min(to, extent));
    if (style === defaultStyle) {
      if (to >= extent) this.#extents[slot] = Math.min(from, extent);
      if (this.#plain[slot] === 0)
        this.styles.fill(style, start + from, start + Math.min(to, extent));
    } else {
      this.styles.fill(style, start + from, start + to);
      this.#plain[slot] = 0;
      this.#extents[slot] = Math.max(extent, to);
    }
  }
}
