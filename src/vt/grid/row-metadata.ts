import { emptyCell } from '../cells/cell.ts';
import { defaultStyle } from '../style/style-word.ts';

// What printing has to look at before it writes to the cells; of most rows it is nothing.
/** All cells are to be the same, and that has not been written to them yet. */
export const fillDeferred = 1 << 0;
/** The row's line goes on in the next row. */
export const lineWraps = 1 << 1;
/** There may be wide characters. */
export const mayHaveWide = 1 << 2;
/** There may be pads. */
export const mayHaveSpacers = 1 << 3;

/** Memory of a meta, in bytes, about. */
export const bytesOfMetadata = 112;

/** A row's place in the arrays of a grid, and what is noted about it so that cells need not be looked at. */
export class RowMetadata {
  /** Index of the first cell. */
  readonly start: number;
  /** Those of {@link fillDeferred}, {@link lineWraps}, {@link mayHaveWide} and {@link mayHaveSpacers} that are so. */
  flags = 0;
  /** The revision of the last change, where that was not a change of the whole screen. */
  changedAt = 0;
  /** From this column on all cells are empty and in the default style. */
  extent = 0;
  /** Whether all cells are in the default style; false may be wrong. */
  isPlain = true;
  /** What all cells are to be, where they are {@link fillDeferred}. */
  fillCode = emptyCell;
  fillStyle = defaultStyle;
  /** The revision in which characters began to be printed to columns; -1 for never. */
  printedAt = -1;
  /** The first of these columns. */
  printedFrom = 0;
  /** One past the last. */
  printedTo = 0;

  constructor(start: number) {
    this.start = start;
  }

  /** A meta at the same place, and what is noted about it but for what has been printed. */
  copy(): RowMetadata {
    const copy = new RowMetadata(this.start);
    copy.copyFrom(this);
    copy.printedAt = this.printedAt;
    return copy;
  }

  /** Takes over what is noted, but for what has been printed. */
  copyFrom(other: RowMetadata): void {
    this.flags = other.flags;
    this.changedAt = other.changedAt;
    this.extent = other.extent;
    this.isPlain = other.isPlain;
    this.fillCode = other.fillCode;
    this.fillStyle = other.fillStyle;
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
   * Notes that characters have been printed to the columns `from` up to and without `to`.
   *
   * @param since what was printed before this revision no longer counts
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
