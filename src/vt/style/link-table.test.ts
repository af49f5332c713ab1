import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '#base';
import { Terminal } from '#vt';

const linkOf = (terminal: Terminal, line: number) =>
  [...terminal.readLines(line, line + 1)][0]?.reader.cells()[0]?.style.link;

describe('links', () => {
  it('are kept with lines in the scrollback, however many links follow', () => {
    const terminal = new Terminal({ size: { cols: 10, rows: 2 } });
    terminal.feed(encodeUtf8('\x1b]8;;first:\x07x\x1b]8;;\x07\r\n\r\n\r\n'));
    for (let round = 0; round < 30; round++) {
      const links = Array.from(
        { length: 1000 },
        (_, index) => `\x1b]8;;a:${round}-${index}\x07x\r`,
      );
      terminal.feed(encodeUtf8(links.join('')));
    }
    expect(linkOf(terminal, 0)).toBe('first:');
    expect([...terminal.readLines(0, 1)][0]?.reader.ansi()).toBe(
      '\x1b[0m\x1b]8;;first:\x1b\\x\x1b[m\x1b]8;;\x1b\\',
    );
  });

  it('are removed to make room when no cell has them', () => {
    const terminal = new Terminal({ size: { cols: 10, rows: 2 } });
    const made = Array.from({ length: 12_000 }, (_, index) => `\x1b]8;;a:${index}\x07x\r`);
    terminal.feed(encodeUtf8(made.join('')));
    expect(linkOf(terminal, 0)).toBe('a:11999');
    expect(terminal.state.links.size).toBeLessThanOrEqual(8192);
  });

  it('are refused while too many are in use', () => {
    const terminal = new Terminal({ size: { cols: 10, rows: 2 } });
    const made = Array.from({ length: 9000 }, (_, index) => `\x1b]8;;a:${index}\x07x\r\n`);
    terminal.feed(encodeUtf8(made.join('')));
    expect([0, 8000, 8500].map((line) => linkOf(terminal, line))).toEqual(['a:0', 'a:8000', null]);
    terminal.feed(encodeUtf8('\x1b[3J\x1b[2J\x1b[H'));
    // Unused links are removed when one was refused.
    terminal.feed(encodeUtf8('\x1b]8;;b:\x07x\r'));
    terminal.feed(encodeUtf8('\x1b]8;;b:\x07x'));
    expect(linkOf(terminal, terminal.topLine)).toBe('b:');
  });

  it('are not in use any more when the lines that had them are dropped', () => {
    const scrollback = { maxLines: 5, maxBytes: 1 << 20 };
    const terminal = new Terminal({ size: { cols: 40, rows: 2 }, scrollback });
    const plain = `${'x'.repeat(39)}\r\n`.repeat(30);
    const lines = `\x1b]8;;a:\x07x\x1b]8;;\x07\r\n${plain}`;
    for (const each of [lines, plain]) {
      for (let round = 0; round < 150; round++) terminal.feed(encodeUtf8(each));
    }
    const used = new Set<number>();
    terminal.state.scrollback.addLinks(used);
    expect(used.size).toBe(0);
  });

  it('with the same URI are one link, unless their ids differ', () => {
    const terminal = new Terminal({ size: { cols: 10, rows: 2 } });
    const links = [
      '\x1b]8;;a:\x07x',
      '\x1b]8;;a:\x07x',
      '\x1b]8;id=1;a:\x07x',
      '\x1b]8;x=y:id=1;a:\x07x',
    ];
    terminal.feed(encodeUtf8(links.join('\x1b]8;;\x07')));
    expect(terminal.state.links.size).toBe(2);
  });
});
