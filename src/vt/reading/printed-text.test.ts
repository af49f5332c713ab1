import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { Terminal } from '#vt';
import { runs } from '../../../test/support/run/runs.ts';
import { output, screenSize } from '../../../test/support/vt/terminal-output.ts';
import { Scrollback } from '../scrollback/scrollback.ts';

const encoder = new TextEncoder();

function terminalAfter(size: { cols: number; rows: number }, maxLines: number, ...feeds: string[]) {
  const terminal = new Terminal({ size, scrollback: { maxLines, maxBytes: 1 << 20 } });
  for (const text of feeds) terminal.feed(encoder.encode(text));
  return terminal;
}

/** Formats the lines as `before[printed]after`. */
function shown(terminal: Terminal): string[] {
  return [...terminal.printedText()].map(
    ({ text, from, to }) => `${text.slice(0, from)}[${text.slice(from, to)}]${text.slice(to)}`,
  );
}

describe('printedText', () => {
  const size = { cols: 10, rows: 3 };

  it('returns wide characters on a screen of one column, which clips them', () => {
    expect(shown(terminalAfter({ cols: 1, rows: 3 }, 10, '漢字'))).toEqual(['[漢字]']);
  });

  it.each([
    ['the new text of an old line', ['$ ', 'ls'], ['$ [ls]']],
    ['each line once', ['$ ', 'ls\r\na\r\nb'], ['$ [ls]', '[a]', '[b]']],
    ['nothing if nothing was printed', ['abc', '\r\n\x1b[A\x1b[C'], []],
    ['the text between two printed parts', ['abcdef', '\rX\x1b[5GY'], ['[XbcdY]f']],
    ['the whole of a wrapped line', ['0123456789', 'abc'], ['0123456789[abc]']],
    ['wide characters and marks by their text', ['漢字', 'e\u0301x'], ['漢字[e\u0301x]']],
    [
      'lines that left the screen',
      ['$ ', 'a\r\nb\r\nc\r\nd\r\ne'],
      ['$ [a]', '[b]', '[c]', '[d]', '[e]'],
    ],
    [
      'a line that left the screen in part',
      ['$ ', '123456789abcdefghij\r\n\r\n'],
      ['$ [123456789abcdefghij]'],
    ],
    ['text on the other screen', ['\x1b[?1049h', 'there\x1b[?1049lback'], ['[back]', '[there]']],
    ['the alternate screen by rows', ['\x1b[?1049h', '\x1b[2;3Hx'], ['  [x]']],
  ])('shows %s', (_name, feeds, expected) => {
    expect(shown(terminalAfter(size, 100, ...feeds))).toEqual(expected);
  });

  it.each([0, 2])('includes text that left the screen if only %i lines are kept', (maxLines) => {
    const terminal = terminalAfter(size, maxLines, `needle\r\n${'x\r\n'.repeat(10)}`);
    expect(shown(terminal)[0]).toBe('[needle]');
    expect(terminal.firstLine).toBe(terminal.topLine - maxLines);
  });

  it('numbers lines like readLines', () => {
    const terminal = terminalAfter(size, 100, 'a\r\nb\r\nc\r\nd\r\ne');
    const lines = [...terminal.printedText()].map(({ line, text }) => [line, text]);
    const read = [...terminal.readLines(0, terminal.endLine)];
    expect(lines).toEqual(read.map(({ line, reader }) => [line, reader.text()]));
  });

  it('truncates a line without end and sets cut', () => {
    const terminal = terminalAfter(size, 100, 'x'.repeat(200_000), 'néw');
    const [printed] = terminal.printedText();
    expect(printed).toMatchObject({ line: 0, cut: true });
    expect(printed?.text.slice(printed.from, printed.to)).toBe('néw');
    expect(printed?.text.length).toBeLessThan(40_000);
  });

  it('truncates between cells, whatever they contain', () => {
    const cells = fc.constantFrom(
      'a',
      'é',
      '漢',
      '😀',
      'e\u0301',
      'a\u0301\u0302\u0303',
      '漢\u0301',
    );
    const property = fc.property(fc.array(cells, { minLength: 1 }), (unit) => {
      const text = unit.join('').repeat(Math.ceil(40_000 / unit.length));
      const terminal = terminalAfter({ cols: 80, rows: 3 }, 100, text, '!');
      const [printed] = terminal.printedText();
      if (printed === undefined) throw new Error('nothing printed');
      expect(printed.text.slice(printed.from, printed.to)).toBe('!');
      expect(text.endsWith(printed.text.slice(0, printed.from))).toBe(true);
    });
    fc.assert(property, runs(20));
  });

  it('is the end of its line, whatever grew, moved or erased that before', () => {
    const change = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.stringMatching(/^[ab漢😀]{1,30}$/u).map((text) => text.repeat(700)),
      },
      fc.constantFrom('\x1b[3J', '\x1b[2J\x1b[H', '\r\n', '\x1b[A', '\x1b[?1049h\x1b[?1049l'),
      fc.integer({ min: 1, max: 90 }),
    );
    const property = fc.property(fc.array(change, { maxLength: 12 }), (changes) => {
      const terminal = new Terminal({ size, scrollback: { maxLines: 20, maxBytes: 1 << 20 } });
      for (const each of changes) {
        if (typeof each === 'number') terminal.resize({ cols: each, rows: 3 });
        else terminal.feed(encoder.encode(`${each}0`));
        for (const { line, text, cut } of terminal.printedText()) {
          const [read] = terminal.readLines(line as number, (line as number) + 1);
          const whole = read?.reader.text() ?? '';
          expect(cut ? whole.slice(-text.length) : whole).toBe(text);
        }
      }
    });
    fc.assert(property, runs(60));
  });

  it('reads a long line a few times in all, however many outputs it grows by', () => {
    const read = vi.spyOn(Scrollback.prototype, 'readTail');
    const terminal = terminalAfter({ cols: 80, rows: 24 }, 100);
    const cells = 60_000;
    for (let at = 0; at < cells; at += 10) {
      terminal.feed(encoder.encode(String(at).padEnd(10)));
      expect([...terminal.printedText()]).toHaveLength(1);
    }
    const bytes = read.mock.calls.reduce((sum, [maxBytes]) => sum + maxBytes, 0);
    read.mockRestore();
    expect(bytes).toBeLessThan(20 * cells);
  });

  it('stays within the text after any output', () => {
    const property = fc.property(screenSize, output, output, (each, before, after) => {
      const terminal = new Terminal({ size: each });
      terminal.feed(before);
      terminal.feed(after);
      for (const { text, from, to } of terminal.printedText()) {
        expect(from).toBeGreaterThanOrEqual(0);
        expect(to).toBeGreaterThanOrEqual(from);
        expect(to).toBeLessThanOrEqual(text.length);
      }
    });
    fc.assert(property, runs(500));
  });
});
