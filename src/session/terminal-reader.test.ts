import { describe, expect, it } from 'vitest';
import type { ReadLinesRequest } from '#model';
import { Terminal } from '#vt';
import { TerminalReader } from './terminal-reader.ts';

const readLines = (terminal: Terminal, request: ReadLinesRequest) =>
  new TerminalReader(terminal).lines(request);

/** A terminal of 10x4 with three lines of scrollback, after ten lines of output. */
function tenLines(): Terminal {
  const scrollback = { maxLines: 3, maxBytes: 1 << 20 };
  const terminal = new Terminal({ size: { cols: 10, rows: 4 }, scrollback });
  const lines = Array.from({ length: 10 }, (_, number) => `line ${number}`);
  terminal.feed(Buffer.from(lines.join('\r\n')));
  return terminal;
}

const numbers = (request: ReadLinesRequest) =>
  readLines(tenLines(), request).lines.map(({ number }) => number);

describe('TerminalReader.lines', () => {
  it('reads all lines that are kept, with their position', () => {
    const { lines, ...place } = readLines(tenLines(), {});
    expect(lines).toEqual(
      [3, 4, 5, 6, 7, 8, 9].map((number) => ({ number, text: `line ${number}` })),
    );
    const range = { firstLine: 3, oldestLine: 3, topLine: 6, endLine: 10, dropped: 0 };
    expect(place).toEqual({ revision: 1, ...range });
  });

  it('reads lines that the terminal has dropped where they are archived', () => {
    const all = new Terminal({ size: { cols: 10, rows: 9 } });
    all.feed(Buffer.from(Array.from({ length: 10 }, (_, line) => `line ${line}`).join('\r\n')));
    const reader = new TerminalReader(tenLines(), () => all);
    const { lines, ...place } = reader.lines({ from: 1, to: 5 });
    expect(lines.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
    expect(place).toMatchObject({ firstLine: 3, oldestLine: 0, dropped: 0 });
  });

  it.each<[string, ReadLinesRequest, number[], number]>([
    ['from a line on', { from: 8 }, [8, 9], 0],
    ['up to a line', { to: 5 }, [3, 4], 0],
    ['across the border of scrollback and screen', { from: 5, to: 7 }, [5, 6], 0],
    ['a range that was dropped partly', { from: 1, to: 5 }, [3, 4], 2],
    ['a range that was dropped', { from: 0, to: 2 }, [], 2],
    ['a range after the last line', { from: 10 }, [], 0],
    ['a range that ends after the last line', { from: 5, to: 1_000_000 }, [5, 6, 7, 8, 9], 0],
    ['an empty range', { from: 5, to: 5 }, [], 0],
    ['a range with its end before its start', { from: 6, to: 5 }, [], 0],
  ])('reads %s', (_what, request, expected, dropped) => {
    expect(numbers(request)).toEqual(expected);
    expect(readLines(tenLines(), request).dropped).toBe(dropped);
  });

  it('reads a wrapped line as one line', () => {
    const terminal = new Terminal({ size: { cols: 5, rows: 2 } });
    terminal.feed(Buffer.from('abcdefghijkl\r\nend'));
    expect(readLines(terminal, {}).lines).toEqual([
      { number: 0, text: 'abcdefghijkl' },
      { number: 1, text: 'end' },
    ]);
  });

  it('renders text, ansi and cells', () => {
    const terminal = new Terminal({ size: { cols: 10, rows: 2 } });
    terminal.feed(Buffer.from('\x1b[1mb\x1b[m漢'));
    expect(readLines(terminal, { format: 'text' }).lines[0]?.text).toBe('b漢');
    expect(readLines(terminal, { format: 'ansi' }).lines[0]?.text).toMatch(/^\x1b\[.*1m?b.*漢/);
    const [line] = readLines(terminal, { format: 'cells' }).lines;
    expect(line?.text).toBe('');
    expect(line?.cells).toMatchObject([
      { text: 'b', width: 1, style: { bold: true } },
      { text: '漢', width: 2, style: { bold: false } },
      { text: '', width: 0 },
    ]);
  });

  it.each<[string, ReadLinesRequest, RegExp]>([
    ['a negative line', { from: -1 }, /from is -1/],
    ['a fraction', { to: 1.5 }, /to is 1.5/],
    ['NaN', { from: Number.NaN }, /from is NaN/],
    ['an unknown format', { format: 'html' as 'text', from: 10 }, /"html".*text, ansi, cells/],
  ])('refuses %s', (_what, request, message) => {
    expect(() => readLines(tenLines(), request)).toThrow(
      expect.objectContaining({
        code: 'INVALID_ARGUMENT',
        message: expect.stringMatching(message),
      }),
    );
  });
});
