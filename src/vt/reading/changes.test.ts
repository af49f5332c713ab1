import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Terminal } from '#vt';
import { runs } from '../../../test/support/run/runs.ts';
import { output, screenSize } from '../../../test/support/vt/terminal-output.ts';

type Size = { cols: number; rows: number };

/** More than a table of styles or clusters keeps without being compacted. */
const many = Array.from({ length: 3_000 }, (_, index) => index);
const styles = many.map((index) => `\x1b[4;58:2::1:${index >> 8}:${index & 255}mx`);
const clusters = many.map(
  (index) => `x${String.fromCodePoint(0x0300 + (index >> 6), 0x0300 + (index & 63))}`,
);

function shown(size: Size, ...output: (string | Uint8Array)[]): Terminal {
  const terminal = new Terminal({ size });
  for (const each of output) terminal.feed(Buffer.from(each));
  return terminal;
}

const fingerprints = (terminal: Terminal) => [
  terminal.fingerprint(),
  ...terminal.rowFingerprints(),
];

describe('the fingerprint of a screen', () => {
  it('is the same, whatever styles and clusters were shown before', () => {
    const property = fc.property(screenSize, output, (size, drawn) => {
      const entries = [...styles, ...clusters].map((each) => `\r${each}`).join('');
      const start = '\x1b[m\r\x1b[2Kx\r\x1b[K';
      const expected = fingerprints(shown(size, start, drawn));
      expect(fingerprints(shown(size, entries, start, drawn))).toEqual(expected);
    });
    fc.assert(property, runs(50));
  });

  it.each([
    ['styles', styles],
    ['clusters', clusters],
  ])('differs if only the %s differ', (_, all) => {
    const size = { cols: 2, rows: 1 };
    const different = new Set(all.map((each) => shown(size, each).fingerprint()));
    expect(different.size).toBe(all.length);
  });

  it('differs if text moved over empty cells, also in the first row with a hidden cursor', () => {
    const size = { cols: 4, rows: 1 };
    const at = (col: number) => shown(size, `\x1b[?25l\x1b[${col}Gx\x1b[H`);
    const all = [1, 2, 3, 4].map((col) => fingerprints(at(col)));
    for (const which of [0, 1]) expect(new Set(all.map((each) => each[which])).size).toBe(4);
  });

  it('does not change when the tables are compacted', () => {
    const terminal = shown({ cols: 4, rows: 2 }, `\r\n${styles[1]}${clusters[1]}\x1b[H`);
    const [, , second] = fingerprints(terminal);
    for (const each of [...styles, ...clusters]) {
      terminal.feed(Buffer.from(`\r${each}`));
      expect(terminal.rowFingerprints()[1]).toBe(second);
    }
  });
});
