import { emptyCell } from '../cells/cell.ts';
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
