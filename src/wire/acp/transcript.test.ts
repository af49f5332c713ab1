import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '#base';
import { runs } from '../../../test/support/run/runs.ts';
import { chunkings } from '../../../test/support/vt/chunkings.ts';
import { type EscapeMode, Transcript } from './transcript.ts';

const plenty = 1024 * 1024;

function written(
  chunks: Iterable<Uint8Array>,
  { maxBytes = plenty, escapes = 'strip' as EscapeMode } = {},
): Transcript {
  const transcript = new Transcript(maxBytes, escapes);
  for (const chunk of chunks) transcript.push(transcript.offset, chunk);
  transcript.end();
  return transcript;
}

const textOf = (output: string | Uint8Array, escapes?: EscapeMode): string =>
  String(
    written([typeof output === 'string' ? encodeUtf8(output) : output], escapes && { escapes }),
  );

describe('the text of a transcript', () => {
  it.each([
    ['a title', '\x1b]0;tit'],
    ['half a character', '\u20ac'],
    ['a carriage return', 'x\r'],
  ])('starts over after a gap that follows %s', (_what, before) => {
    const transcript = new Transcript(plenty, 'strip');
    transcript.push(0, encodeUtf8(before).subarray(0, before.length === 1 ? 2 : before.length));
    transcript.push(1000, encodeUtf8('text'));
    expect(String(transcript)).toBe('text');
    expect(transcript.truncated).toBe(true);
  });

  it.each([
    ['line ends of a terminal', 'a\r\nb\r\n', 'a\nb\n'],
    ['line ends that the program gave a carriage return too', 'a\r\r\nb', 'a\nb'],
    ['a bar that is painted over', '10%\r20%\r\r30%\r\n', '10%\r20%\r30%\n'],
    ['a carriage return at the end', 'working\r', 'working\r'],
    ['colours', '\x1b[1;31mred\x1b[m\r\n', 'red\n'],
    ['an erased line end', 'a\r\x1b[K\nb', 'a\nb'],
    ['a title, ended by BEL', '\x1b]0;title\x07text', 'text'],
    ['a title, ended by ST', '\x1b]0;title\x1b\\text', 'text'],
    ['a link', '\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\', 'link'],
    ['a device control string, which BEL does not end', '\x1bPq\x07pixels\x1b\\text', 'text'],
    ['character sets and keypad modes', '\x1b(B\x1b=text\x1b>', 'text'],
    ['C1 controls', '\u009b31mred\u009b0m\u009dtitle\u009ctext', 'redtext'],
    ['bells, backspaces and NULs', 'a\x07b\x08c\0\x7fd', 'abcd'],
    ['a sequence that a line end cuts off', 'a\x1b[31\r\nb', 'a\nb'],
    ['a sequence that CAN cuts off', 'a\x1b[31\x18b', 'ab'],
    ['a sequence that another one cuts off', 'a\x1b[31\x1b[32mb', 'ab'],
    ['a sequence that nothing ends', 'a\x1b[31', 'a'],
    ['letters of all kinds', 'ä€😀\u00a0\u0301\tz', 'ä€😀\u00a0\u0301\tz'],
    ['a byte order mark', '\ufeffa', '\ufeffa'],
  ])('is right for %s', (_what, output, text) => {
    expect(textOf(output)).toBe(text);
  });

  it('keeps control functions on request', () => {
    expect(textOf('\x1b[31mred\x1b[m\x07\r\n', 'keep')).toBe('\x1b[31mred\x1b[m\x07\n');
  });

  it('shows U+FFFD for invalid UTF-8, and for half a character at the end', () => {
    expect(textOf(Uint8Array.of(0x61, 0xff, 0x62, 0xe2, 0x82))).toBe('a\ufffdb\ufffd');
  });
});

/** Bytes that cover every path: characters of all lengths, half ones, controls, sequences, line ends. */
const pieces = fc.oneof(
  fc
    .constantFrom(
      ...[
        '\r',
        '\n',
        '\r\n',
        '\r\r\n',
        '\x1b[1;31m',
        '\x1b]0;t\x07',
        '\x1b\\',
        '\x1bPx',
        '\x1b',
        '\x1b[',
      ],
      ...['\u009b', '\u009c', '\x18', 'ä', '€', '😀', '\t', '\0', 'text'],
    )
    .map((text) => encodeUtf8(text)),
  fc.uint8Array({ maxLength: 6 }),
);
const outputs = fc.array(pieces, { maxLength: 40 }).map((parts) => Buffer.concat(parts));
const modes = fc.constantFrom<EscapeMode>('strip', 'keep');

describe('[S2.03] laws of a transcript', () => {
  it.each(Object.entries(chunkings))('is the same text in chunks: %s', (_name, cut) => {
    fc.assert(
      fc.property(outputs, modes, (output, escapes) => {
        expect(String(written(cut(output), { escapes }))).toBe(textOf(output, escapes));
      }),
      runs(200),
    );
  });

  it('only grows, and is truncated only at its beginning, between characters, never over the limit', () => {
    fc.assert(
      fc.property(outputs, modes, fc.nat(60), (output, escapes, maxBytes) => {
        const whole = textOf(output, escapes);
        const bounded = new Transcript(maxBytes, escapes);
        const free = new Transcript(plenty, escapes);
        let last = '';
        for (const chunk of chunkings['in odd pieces']?.(output) ?? []) {
          for (const each of [bounded, free]) each.push(each.offset, chunk);
          const text = String(bounded);
          expect(bounded.truncated).toBe(Buffer.byteLength(String(free)) > maxBytes);
          if (!bounded.truncated) expect(text.startsWith(last)).toBe(true);
          expect(String(free).endsWith(text)).toBe(true);
          expectToFit(text, maxBytes, String(free));
          last = text;
        }
        bounded.end();
        expect(whole.endsWith(String(bounded))).toBe(true);
        expectToFit(String(bounded), maxBytes, whole);
      }),
      runs(500),
    );
  });

  it('starts again after missing output, and repeats nothing', () => {
    const transcript = new Transcript(plenty, 'strip');
    transcript.push(0, encodeUtf8('first'));
    transcript.push(2, encodeUtf8('rst, second'));
    transcript.push(0, encodeUtf8('first'));
    expect([String(transcript), transcript.truncated]).toEqual(['first, second', false]);
    transcript.push(20, encodeUtf8('third'));
    expect([String(transcript), transcript.truncated]).toEqual(['third', true]);
  });
});

/** Checks for valid text within the limit, to which no more character of the end would fit. */
function expectToFit(text: string, maxBytes: number, whole: string): void {
  expect(encodeURIComponent(text)).toBeTypeOf('string'); // throws for half a character
  const bytes = Buffer.byteLength(text);
  expect(bytes).toBeLessThanOrEqual(maxBytes);
  const before = [...whole.slice(0, whole.length - text.length)].at(-1);
  if (before !== undefined) expect(bytes + Buffer.byteLength(before)).toBeGreaterThan(maxBytes);
}
