import { Pen } from '../style/pen.ts';
import { Charsets } from './charsets.ts';

/** Where the next character goes. */
export class CursorState {
  /** 0-based. */
  row = 0;
  /** 0-based, never past the last column. */
  col = 0;
  /** The last column is filled: the next character goes to the next row first. */
  wrapPending = false;

  copyFrom(other: CursorState): void {
    this.row = other.row;
    this.col = other.col;
    this.wrapPending = other.wrapPending;
  }
}

/** What DECSC saves and DECRC restores. Before the first DECSC: home, and everything as after reset. */
export class SavedCursor {
  readonly cursor = new CursorState();
  readonly pen = new Pen();
  charsets = new Charsets();
  origin = false;
}
