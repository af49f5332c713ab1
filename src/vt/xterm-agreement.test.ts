import fc from 'fast-check';
import { describe, it } from 'vitest';
import { Terminal } from '#vt';
import { runs } from '../../test/support/run/runs.ts';
import { agreedOutput } from '../../test/support/vt/agreed-output.ts';
import { XtermOracle } from '../../test/support/vt/xterm-oracle.ts';

const maxLines = 200;

function styleOf(terminal: Terminal, row: number, col: number): string {
  const { style } = terminal.readRow(row).cells()[col];
  const flags = [
    style.bold && 'bold',
    style.dim && 'dim',
    style.italic && 'italic',
    style.underline !== 'none' && 'underline',
    style.blink && 'blink',
    style.inverse && 'inverse',
    style.hidden && 'hidden',
    style.strikethrough && 'strikethrough',
    style.overline && 'overline',
  ];
  return [...flags.filter(Boolean), `fg ${style.fg ?? ''}`, `bg ${style.bg ?? ''}`].join(' ');
}

describe('a terminal and @xterm/headless', () => {
  it('show the same after output that both support', () => {
    const size = fc.record({
      cols: fc.integer({ min: 4, max: 20 }),
      rows: fc.integer({ min: 2, max: 8 }),
    });
    const property = fc.property(size, agreedOutput, (each, text) => {
      const terminal = new Terminal({ size: each, scrollback: { maxLines, maxBytes: 1 << 20 } });
      const oracle = new XtermOracle(each, maxLines);
      const bytes = new TextEncoder().encode(text);
      terminal.feed(bytes);
      oracle.feed(bytes);
      const { row, col } = terminal.cursor;
      const hasWide = /[\u1100-\uffff]/.test(text);
      // vtr keeps rows that SU scrolls off the top, like xterm; xterm.js drops them. vtr wraps rows
      // of scrollback again, without a head spacer whose wide character was overwritten since, and
      // without trailing empty cells.
      const keeps = !hasWide && !/\x1b\[\d*S/.test(text);
      const ours = {
        screen: terminal.screenText(),
        cursor: { row, col },
        scrollback: keeps && terminal.scrollbackRows().filter(Boolean),
      };
      const theirs = {
        screen: oracle.screen(),
        cursor: oracle.cursor(),
        scrollback: keeps && oracle.scrollback().filter(Boolean),
      };
      // In vtr, the remaining half of a wide character keeps its style; in xterm.js it gets the
      // pen's.
      const styles = hasWide ? [] : [styleOf(terminal, row, col), oracle.style(row, col)];
      if (JSON.stringify(ours) === JSON.stringify(theirs) && styles[0] === styles[1]) return;
      const lines = [text, ours, theirs, styles].map((part) => JSON.stringify(part));
      throw new Error(lines.join('\n'));
    });
    fc.assert(property, runs(2000));
  });
});
