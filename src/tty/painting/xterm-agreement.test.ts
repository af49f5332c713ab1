import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Capabilities, enterTty, type Painted, type Picture, paint } from '#tty';
import { Terminal } from '#vt';
import { caseNames, readBytes, readCase } from '../../../scripts/golden/case-files.mjs';
import { runs } from '../../../test/support/run/runs.ts';
import { pictureOf, terminals } from '../../../test/support/tty/painted.ts';
import { output, screenSize } from '../../../test/support/vt/terminal-output.ts';
import { XtermOracle } from '../../../test/support/vt/xterm-oracle.ts';

const encoder = new TextEncoder();
const described = {
  xterm: terminals['xterm'],
  unknown: terminals['xterm, unknown'],
  tmux: terminals['tmux'],
};

/** Other text, whose width xterm.js may see differently, is not compared, but all cells around it. */
const certain =
  /^[\0-\u058f\u2010-\u2027\u2030-\u205e\u2190-\u25fc\u3041-\u3096\u4e00-\u9fcc\uac00-\ud7a3]$/;

/** On a screen of one column, our engine clips wide characters. */
const sizes = screenSize.filter(({ cols }) => cols > 1);

class PaintedXterm {
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
        is.push(shown[col] ?? '');
        should.push(text);
      }
      if (is.join('\n') !== should.join('\n')) expect(is, `row ${row}`).toEqual(should);
    }
    expect(this.#oracle.cursor()).toEqual({ row: cursor.row, col: cursor.col });
  }
}

describe.each(Object.entries(described))('@xterm/headless as %s', (_name, capabilities) => {
  it.each(caseNames())('shows %s', (name) => {
    const { size, checkpoints } = readCase(name);
    const bytes = readBytes(name);
    const program = new Terminal({ size });
    const host = new PaintedXterm(size, capabilities as Capabilities);
    let from = 0;
    for (const { offset } of checkpoints) {
      program.feed(bytes.subarray(from, offset));
      from = offset;
      host.show(pictureOf(program));
      host.expectShows(pictureOf(program));
    }
  });

  it('shows any screen, apart from text of an uncertain width', () => {
    const property = fc.property(sizes, fc.array(output, { maxLength: 4 }), (size, list) => {
      const program = new Terminal({ size });
      const host = new PaintedXterm(size, capabilities as Capabilities);
      for (const bytes of list) {
        program.feed(bytes);
        host.show(pictureOf(program));
        host.expectShows(pictureOf(program));
      }
    });
    fc.assert(property, runs(60));
  });
});
