import { isSameStyle, plainStyle, type Style } from '#model';
import { linkSequence } from './link-sequence.ts';
import { sgrBetween } from './sgr.ts';

/** Builds output, and knows the position of the cursor and the pen of the terminal that reads it. */
export class TtyWriter {
  text = '';
  /** Whether the cursor was moved other than by printing. */
  hasMoved = false;
  #style = plainStyle;
  /** -1 if unknown. */
  #row = -1;
  #col = -1;

  constructor(position: { readonly row: number; readonly col: number } | null) {
    if (position === null) return;
    this.#row = position.row;
    this.#col = position.col;
  }

  /** Adds sequences that do not move the cursor. */
  put(sequence: string): void {
    this.text += sequence;
  }

  /** The column is unknown, as after text of an uncertain width. */
  forgetCol(): void {
    this.#col = -1;
  }

  /** The cursor was moved by a sequence; -1 if where to is unknown. */
  setPosition(row: number, col: number): void {
    this.#row = row;
    this.#col = col;
    this.hasMoved = true;
  }

  /** Whether the cursor is known to be here. */
  isAt(row: number, col: number): boolean {
    return this.#row === row && this.#col === col;
  }

  moveTo(row: number, col: number): void {
    if (this.isAt(row, col)) return;
    this.text += this.#move(row, col);
    this.hasMoved = true;
    this.#row = row;
    this.#col = col;
  }

  /** Prints text that takes `cols` columns, the last of which is before `limit`. */
  print(text: string, cols: number, limit: number): void {
    this.text += text;
    this.#col += cols;
    // In the last column terminals differ: the next character wraps, or the cursor has wrapped.
    if (this.#col >= limit) this.#col = -1;
  }

  hasStyle(style: Style): boolean {
    return isSameStyle(style, this.#style);
  }

  setStyle(style: Style): void {
    if (isSameStyle(style, this.#style)) return;
    this.text += sgrBetween(this.#style, style);
    if (style.link !== this.#style.link) this.text += linkSequence(style.link);
    this.#style = style;
  }

  #move(row: number, col: number): string {
    if (row === this.#row) {
      if (col === 0) return '\r';
      const forward = col - this.#col;
      if (this.#col >= 0 && forward > 0) return forward === 1 ? '\x1b[C' : `\x1b[${forward}C`;
      if (this.#col >= 0 && forward === -1) return '\b';
      return `\x1b[${col + 1}G`;
    }
    // Never LF alone: the line discipline may add CR.
    if (this.#row >= 0 && row === this.#row + 1 && col === 0) return '\r\n';
    if (col === 0) return row === 0 ? '\x1b[H' : `\x1b[${row + 1}H`;
    return `\x1b[${row + 1};${col + 1}H`;
  }
}
