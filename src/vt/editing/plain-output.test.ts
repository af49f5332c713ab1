import fc from 'fast-check';
import { it } from 'vitest';
import { Terminal } from '#vt';
import { runs } from '../../../test/support/run/runs.ts';
import { expectSameTerminal } from '../../../test/support/vt/same-terminal.ts';

const number = fc.oneof(
  fc.nat({ max: 9 }).map(String),
  fc.nat({ max: 40 }).map(String),
  fc.constantFrom('', '0', '00', '007', '100', '107', '108', '255', '999', '1000', '38', '48'),
);
const finals = fc.constantFrom(...'ABCDGHKdmmmmJXP@Lrhs', ' q', '?m', ':3m');
const sequence = fc
  .tuple(fc.array(number, { maxLength: 4 }), finals)
  .map(([numbers, final]) => `\x1b[${numbers.join(';')}${final}`);
const text = fc.oneof(
  fc.stringMatching(/^[ -~]{1,9}$/),
  fc.stringMatching(/^[ -~]{10,40}$/),
  fc.constantFrom('日本', 'e\u0301', '😀', 'é', '\u00ad'),
);
const control = fc.constantFrom(
  '\r',
  '\n',
  '\r\n',
  '\b',
  '\t',
  '\x1b(B',
  '\x1b(0',
  '\x1bM',
  '\x7f',
);
const color = fc.constantFrom('\x1b[38;2;1;2;3m', '\x1b[0;48;5;9m', '\x1b[1;4m', '\x1b[58:5:3m');
const mode = fc.constantFrom(
  ...['\x1b[4h', '\x1b[4l', '\x1b[?6h', '\x1b[?6l', '\x1b[20h', '\x1b[20l', '\x1b[?7l', '\x1b[?7h'],
  ...['\x1b[?45h', '\x1b[?45l', '\x1b[?1045h', '\x1b[?1045l', '\x1b[?69h\x1b[2;9s', '\x1b[?69l'],
  ...['\x1b[2;4r', '\x1b[r', '\x1bV', '\x1bW', '\x1b[1"q', '\x1b[?1049h', '\x1b[?1049l', '\x1b[!p'],
);
const piece = fc.oneof(
  { weight: 8, arbitrary: sequence },
  { weight: 6, arbitrary: text },
  { weight: 3, arbitrary: control },
  { weight: 2, arbitrary: color },
  { weight: 1, arbitrary: mode },
);
const output = fc
  .tuple(fc.array(mode, { maxLength: 3 }), fc.array(piece, { maxLength: 24 }))
  .map(([modes, pieces]) => Buffer.from([...modes, ...pieces].join('')));
const size = fc.record({
  cols: fc.integer({ min: 1, max: 12 }),
  rows: fc.integer({ min: 1, max: 6 }),
});

it('[law 2] leaves the same terminal as the parser and the tables of functions', () => {
  const property = fc.property(size, output, (cells, bytes) => {
    const [whole, bytewise] = [new Terminal({ size: cells }), new Terminal({ size: cells })];
    whole.feed(bytes);
    for (const byte of bytes) bytewise.feed(Uint8Array.of(byte));
    expectSameTerminal(bytewise, whole);
  });
  // Text without a style over text with one.
  const plain = Buffer.from('\x1b[1;31mabcdef\x1b[m\x1b[1;1Hxyz\x1b[2;3Hhello\x1b[3;3Hmore text');
  fc.assert(property, { ...runs(8000), examples: [[{ cols: 40, rows: 6 }, plain]] });
});
