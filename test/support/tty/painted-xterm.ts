import { expect } from 'vitest';
import { type Capabilities, enterTty, type Painted, type Picture, paint } from '#tty';
import { XtermOracle } from '../vt/xterm-oracle.ts';
import { terminals } from './painted.ts';

const encoder = new TextEncoder();

/** The terminals for which @xterm/headless can read what is painted. */
export const xterms = Object.entries(terminals).filter(([name]) =>
  ['xterm', 'xterm, unknown', 'tmux'].includes(name),
);

/** Other text, whose width xterm.js may see differently, is not compared, but all cells around it. */
const certain =
  /^[\0-\xac\xae-\u058f\u2010-\u2027\u2030-\u205e\u2190-\u25fc\u3041-\u3096\u4e00-\u9fcc\uac00-\ud7a3]$/;

/** @xterm/headless, reading what is painted for it. */
export class PaintedXterm {
  readonly #oracle: XtermOracle;
  readonly #capabilities: Capabilities;
  #painted: Painted | null = null;

  constructor(size: Picture['size'], capabilities: Capabilities) {
    this.#oracle = new XtermOracle(size, 10);
    this.#capabilities = capabilities;
    this.#oracle.feed(encoder.encode(enterTty(capabilities)));
  }

  show(picture: Picture): void {
    const { bytes, painted } = paint(this.#painted, picture, this.#capabilities);
    this.#painted = painted;
    this.#oracle.feed(encoder.encode(bytes));
  }

  expectShows({ rows, cursor }: Picture): void {
    for (const [row, cells] of rows.entries()) {
      const shown = this.#oracle.cells(row);
      const is: string[] = [];
      const should: string[] = [];
      for (const [col, { text, width }] of cells.entries()) {
        const whole = width === 0 ? (cells[col - 1]?.text ?? '') : text;
        if (!certain.test(whole)) continue;
        // Without what has no width in xterm.js, and so joins the cell before it.
        is.push((shown[col] ?? '').replace(/\p{Cf}/gu, ''));
        should.push(text);
      }
      if (is.join('\n') !== should.join('\n')) expect(is, `row ${row}`).toEqual(should);
    }
    expect(this.#oracle.cursor()).toEqual({ row: cursor.row, col: cursor.col });
  }
}
