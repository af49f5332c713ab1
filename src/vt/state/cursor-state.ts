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
