import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { Terminal } from '#vt';
import { verify } from '#vt/checks';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/**
 * Returns the bytes of heap and buffers in use. Buffers are released one event loop turn after a
 * garbage collection found them unused.
 */
async function usedBytes(): Promise<number> {
  collect();
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

const encoder = new TextEncoder();
const megabyte = 1024 * 1024;
const size = { cols: 80, rows: 24 };
const maxBytes = megabyte;
/**
 * Maximum memory of a terminal of this size apart from its scrollback: screens, tables, pending
 * data.
 */
const besidesBytes = 2.5 * megabyte;

/** Calls `feed` with different chunks until so many bytes have been fed. */
function feedDifferent(
  terminal: Terminal,
  bytes: number,
  chunkBytes: number,
  unit: (n: number) => string,
): void {
  let count = 0;
  for (let fed = 0; fed < bytes; ) {
    const parts: string[] = [];
    for (let length = 0; length < chunkBytes; length += parts.at(-1)?.length ?? 0) {
      parts.push(unit(count++));
    }
    const chunk = encoder.encode(parts.join(''));
    terminal.feed(chunk);
    fed += chunk.length;
  }
}

const color = (n: number) => `${n & 255};${(n >> 8) & 255};${(n >> 16) & 255}`;
const mark = (n: number) => String.fromCodePoint(0x300 + (Math.floor(n) % 112));

const worst: [string, (n: number) => string][] = [
  ['a different colour in each cell', (n) => `\x1b[38;2;${color(n)}mx`],
  [
    'three colours and a mark in each cell',
    (n) => `\x1b[38;2;${color(n)};48;2;${color(n * 7)};58;2;${color(n)}mé${mark(n)}`,
  ],
  ['marks on one cell', (n) => mark(n)],
  ['different clusters', (n) => `a${mark(n)}${mark(n / 112)}${mark(n / 12_544)}`],
  ['long clusters', (n) => `a${mark(n).repeat(8)}${mark(n / 112).repeat(8)}`],
  ['lines without an end', () => 'no end '],
  ['colored lines without an end', (n) => `\x1b[38;2;${color(n)}mno`],
  ['empty lines', () => '\n'],
  ['short lines', (n) => `${n}\r\n`],
  ['titles', (n) => `\x1b]2;${n}${'t'.repeat(4000)}\x07\x1b[22t`],
  ['links', (n) => `\x1b]8;id=${n};http://example.org/${n}\x1b\\x`],
  ['long links', (n) => `\x1b]8;;http://example.org/${n}${'x'.repeat(2000)}\x1b\\x`],
  ['notifications', (n) => `\x1b]9;${n}${'n'.repeat(2000)}\x07`],
  ['working directories', (n) => `\x1b]7;file:///${n}${'d'.repeat(2000)}\x07`],
  ['prompts', (n) => `\x1b]133;A\x07$ \x1b]633;E;${n}${'c'.repeat(2000)}\x07\r\n`],
  ['clipboards', (n) => `\x1b]52;c;${btoa(`${n}${'c'.repeat(3000)}`)}\x07`],
  ['unterminated strings', (n) => `\x1b]${n};${'s'.repeat(30_000)}\x18`],
  ['saved modes, pens and keyboards', (n) => `\x1b[?${n % 3000}s\x1b[#{\x1b[>${n % 32}u\x1b7`],
  [
    'both screens',
    (n) => `\x1b[?1049h\x1b[38;2;${color(n)}mx\x1b[?1049l\x1b[48;2;${color(n)}m\x1b[Jy`,
  ],
  ['colours of the palette', (n) => `\x1b]4;${n % 256};rgb:${(n & 255).toString(16)}/00/00\x07`],
  ['questions', () => '\x1b[c\x1b[6n\x1bP$qm\x1b\\'],
];

describe('the memory of a terminal is bounded', () => {
  it.each(worst)('[law 9] %s', async (_what, unit) => {
    const scrollback = { maxLines: 1_000_000, maxBytes };
    const before = await usedBytes();
    const terminal = new Terminal({ size, scrollback, allowClipboard: true });
    feedDifferent(terminal, 3 * megabyte, 256 * 1024, unit);
    expect(terminal.memoryBytes).toBeLessThan(maxBytes + besidesBytes);
    // The heap also contains code and caches.
    const bytes = (await usedBytes()) - before;
    expect(bytes).toBeLessThan(maxBytes + besidesBytes + megabyte);
    expect(verify(terminal)).toEqual([]);
  });

  it('[law 9] however much is read', () => {
    const scrollback = { maxLines: 1_000_000, maxBytes };
    const terminal = new Terminal({ size, scrollback });
    feedDifferent(terminal, 6 * megabyte, 256 * 1024, (n) => `\x1b[38;2;${color(n)}mx`);
    for (const { reader } of terminal.readLines(0, Number.POSITIVE_INFINITY)) reader.ansi();
    terminal.dump();
    expect(terminal.memoryBytes).toBeLessThan(maxBytes + besidesBytes);
  });

  it('is proportional to the rows in use of the screen', () => {
    const bytesOf = (cols: number, rows: number, text = '') => {
      const terminal = new Terminal({ size: { cols, rows } });
      terminal.feed(encoder.encode(text));
      return terminal.memoryBytes;
    };
    expect(bytesOf(80, 24)).toBeLessThan(13 * 1024);
    expect(bytesOf(80, 24, '$ ')).toBeLessThan(14 * 1024);
    expect(bytesOf(80, 24, '\x1b#8x')).toBeLessThan(40 * 1024);
    expect(bytesOf(1000, 1000, '\x1b[1000Hx')).toBeGreaterThan(8 * 1000 * 1000);
    const terminal = new Terminal({ size: { cols: 1000, rows: 1000 } });
    terminal.resize(size);
    expect(terminal.memoryBytes).toBe(bytesOf(80, 24));
  });
});
