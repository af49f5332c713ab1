import { emptyCell, spacerHead, spacerTail, wideFlag } from '../cells/cell.ts';
import type { ClusterTable } from '../cells/cluster-table.ts';
import { type ReadyRow, runWords } from '../cells/ready-row.ts';
import { defaultStyle } from '../style/style-word.ts';
import {
  bytesOfMetadata,
  fillDeferred,
  mayHaveSpacers,
  mayHaveWide,
  RowMetadata,
  RowOrder,
} from './row-metadata.ts';

const space = 0x20;
/** If more cells than this are in use in a row to be erased, the erasing is deferred. */
const maxCellsAtOnce = 256;

/** See {@link Grid.noteReads}. */
const leastFeedsAsCells = 8;
const mostFeedsAsCells = 512;

export function fillCells(cells: Int32Array, value: number, from: number, to: number): void {
  // Calling `fill` costs as much as a dozen stores.
  if (to - from > 16) cells.fill(value, from, to);
  else for (let at = from; at < to; at++) cells[at] = value;
}

const noCells = new Int32Array(0);

function metadataOf(cols: number, rows: number): RowMetadata[] {
  return Array.from({ length: rows }, (_, row) => {
    const meta = new RowMetadata(row * cols);
    meta.flags = fillDeferred;
    return meta;
  });
}

/**
 * The cells of one screen, in two flat arrays. The row metadata says where a row's cells are, so
 * that scrolling moves metadata instead of cells. Writing and moving cells is in `cell-writing.ts`
 * and `cell-moves.ts`.
 *
 * The arrays grow with the rows in use, so they must be read after {@link Grid.start}: most screens of
 * many sessions have a few rows.
 *
 * Positions must be on the grid; callers clamp them.
 */
export class Grid {
  readonly cols: number;
  readonly rows: number;
  /** The contents, see `cell.ts`. A row's cells begin at {@link Grid.start}. */
  codes = noCells;
  /** The styles, by the same index. */
  styles = noCells;
  /** The revision of rows that change from now on. */
  revision = 0;
  /** Text printed in this revision or later counts as just printed. */
  printedSince = 0;

  /** How often text of a row became cells since {@link noteReads}. */
  readyFills = 0;
  /** Up to this revision, rows get cells at once. */
  #cellsUntil = 0;
  #feedsAsCells = leastFeedsAsCells;

  readonly #order: RowOrder;
  #allChangedAt = 0;

  constructor(cols: number, rows: number, order?: RowOrder) {
    this.cols = cols;
    this.rows = rows;
    this.#order = order ?? new RowOrder(metadataOf(cols, rows));
  }

  /** Returns a read-only copy, without the record of the columns just printed to. */
  copy(): Grid {
    for (let row = 0; row < this.rows; row++)
      if (this.metadata(row).ready !== null) this.start(row);
    const copy = new Grid(this.cols, this.rows, this.#order.copy());
    copy.codes = this.codes.slice();
    copy.styles = this.styles.slice();
    copy.revision = this.revision;
    copy.#allChangedAt = this.#allChangedAt;
    return copy;
  }

  /** Valid until the next scroll. */
  metadata(row: number): RowMetadata {
    return this.#order.at(row);
  }

  /**
   * The index of the row's first cell in {@link codes} and {@link styles}. Applies a deferred fill,
   * so it must be called before cells are read, after the row was last written to.
   */
  start(row: number): number {
    const meta = this.metadata(row);
    if (!meta.isFilled) this.applyFill(meta);
    return meta.start;
  }

  /** Applies all deferred fills, before cells are accessed other than by row. */
  applyFills(): void {
    for (let row = 0; row < this.rows; row++) this.start(row);
  }

  /** Applies the deferred fill of a row. */
  applyFill(meta: RowMetadata): void {
    const end = meta.start + this.cols;
    if (end > this.codes.length) this.#grow(end);
    if (meta.ready !== null) {
      this.#applyReady(meta, meta.ready);
      return;
    }
    this.codes.fill(meta.fillCode, meta.start, end);
    this.styles.fill(meta.fillStyle, meta.start, end);
    meta.flags &= ~fillDeferred;
  }

  #applyReady(meta: RowMetadata, row: ReadyRow): void {
    const { start } = meta;
    this.codes.fill(emptyCell, start, start + this.cols);
    this.styles.fill(defaultStyle, start, start + this.cols);
    row.writeCells(this.codes, this.styles, start);
    if (row.asciiCells < row.cells) meta.flags |= mayHaveWide;
    if (meta.wraps && row.cells < this.cols) {
      this.codes.fill(spacerHead, start + row.cells, start + this.cols);
    }
    meta.flags &= ~fillDeferred;
    meta.ready = null;
    this.readyFills++;
  }

