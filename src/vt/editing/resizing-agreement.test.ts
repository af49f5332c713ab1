import fc from 'fast-check';
import { describe, it } from 'vitest';
import { Terminal } from '#vt';
import { runs } from '../../../test/support/run/runs.ts';
import { XtermOracle } from '../../../test/support/vt/xterm-oracle.ts';

// The differences to xterm.js, and why vtr differs:
// - When rows are removed, xterm.js drops the rows below the cursor with their text. Here text goes
//   to the scrollback, as in ghostty. So the cursor is in the last line.
// - xterm.js cancels a pending wrap, which moves the cursor onto the last character. Here it stays
//   pending. So the cursor is compared only in an empty row.
// - xterm.js truncates the cursor's line at the new width unless `reflowCursorLine` is set. The
//   oracle sets it.

const maxLines = 500;
const size = fc.record({
  cols: fc.integer({ min: 3, max: 30 }),
  rows: fc.integer({ min: 2, max: 8 }),
});
const line = fc.stringMatching(/^[a-z漢字]{0,24}[a-z漢字]$/);
const text = fc
  .tuple(fc.array(line, { minLength: 1, maxLength: 20 }), fc.constantFrom('', '\r\n'))
  .map(([lines, end]) => lines.join('\r\n') + end);

describe('a terminal and @xterm/headless after resizes', () => {
  it('show the same', () => {
    const sizes = fc.array(size, { minLength: 1, maxLength: 3 });
    const property = fc.property(size, sizes, text, (from, all, output) => {
      const terminal = new Terminal({ size: from, scrollback: { maxLines, maxBytes: 1 << 20 } });
      const oracle = new XtermOracle(from, maxLines);
      const bytes = new TextEncoder().encode(output);
      terminal.feed(bytes);
      oracle.feed(bytes);
      for (const to of all) {
        terminal.resize(to);
        oracle.resize(to);
      }
      const { row, col } = terminal.cursor;
      const isFair = output.endsWith('\n');
      const ours = [terminal.scrollbackRows(), terminal.screenText(), isFair && { row, col }];
      const theirs = [oracle.scrollback(), oracle.screen(), isFair && oracle.cursor()];
      if (JSON.stringify(ours) === JSON.stringify(theirs)) return;
      throw new Error([output, ours, theirs].map((part) => JSON.stringify(part)).join('\n'));
    });
    fc.assert(property, runs(500));
  });
});
