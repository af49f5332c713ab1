import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Size } from '#model';
import { enterTty } from '#tty';
import { Terminal } from '#vt';
import { stateOf } from '#vt/checks';
import { runs } from '../../../test/support/run/runs.ts';
import { PaintedTerminal, pictureOf, terminals } from '../../../test/support/tty/painted.ts';
import { output, screenSize } from '../../../test/support/vt/terminal-output.ts';

const encoder = new TextEncoder();
const terminal = (size: Size) =>
  new Terminal({ size, scrollback: { maxLines: 50, maxBytes: 1 << 20 } });

describe('a terminal that reads what is painted', () => {
  const anyTerminal = fc.constantFrom(...Object.values(terminals));
  const step = fc.record({ bytes: output, size: fc.option(screenSize, { freq: 4 }) });
  const steps = fc.array(step, { maxLength: 5 });

  it('shows any screen at any size, after any output', () => {
    const property = fc.property(
      ...[anyTerminal, screenSize, output, steps],
      (capabilities, size, before, list) => {
        const program = terminal(size);
        const host = new PaintedTerminal(terminal(size), capabilities);
        host.terminal.feed(before);
        // Cells that SPA protects are never erased. Nobody leaves a terminal so.
        fc.pre(stateOf(host.terminal).modes.protection !== 'iso');
        // A link that only a terminal with links has open; 2027 as the capabilities tell.
        host.terminal.feed(encoder.encode(`\x1b]8;;\x1b\\\x1b[?2027h${enterTty(capabilities)}`));
        for (const { bytes, size: next } of list) {
          program.feed(bytes);
          if (next !== null) {
            program.resize(next);
            host.terminal.resize(next);
          }
          const picture = pictureOf(program);
          host.show(picture);
          host.expectShows(picture);
        }
      },
    );
    fc.assert(property, runs(100));
  });

  const words = fc.constantFrom(
    '',
    'one',
    'two words',
    '漢字',
    '\x1b[7mthree',
    '\x1b[4;31mfour',
    'a😀b',
  );
  const lines = fc.array(
    fc.array(words, { maxLength: 6 }).map((list) => list.join(' ')),
    {
      minLength: 8,
      maxLength: 12,
    },
  );
  const move = fc.record({
    top: fc.integer({ min: 1, max: 4 }),
    bottom: fc.integer({ min: 6, max: 10 }),
    by: fc.integer({ min: 1, max: 4 }),
    way: fc.constantFrom('S', 'T'),
    lines: fc.array(words, { maxLength: 2 }),
  });

  it('shows rows that scroll in a region', () => {
    const property = fc.property(
      anyTerminal,
      lines,
      fc.array(move),
      (capabilities, text, moves) => {
        const size = { cols: 30, rows: 10 };
        const program = terminal(size);
        const host = new PaintedTerminal(terminal(size), capabilities);
        program.feed(encoder.encode(text.map((line) => `${line}\x1b[m`).join('\r\n')));
        host.show(pictureOf(program));
        for (const { top, bottom, by, way, lines: last } of moves) {
          program.feed(
            encoder.encode(`\x1b[${top};${bottom}r\x1b[${by}${way}${last.join('\r\n')}\x1b[m`),
          );
          const picture = pictureOf(program);
          host.show(picture);
          host.expectShows(picture);
        }
      },
    );
    fc.assert(property, runs(150));
  });

  it('has no background erased that it would not fill', () => {
    const size = { cols: 60, rows: 3 };
    const program = terminal(size);
    program.feed(encoder.encode('\x1b[44m\x1b[2Jtext'));
    for (const capabilities of Object.values(terminals)) {
      const host = new PaintedTerminal(terminal(size), capabilities);
      const bytes = host.show(pictureOf(program));
      const { colors, erasesWithBackground } = capabilities;
      expect(/\x1b\[\d*[KX]/.test(bytes)).toBe(erasesWithBackground && colors !== 'none');
    }
  });
});
