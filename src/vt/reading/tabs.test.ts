import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '#base';
import { Terminal } from '#vt';
import { inspect, verify } from '#vt/checks';
import { runs } from '../../../test/support/run/runs.ts';

function terminalAfter(text: string, size = { cols: 80, rows: 4 }): Terminal {
  const terminal = new Terminal({ size });
  terminal.feed(encodeUtf8(text));
  return terminal;
}

function lines(terminal: Terminal, format: 'text' | 'spaced' | 'ansi' = 'text'): string[] {
  return Array.from(terminal.readLines(0, terminal.endLine), ({ reader }) => reader[format]());
}

const makefile = [
  'all: main.o',
  '\tcc -o main\t\tmain.o',
  '',
  'clean:',
  '\trm -f *.o\t# all',
  'x\t',
];

describe('the tabs of a line', () => {
  it('are in its text on the screen and in the scrollback, not in rows', () => {
    for (const rows of [24, 2]) {
      const terminal = terminalAfter(makefile.join('\r\n'), { cols: 80, rows });
      expect(lines(terminal)).toEqual(makefile);
      expect(lines(terminal, 'ansi')).toEqual(makefile);
      const bytes = encodeUtf8(makefile.map((line) => `${line}\n`).join('')).length;
      expect(terminal.textBytes(0, terminal.endLine)).toBe(bytes);
    }
    const terminal = terminalAfter('a\tb\r\n\tc', { cols: 80, rows: 2 });
    expect(terminal.screenText()).toEqual(['a       b', '        c']);
    expect(lines(terminal, 'spaced')).toEqual(['a       b', '        c']);
    expect(terminal.readRow(0).text()).toBe('a       b');
  });

  it.each<[string, string, string]>([
    ['a space at one of their cells', 'a\tb\x1b[1;3H ', 'a       b'],
    ['an erased cell', 'a\tb\x1b[1;3H\x1b[X', 'a       b'],
    ['text that was there before', 'abcd\r\tx', 'abcd    x'],
    ['spaces that were there before', '   \r\tx', '        x'],
    ['a mark on one of their cells', 'a\tb\x1b[1;3H\u0301', 'a \u0301      b'],
    ['a cursor that moved instead', 'a\x1b[9Gb', 'a       b'],
    ['CHT', 'a\x1b[Ib', 'a       b'],
  ])('are spaces after %s', (_what, output, expected) => {
    expect(lines(terminalAfter(output))).toEqual([expected]);
  });

  it.each<[string, string, string]>([
    ['a tab over them', 'a\tb\r\t\x1b[9Gc', 'a\tc'],
    ['text before and after them', 'a\tb\rx', 'x\tb'],
    ['another tab stop', '\x1b[3g\x1b[4G\x1bH\ra\tb', 'a\tb'],
    ['a tab of one cell', '1234567\tb', '1234567\tb'],
    ['a background', '\x1b[41m\x1b[2K\x1b[ma\tb', 'a\tb'],
    ['the right edge', `${'a'.repeat(75)}\tb`, `${'a'.repeat(75)}\tb`],
  ])('stay after %s', (_what, output, expected) => {
    expect(lines(terminalAfter(output))).toEqual([expected]);
  });

  it('stay in a part of the line if the part has them whole', () => {
    const [{ reader } = { reader: null }] = terminalAfter('a\tb\tc').readLines(0, 1);
    expect(reader?.text(8)).toBe('b\tc');
    expect(reader?.text(4)).toBe('    b\tc');
    expect(reader?.text(0, 4)).toBe('a');
    expect([0, 1, 8, 9].map((length) => reader?.colAfter(length))).toEqual([0, 1, 8, 9]);
  });
});

describe('text with tabs', () => {
  const word = fc.constantFrom('a', 'ab', 'abcdefgh', '漢', '\t', '\t', ' ');
  const line = fc.array(word, { maxLength: 6 }).map((words) => words.join('').replace(/ +$/, ''));
  const text = fc.array(line, { minLength: 1, maxLength: 8 });
  const size = fc.record({
    cols: fc.integer({ min: 1, max: 90 }),
    rows: fc.integer({ min: 1, max: 9 }),
  });

  it('is the same in the lines of a terminal that is wide enough, at all later sizes and in a dump', () => {
    const property = fc.property(text, fc.array(size, { maxLength: 3 }), (written, sizes) => {
      const terminal = terminalAfter(written.join('\r\n'), { cols: 80, rows: 3 });
      const expected = written.join('\n').replace(/\n+$/, '');
      for (const next of [{ cols: 80, rows: 3 }, ...sizes]) {
        terminal.resize(next);
        expect(lines(terminal).join('\n').replace(/\n+$/, '')).toBe(expected);
        expect(verify(terminal)).toEqual([]);
        const copy = new Terminal({ size: next });
        copy.feed(terminal.dump());
        expect(inspect(copy)).toEqual(inspect(terminal));
      }
    });
    fc.assert(property, runs(300));
  });
});