  /**
   * Gives an empty row the text of another one, which becomes cells when they are needed.
   *
   * @param wraps whether its line continues in the next row; if it is not full, a wide character did not fit
   */
  setReady(row: number, text: ReadyRow, wraps: boolean, clusters: ClusterTable): void {
    if (text.cells === 0) return;
    const meta = this.metadata(row);
    meta.setReady(text, clusters);
    meta.notePrinted(0, text.cells, this.revision, this.printedSince);
    meta.isPlain =
      text.endRun === text.firstRun + runWords && text.runs[text.firstRun] === defaultStyle;
    if (!wraps) return;
    meta.wraps = true;
    if (text.cells === this.cols) return;
    meta.flags |= mayHaveSpacers;
    meta.extent = this.cols;
  }

  /**
   * Whether rows should get cells rather than text, because somebody reads them: for some feeds after text became cells,
   * and for more feeds the more often that happens.
   */
  noteReads(): boolean {
    if (this.readyFills > 0) {
      this.readyFills = 0;
      this.#feedsAsCells = Math.min(2 * this.#feedsAsCells, mostFeedsAsCells);
      this.#cellsUntil = this.revision + this.#feedsAsCells;
    }
    const isRead = this.revision < this.#cellsUntil;
    if (!isRead) this.#feedsAsCells = Math.max(this.#feedsAsCells >> 1, leastFeedsAsCells);
    return isRead;
  }

