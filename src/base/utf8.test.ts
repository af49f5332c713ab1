import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '#base';

const bytesOf = (text: string) => Buffer.from(encodeUtf8(text));

describe('encodeUtf8', () => {
  it.each([
    ['nothing', ''],
    ['the last of one byte', '\x7f'],
    ['the first and last of two bytes', '\u0080\u07ff'],
    ['the first and last of three bytes', '\u0800\uffff'],
    ['the first and last of four bytes', '\u{10000}\u{10ffff}'],
    ['the neighbours of the surrogates', '\ud7ff\ue000'],
  ])('agrees with Buffer on %s', (_, text) => {
    expect(bytesOf(text)).toEqual(Buffer.from(text, 'utf8'));
  });

  it.each([
    ['a high surrogate at the end', 'a\ud800'],
    ['a low surrogate alone', '\udc00b'],
    ['a pair the wrong way round', '\udc00\ud800'],
    ['a high surrogate before a pair', '\ud83d\ud83d\ude00'],
  ])('puts U+FFFD for %s', (_, text) => {
    expect(bytesOf(text)).toEqual(Buffer.from(text, 'utf8'));
    expect(bytesOf(text).includes('\ufffd')).toBe(true);
  });

  it('agrees with Buffer on whatever UTF-16 units', () => {
    const units = fc.array(fc.integer({ min: 0, max: 0xffff }));
    fc.assert(
      fc.property(units, (codes) => {
        const text = String.fromCharCode(...codes);
        expect(bytesOf(text)).toEqual(Buffer.from(text, 'utf8'));
      }),
    );
  });

  it('owns its bytes', () => {
    const bytes = encodeUtf8('a');
    expect(bytes.buffer.byteLength).toBe(1);
  });
});
