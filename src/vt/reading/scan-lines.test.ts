import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeUtf8, encodeUtf8 } from '#base';
import type { LineFinder } from '#model';
import { Terminal } from '#vt';
import { runs } from '../../../test/support/run/runs.ts';

const pieces = [
  'word',
  '  ',
  '語',
  'é',
  '👩‍💻',
  '\x1b[5C',
  '\x1b[44m\x1b[K',
  '\x1b[m',
  '\x1b[1A',
  '\x1b[?2026h',
  '\x1b[?2026l',
  '\x1b[3J',
  '\r\n',
  '\r\n',
  '\r\n',
];
const output = fc
  .array(fc.constantFrom(...pieces), { maxLength: 300 })
  .map((parts) => encodeUtf8(parts.join('')));

/** Searches text in lines, following the rules of `LineFinder`. */
function finder(isMatch: (text: string) => boolean): LineFinder {
  return (bytes, start, end) => {
    for (let at = start; at < end; ) {
      const close = bytes.indexOf(0x0a, at);
      const text = decodeUtf8(bytes.subarray(at, close)).replace(/[\0\x04-\x07]+$/, '');
      if (isMatch(text.replace(/[\0\x04-\x07]/g, ' ').replace(/[\x01-\x03]/g, ''))) return close;
      at = close + 1;
    }
    return -1;
  };
}

/** Returns the lines whose text `isMatch` accepts and those that are not scanned. */
function scanned(terminal: Terminal, from: number, isMatch: (text: string) => boolean): number[] {
  const lines: number[] = [];
  for (let next = from; next < terminal.endLine; ) {
    const { line, mayMatch } = terminal.scanLines(next, terminal.endLine, finder(isMatch));
    expect(line).toBeGreaterThanOrEqual(next);
    if (mayMatch) lines.push(line);
    next = mayMatch ? line + 1 : line;
  }
  return lines;
}

describe('a scan of lines', () => {
  it('finds every line by its text, beginning with the oldest, and returns the lines of the screen', () => {
    fc.assert(
      fc.property(output, fc.nat(20), (bytes, maxLines) => {
        const scrollback = { maxLines, maxBytes: 1024 * 1024 };
        const terminal = new Terminal({ size: { cols: 12, rows: 3 }, scrollback });
        terminal.feed(bytes);
        const { topLine } = terminal;
        const lines = [...terminal.readLines(0, terminal.endLine)].map(({ line, reader }) => ({
          line,
          text: reader.spaced(),
        }));
        for (const { text: needle } of lines) {
          const expected = lines.filter(({ line, text }) => line >= topLine || text === needle);
          const numbers = scanned(terminal, 0, (text) => text === needle);
          expect(numbers).toEqual(expected.map(({ line }) => line));
        }
      }),
      runs(100),
    );
  });

  it('continues after the end of a page and after dropped lines', () => {
    const scrollback = { maxLines: 5_000, maxBytes: 1024 * 1024 };
    const terminal = new Terminal({ size: { cols: 80, rows: 2 }, scrollback });
    for (let line = 0; line < 10_000; line++) {
      terminal.feed(encodeUtf8(`line ${line}${'.'.repeat(60)}\r\n`));
    }
    const lines = scanned(terminal, 0, (text) => /^line [0-9]*777\.*$/.test(text));
    const { topLine } = terminal;
    expect(lines).toEqual([5_777, 6_777, 7_777, 8_777, 9_777, topLine]);
  });
});

it('counts the line feed of a line whose text was erased before it ended', () => {
  const terminal = new Terminal({ size: { cols: 2, rows: 1 } });
  // The line wraps, the scrollback is erased, and the row on the screen is deleted.
  terminal.feed(encodeUtf8('abc\x1b[3J\x1b[M'));
  const lines = [...terminal.readLines(0, 9)].map(({ line, reader }) => [line, reader.text()]);
  expect(lines).toEqual([[0, '']]);
  expect(terminal.textBytes(0, 1)).toBe(1);
});
