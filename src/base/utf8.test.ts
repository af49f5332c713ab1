import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeUtf8, encodeUtf8, invalidUtf8Text, Utf8Decoder, utf8Length } from '#base';
import { chunksOf } from '../../test/support/chunks.ts';
import { runs } from '../../test/support/run/runs.ts';

const bytesOf = (text: string) => Buffer.from(encodeUtf8(text));

describe('utf8Length', () => {
  it('is the number of bytes that a text takes, also with lone surrogates', () => {
    const unit = fc.oneof(
      fc.constantFrom(0x7f, 0x80, 0x7ff, 0x800, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000, 0xffff),
      fc.nat(0xffff),
    );
    const text = fc.array(unit, { maxLength: 600 }).map((units) => String.fromCharCode(...units));
    const property = fc.property(text, (any) => {
      expect(utf8Length(any)).toBe(encodeUtf8(any).length);
    });
    fc.assert(property, runs(200));
  });
});

describe('invalidUtf8Text', () => {
  it('names the first byte that is not UTF-8, for any bytes', () => {
    const special = fc.constantFrom(
      0xff,
      0xc3,
      0xe2,
      0x82,
      0xac,
      0xed,
      0xa0,
      0x80,
      0xef,
      0xbf,
      0xbd,
    );
    const bytes = fc
      .array(fc.oneof(special, fc.nat(255)), { maxLength: 12 })
      .map((each) => Uint8Array.from(each));
    const property = fc.property(bytes, (all) => {
      let valid = all.length;
      while (!isUtf8(all.subarray(0, valid))) valid--;
      const hex = (all[valid] ?? 0).toString(16).toUpperCase().padStart(2, '0');
      const expected = valid === all.length ? null : `byte ${hex} at offset ${valid}`;
      expect(invalidUtf8Text(all)).toBe(expected);
    });
    fc.assert(property, runs(1000));
  });
});

describe('encodeUtf8', () => {
  it.each([
    ['an empty text', ''],
    ['the last one-byte character', '\x7f'],
    ['the first and last two-byte characters', '\u0080\u07ff'],
    ['the first and last three-byte characters', '\u0800\uffff'],
    ['the first and last four-byte characters', '\u{10000}\u{10ffff}'],
    ['the neighbours of the surrogates', '\ud7ff\ue000'],
  ])('agrees with Buffer on %s', (_, text) => {
    expect(bytesOf(text)).toEqual(Buffer.from(text, 'utf8'));
  });

  it.each([
    ['a high surrogate at the end', 'a\ud800'],
    ['a low surrogate alone', '\udc00b'],
    ['a pair the wrong way round', '\udc00\ud800'],
    ['a high surrogate before a pair', '\ud83d\ud83d\ude00'],
  ])('writes U+FFFD for %s', (_, text) => {
    expect(bytesOf(text)).toEqual(Buffer.from(text, 'utf8'));
    expect(bytesOf(text).includes('\ufffd')).toBe(true);
  });

  it('agrees with Buffer on any UTF-16 code units', () => {
    const units = fc.array(fc.integer({ min: 0, max: 0xffff }));
    fc.assert(
      fc.property(units, (codes) => {
        const text = String.fromCharCode(...codes);
        expect(bytesOf(text)).toEqual(Buffer.from(text, 'utf8'));
      }),
    );
  });

  it('returns bytes of their own buffer', () => {
    const bytes = encodeUtf8('a');
    expect(bytes.buffer.byteLength).toBe(1);
  });
});

describe('Utf8Decoder', () => {
  /** Bytes that often begin, continue or break a character, and the byte order mark. */
  const piece = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 3 }).map((text) => [...encodeUtf8(text)]),
    fc
      .constantFrom(0x80, 0xbf, 0xc0, 0xc3, 0xe2, 0xed, 0xa0, 0xf0, 0xf4, 0xff)
      .map((byte) => [byte]),
    fc.constant([0xef, 0xbb, 0xbf]),
    fc.constant([0xf0, 0x9f, 0x98]),
  );
  const bytes = fc.array(piece, { maxLength: 12 }).map((pieces) => Uint8Array.from(pieces.flat()));

  it('gives the same text for any chunking', () => {
    const property = fc.property(bytes, fc.array(fc.nat(60)), (all, cuts) => {
      const decoder = new Utf8Decoder();
      const text = chunksOf(all, cuts).map((chunk) => decoder.push(chunk));
      expect([...text, decoder.end()].join('')).toBe(decodeUtf8(all));
      expect(decodeUtf8(all)).toBe(Buffer.from(all).toString('utf8'));
    });
    fc.assert(property, runs(500));
  });

  it('returns a character with the chunk that completes it', () => {
    const decoder = new Utf8Decoder();
    const [first, second, third] = chunksOf(encodeUtf8('€'), [1, 2]).map((each) =>
      decoder.push(each),
    );
    expect([first, second, third, decoder.end()]).toEqual(['', '', '€', '']);
  });

  it('begins another text after the end', () => {
    const decoder = new Utf8Decoder();
    expect(decoder.push(Uint8Array.of(0xe2, 0x82))).toBe('');
    expect(decoder.end()).toBe('\ufffd');
    expect(decoder.push(encodeUtf8('\ufeffa'))).toBe('\ufeffa');
  });
});
