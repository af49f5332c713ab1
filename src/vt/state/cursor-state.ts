import { Pen } from '../style/pen.ts';
import { Charsets } from './charsets.ts';

/** The position of the next character. */
export class CursorState {
  /** 0-based. */
  row = 0;
  /** 0-based, never past the last column. */
  col = 0;
  /** The last column is filled: the next character wraps first. */
  wrapPending = false;

  copyFrom(other: CursorState): void {
    this.row = other.row;
    this.col = other.col;
    this.wrapPending = other.wrapPending;
  }
}

/**
 * The state that DECSC saves and DECRC restores. Before the first DECSC: home, and everything as
 * after a reset.
 */
export class SavedCursor {
  readonly cursor = new CursorState();
  readonly pen = new Pen();
  charsets = new Charsets();
  origin = false;
}

const interval = 8;

/** The columns of the horizontal tab stops; initially every eighth. */
export class TabStops {
  #stops: Uint8Array;

  constructor(cols: number) {
    this.#stops = new Uint8Array(cols);
    this.#setDefaults(0);
  }

  get cols(): number {
    return this.#stops.length;
  }

  isSet(col: number): boolean {
    return this.#stops[col] === 1;
  }

  set(col: number): void {
    this.#stops[col] = 1;
  }

  clear(col: number): void {
    this.#stops[col] = 0;
  }

  clearAll(): void {
    this.#stops.fill(0);
  }

  reset(): void {
    this.clearAll();
    this.#setDefaults(0);
  }

  /** New columns get the default stops. */
  resize(cols: number): void {
    const old = this.#stops;
    this.#stops = new Uint8Array(cols);
    this.#stops.set(old.subarray(0, cols));
    this.#setDefaults(old.length);
  }

  /** The first stop right of `col`, or the last column if there is none. */
  next(col: number): number {
    const stops = this.#stops;
    // The next stop is usually near; calling `indexOf` costs as much as a dozen steps.
    for (let at = col + 1; at < stops.length; at++) if (stops[at] === 1) return at;
    return stops.length - 1;
  }

  /** The first stop left of `col`, or 0 if there is none. */
  previous(col: number): number {
    return col === 0 ? 0 : Math.max(0, this.#stops.lastIndexOf(1, col - 1));
  }

  #setDefaults(from: number): void {
    for (let col = from; col < this.cols; col++) if (col % interval === 0 && col > 0) this.set(col);
  }
}