  /** Allocates cells up to `end`, or more. */
  #grow(end: number): void {
    const cells = Math.min(this.cols * this.rows, Math.max(end, 2 * this.codes.length));
    const { codes, styles } = this;
    this.codes = new Int32Array(cells);
    this.codes.set(codes);
    this.styles = new Int32Array(cells);
    this.styles.set(styles);
  }

  /** The content of a cell. */
  codeAt(row: number, col: number): number {
    const start = this.start(row);
    return this.codes[start + col];
  }

  styleAt(row: number, col: number): number {
    const start = this.start(row);
    return this.styles[start + col];
  }

  /** Allocated memory in bytes. */
  get bytes(): number {
    let metadata = this.rows * bytesOfMetadata + this.#order.bytes;
    for (let row = 0; row < this.rows; row++) metadata += this.metadata(row).readyBytes;
    return this.codes.byteLength + this.styles.byteLength + metadata;
  }

  /** Whether the row's line continues in the next row. */
  wraps(row: number): boolean {
    return this.metadata(row).wraps;
  }

  /**
   * Marks the row's line as continuing in the next row. Its last `spacers` cells become head
   * spacers.
   */
  wrap(row: number, spacers: number): void {
    const meta = this.metadata(row);
    meta.wraps = true;
    if (spacers === 0) return;
    const end = this.start(row) + this.cols;
    this.splitWide(end - spacers);
    fillCells(this.codes, spacerHead, end - spacers, end);
    fillCells(this.styles, defaultStyle, end - spacers, end);
    meta.flags |= mayHaveSpacers;
    meta.extent = this.cols;
    meta.changedAt = this.revision;
  }

  unwrap(row: number): void {
    const meta = this.metadata(row);
    if (meta.wraps) this.unwrapRow(meta);
  }

  /** Ends the line of a row that wraps. Its head spacers become empty cells. */
  unwrapRow(meta: RowMetadata): void {
    meta.wraps = false;
    if ((meta.flags & mayHaveSpacers) === 0) return;
    // With its wrap, its text would make head spacers.
    if (meta.ready !== null) {
      meta.wraps = true;
      this.applyFill(meta);
      meta.wraps = false;
    }
    meta.flags &= ~mayHaveSpacers;
    const { codes } = this;
    for (let at = meta.start; at < meta.start + this.cols; at++) {
      if (codes[at] === spacerHead) codes[at] = emptyCell;
    }
  }

  changedAt(row: number): number {
    return Math.max(this.metadata(row).changedAt, this.#allChangedAt);
  }

  /** Marks the rows that changed after a revision as changed now. */
  damageSince(revision: number): void {
    for (let row = 0; row < this.rows; row++) {
      if (this.changedAt(row) > revision) this.metadata(row).changedAt = this.revision;
    }
  }

  damageAll(): void {
    this.#allChangedAt = this.revision;
  }

  /** The first column of the row that was just printed to; -1 if there is none. */
  printedFrom(row: number): number {
    const meta = this.metadata(row);
    return meta.printedAt >= this.printedSince ? meta.printedFrom : -1;
  }

  /** The revision in which the row was last printed to; the first one of a frame. -1 if never. */
  printedAt(row: number): number {
    return this.metadata(row).printedAt;
  }

  /** One past the last column that was just printed to, if {@link printedFrom} is not -1. */
  printedTo(row: number): number {
    return this.metadata(row).printedTo;
  }

  /** Number of cells in use: up to the last one that is not empty in the default style. */
  usedCols(row: number): number {
    const meta = this.metadata(row);
    // A row with a deferred fill is either full or empty.
    if (!meta.isFilled) return meta.extent;
    const { codes, styles } = this;
    let end = meta.start + meta.extent;
    while (end > meta.start && codes[end - 1] === emptyCell && styles[end - 1] === defaultStyle) {
      end--;
    }
    return end - meta.start;
  }

  /** One past the last of the first `rows` rows that contains a character; 0 if there is none. */
  writtenRows(rows: number): number {
    let end = rows;
    while (end > 0 && !this.#isWritten(this.metadata(end - 1))) end--;
    return end;
  }

  #isWritten(meta: RowMetadata): boolean {
    if (meta.ready !== null) return true;
    if (!meta.isFilled) return meta.fillCode !== emptyCell;
    for (let at = meta.start + meta.extent; at > meta.start; at--) {
      if (this.codes[at - 1] >= space) return true;
    }
    return false;
  }

  /** Erases the cells from `from` up to but excluding `to`. */
  erase(row: number, from: number, to: number, style: number): void {
    if (from >= to) return;
    const start = this.start(row);
    const meta = this.metadata(row);
    if (to === this.cols) this.unwrap(row);
    this.splitWide(start + from);
    if (to < this.cols) this.splitWide(start + to);
    this.clearCells(meta, from, to, style);
    meta.changedAt = this.revision;
  }

  /**
   * Prepares cells for a caller that erases some of them. `first` and `last` say whether the first
   * and the last cell are erased. The caller must not erase one half of a wide character.
   */
  beginErase(row: number, from: number, to: number, first: boolean, last: boolean): void {
    const start = this.start(row);
    const meta = this.metadata(row);
    if (to === this.cols && last) this.unwrap(row);
    if (first) this.splitWide(start + from);
    if (to < this.cols && last) this.splitWide(start + to);
    if (to > meta.extent) meta.extent = to;
    meta.isPlain = false;
    meta.changedAt = this.revision;
  }

  /** Erases the rows from `from` up to but excluding `to`. */
  eraseRows(from: number, to: number, style: number): void {
    for (let row = from; row < to; row++) {
      const meta = this.metadata(row);
      if (style === defaultStyle && meta.isFilled && meta.extent <= maxCellsAtOnce) {
        this.clearCells(meta, 0, this.cols, style);
        meta.flags = 0;
      } else this.#deferFill(meta, emptyCell, style);
      meta.isPlain = style === defaultStyle;
      meta.printedAt = -1;
      meta.changedAt = this.revision;
    }
  }

  /** Fills every cell with a character of width 1, in the default style. */
  fill(code: number): void {
    for (let row = 0; row < this.rows; row++) {
      const meta = this.metadata(row);
      this.#deferFill(meta, code, defaultStyle);
      meta.isPlain = true;
    }
    this.damageAll();
  }

  #deferFill(meta: RowMetadata, code: number, style: number): void {
    meta.flags = fillDeferred;
    meta.ready = null;
    meta.fillCode = code;
    meta.fillStyle = style;
    meta.extent = code === emptyCell && style === defaultStyle ? 0 : this.cols;
  }

  /** Sets the first cells of an empty row, as many as fit. */
  setRow(row: number, codes: Int32Array, styles: Int32Array, start: number, end: number): void {
    const count = Math.min(end - start, this.cols);
    if (count === 0) return;
    const into = this.start(row);
    const meta = this.metadata(row);
    this.codes.set(codes.subarray(start, start + count), into);
    this.styles.set(styles.subarray(start, start + count), into);
    meta.extent = count;
    meta.isPlain = false;
    meta.flags |= mayHaveWide;
  }

  /**
   * Copies a row of another grid, as much of it as fits. If the widths differ, its line no longer
   * wraps.
   */
  copyRow(row: number, other: Grid, otherRow: number): void {
    const into = this.start(row);
    const meta = this.metadata(row);
    if (other.cols !== this.cols) other.unwrap(otherRow);
    const source = other.start(otherRow);
    const width = Math.min(this.cols, other.cols);
    this.codes.set(other.codes.subarray(source, source + width), into);
    this.styles.set(other.styles.subarray(source, source + width), into);
    meta.copyFrom(other.metadata(otherRow));
    meta.extent = Math.min(width, meta.extent);
    meta.changedAt = this.revision;
    // The last cell may contain half of a wide character, or one that was clipped to one column.
    const last = into + width - 1;
    const isHalf = this.cols !== other.cols && (this.codes[last] & wideFlag) !== 0;
    if (isHalf && this.cols > 1) this.codes[last] = space;
  }

  /** Prepares a row for edits other than printing. Returns its metadata. */
  beginEdit(row: number, from: number, to: number): RowMetadata {
    const start = this.start(row);
    const meta = this.metadata(row);
    this.unwrap(row);
    this.splitWide(start + from);
    if (to < this.cols) this.splitWide(start + to);
    meta.changedAt = this.revision;
    return meta;
  }

  /**
   * Prepares cells for a caller that writes contents and styles directly. Returns the index of the
   * first. The caller must leave no half of a wide character.
   */
  beginStyledEdit(row: number, from: number, to: number): number {
    const meta = this.beginEdit(row, from, to);
    if (to > meta.extent) meta.extent = to;
    meta.isPlain = false;
    meta.flags |= mayHaveWide;
    return meta.start + from;
  }

  /**
   * Moves the rows `top`..`bottom` up by `count` and inserts empty rows below. Lines no longer wrap
   * across the borders of the region, except at the bottom with `keepWrap`: the scroll continues
   * that line.
   */
  scrollUp(top: number, bottom: number, count: number, style: number, keepWrap = false): void {
    const moved = Math.min(count, bottom - top + 1);
    if (!keepWrap) this.unwrap(bottom);
    if (top === 0 && bottom === this.rows - 1) {
      this.#order.rotateAll(moved);
      this.damageAll();
    } else {
      if (top > 0) this.unwrap(top - 1);
      this.#order.rotate(top, top + moved, bottom + 1);
      this.#damageRows(top, bottom);
    }
    this.eraseRows(bottom + 1 - moved, bottom + 1, style);
  }

  /** Moves the rows `top`..`bottom` down by `count` and inserts empty rows above. */
  scrollDown(top: number, bottom: number, count: number, style: number): void {
    const moved = Math.min(count, bottom - top + 1);
    if (top > 0) this.unwrap(top - 1);
    this.#order.rotate(top, bottom + 1 - moved, bottom + 1);
    this.eraseRows(top, top + moved, style);
    this.unwrap(bottom);
    this.#damageRows(top, bottom);
  }

  #damageRows(top: number, bottom: number): void {
    if (top === 0 && bottom === this.rows - 1) this.damageAll();
    else for (let row = top; row <= bottom; row++) this.metadata(row).changedAt = this.revision;
  }

  /** If an edit begins or ends inside a wide character, replaces the character by two spaces. */
  splitWide(at: number): void {
    if (this.codes[at] !== spacerTail) return;
    this.codes[at] = space;
    this.codes[at - 1] = space;
  }

  /** Erases columns. Only those before the extent can contain anything. */
  clearCells(meta: RowMetadata, from: number, to: number, style: number): void {
    const { start, extent } = meta;
    fillCells(this.codes, emptyCell, start + from, start + Math.min(to, extent));
    if (style === defaultStyle) {
      if (to >= extent) meta.extent = Math.min(from, extent);
      if (!meta.isPlain) fillCells(this.styles, style, start + from, start + Math.min(to, extent));
    } else {
      fillCells(this.styles, style, start + from, start + to);
      meta.isPlain = false;
      meta.extent = Math.max(extent, to);
    }
  }
}
