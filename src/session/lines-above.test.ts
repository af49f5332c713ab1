import { describe, expect, test } from 'vitest';
import { encodeUtf8 } from '#base';
import { Terminal } from '#vt';
import { verify } from '#vt/checks';
import { linesAbove, terminalBelow } from './lines-above.ts';
import { screenRows } from './terminal-reader.ts';

const size = { cols: 20, rows: 5 };
const options = { scrollback: { maxLines: 100, maxBytes: 1024 * 1024 } };

const textOf = (terminal: Terminal): string[] =>
  [...terminal.readLines(terminal.firstLine, terminal.endLine)].map(({ reader }) =>
    reader.text().trimEnd(),
  );

function revived(output: string): Terminal {
  const ended = new Terminal({ ...options, size });
  ended.feed(encodeUtf8(output));
  return terminalBelow(linesAbove(ended, options, '[revived]'), { ...options, size });
}

describe('the lines of a session that ended', () => {
  const numbers = Array.from({ length: 12 }, (_, at) => `line ${at}`);

  test('are above an empty screen, with a line that separates them', () => {
    const terminal = revived(numbers.join('\r\n'));
    expect(screenRows(terminal, 'text')).toEqual(['', '', '', '', '']);
    terminal.feed(encodeUtf8('new'));
    expect(textOf(terminal).slice(0, 14)).toEqual([...numbers, '[revived]', 'new']);
    expect(terminal.cursor).toMatchObject({ row: 0, col: 3 });
    verify(terminal);
  });

  test('end with the last row that has text, wherever the cursor is', () => {
    expect(textOf(revived('a\r\n\r\nb\x1b[H')).slice(0, 4)).toEqual(['a', '', 'b', '[revived]']);
  });

  test('a wrapped line stays a line, and colours stay', () => {
    const terminal = revived(`\x1b[31m${'wide '.repeat(6)}`);
    expect(textOf(terminal)[0]).toBe('wide wide wide wide wide wide');
    const [first] = terminal.readLines(0, 1);
    expect(first?.reader.ansi()).toContain('31mwide');
  });

  test('those of the alternate screen follow those of the primary screen', () => {
    const alternate = '\x1b[?1049h\x1b[Hone\r\n\x1b[44mtwo\x1b[m';
    const lines = textOf(revived(`shell$ vim\r\n${alternate}`));
    expect(lines.slice(0, 4)).toEqual(['shell$ vim', 'one', 'two', '[revived]']);
  });

  test('modes and sequences that the program left open have no effect', () => {
    const open = '\x1b[2;3r\x1b[?6h\x1b[4h\x1b[?7l\x1b[41m\x1b(0\x1b]8;;x:y\x1b\\\x1b[1"q';
    for (const last of [
      '\x1b[?69h\x1b[3;4s',
      '\x1b]0;half a ti',
      '\x1b[3',
      '\x1bP1',
      '\x1b[?2026h',
    ]) {
      const terminal = revived(`first${open}${last}`);
      expect([last, ...textOf(terminal)]).toEqual([last, 'first', '[revived]']);
      terminal.feed(encodeUtf8('abc'));
      expect(screenRows(terminal, 'text')[0]).toBe('abc');
      expect(terminal.frameOpen).toBe(false);
    }
  });

  test('nothing was shown', () => {
    expect(textOf(revived(''))).toEqual(['[revived]']);
  });

  test('without scrollback there are none', () => {
    const none = { scrollback: { maxLines: 0, maxBytes: 0 } };
    const ended = new Terminal({ ...none, size });
    ended.feed(encodeUtf8('text'));
    const terminal = terminalBelow(linesAbove(ended, none, '[revived]'), { ...none, size });
    expect(textOf(terminal)).toEqual([]);
  });
});
