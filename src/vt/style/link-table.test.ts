import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '#base';
import { Terminal } from '#vt';
import { stateOf, verify } from '#vt/checks';
import { expectSameTerminal } from '../../../test/support/vt/same-terminal.ts';

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
    const links = Array.from({ length: 12_000 }, (_, index) => `\x1b]8;;a:${index}\x07x\r`);
    terminal.feed(encodeUtf8(links.join('')));
    expect(linkOf(terminal, 0)).toBe('a:11999');
    expect(stateOf(terminal).links.size).toBeLessThanOrEqual(8192);
  });

  it.each([
    ['9,000', (index: number) => `a:${index}`],
    ['long', (index: number) => `a:${index}${'x'.repeat(1500)}`],
  ])('are kept for every line that is kept, and in a copy: %s', (_what, uriOf) => {
    const size = { cols: 10, rows: 2 };
    const terminal = new Terminal({ size });
    const links = Array.from({ length: 9000 }, (_, index) => `\x1b]8;;${uriOf(index)}\x07x\r\n`);
    terminal.feed(encodeUtf8(links.join('')));
    const { dump, firstLine } = terminal.snapshot();
    const copy = new Terminal({ size, firstLine });
    copy.feed(dump);
    for (const each of [terminal, copy]) {
      for (const line of [terminal.firstLine, 8000, 8500, 8998, 8999]) {
        expect(linkOf(each, line)).toBe(uriOf(line));
      }
    }
    expectSameTerminal(copy, terminal);
  });

  it('are kept when a screen has more than fit, the newest ones, however output is split', () => {
    const size = { cols: 500, rows: 30 };
    const texts = Array.from({ length: 14_000 }, (_, index) => `\x1b]8;;a:${index}\x07x`);
    const bytes = encodeUtf8(texts.join(''));
    const terminal = new Terminal({ size });
    terminal.feed(bytes);
    const links = [...terminal.readLines(0, 1)][0]?.reader.cells().map((cell) => cell.style.link);
    expect(links?.slice(13_990)).toEqual(
      Array.from({ length: 10 }, (_, index) => `a:${13_990 + index}`),
    );
    expect(links?.[0]).toBe(null);
    const chunked = new Terminal({ size });
    for (let at = 0; at < bytes.length; at += 997) chunked.feed(bytes.subarray(at, at + 997));
    expectSameTerminal(chunked, terminal);
    // Numbers of dropped links are used again once no cell has them.
    terminal.feed(encodeUtf8(`\x1b[2J\x1b[H${texts.slice(0, 5000).join('')}`));
    expect(linkOf(terminal, terminal.topLine)).toBe('a:0');
    expect(verify(terminal)).toEqual([]);
  });

  it('come back with their lines when the screen grows', () => {
    const terminal = new Terminal({ size: { cols: 10, rows: 2 } });
    const links = Array.from({ length: 9000 }, (_, index) => `\x1b]8;;a:${index}\x07x\r\n`);
    terminal.feed(encodeUtf8(links.join('')));
    terminal.resize({ cols: 10, rows: 100 });
    expect(terminal.topLine).toBe(8901);
    expect([8901, 8950].map((line) => linkOf(terminal, line))).toEqual(['a:8901', 'a:8950']);
    expect(stateOf(terminal).links.size).toBeLessThanOrEqual(8192);
  });

  it('take no memory when the lines that had them are dropped', () => {
    const scrollback = { maxLines: 5, maxBytes: 1 << 20 };
    const terminal = new Terminal({ size: { cols: 40, rows: 2 }, scrollback });
    const plain = `${'x'.repeat(39)}\r\n`.repeat(3000);
    const before = stateOf(terminal).scrollback.bytes;
    for (let round = 0; round < 20; round++) {
      const lines = Array.from(
        { length: 500 },
        (_, index) => `\x1b]8;;a:${index}${'x'.repeat(1500)}\x07x\x1b]8;;\x07\r\n`,
      );
      terminal.feed(encodeUtf8(lines.join('')));
      expect(stateOf(terminal).scrollback.bytes - before).toBeLessThan(3 << 20);
      terminal.feed(encodeUtf8(plain));
    }
    terminal.feed(encodeUtf8(plain));
    expect(stateOf(terminal).scrollback.bytes).toBeLessThan(300 * 1024);
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
    expect(stateOf(terminal).links.size).toBe(2);
  });
});
