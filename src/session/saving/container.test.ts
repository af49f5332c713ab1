import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/run/runs.ts';
import { decodeParts as decode, encodePart, joinParts, type Part } from './container.ts';

const part: fc.Arbitrary<Part> = fc.record({
  kind: fc.nat(255),
  from: fc.nat(),
  to: fc.constantFrom(0, Number.MAX_SAFE_INTEGER),
  bytes: fc.uint8Array({ maxLength: 2000 }),
});
const parts = fc.array(fc.tuple(part, fc.boolean()), { maxLength: 5 });

/** The encoding of each part is not compared. */
function decodeParts(bytes: Uint8Array) {
  const { parts, complete } = decode(bytes);
  return { parts: parts.map(({ encoded: _encoding, ...part }) => part), complete };
}

const encoded = (each: readonly (readonly [Part, boolean])[]): Uint8Array =>
  joinParts(each.map(([one, compresses]) => encodePart(one, { compresses })));

describe('saved parts', () => {
  it('are decoded as they were encoded', () => {
    const property = fc.property(parts, (each) => {
      const decoded = decodeParts(encoded(each));
      expect(decoded).toEqual({ parts: each.map(([one]) => one), complete: true });
    });
    fc.assert(property, runs(300));
  });

  it('have their encodings', () => {
    const property = fc.property(parts, (each) => {
      const bytes = encoded(each);
      const again = joinParts(decode(bytes).parts.map((one) => one.encoded));
      expect(again).toEqual(bytes);
    });
    fc.assert(property, runs(100));
  });

  it('that are damaged are dropped, the others are not', () => {
    const property = fc.property(
      parts,
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      (each, at, xor) => {
        const bytes = encoded(each);
        const place = at % bytes.length;
        bytes[place] = (bytes[place] ?? 0) ^ xor;
        const decoded = decodeParts(bytes);
        // Two bytes of the header are for later use.
        if (place === 6 || place === 7) return;
        expect(decoded.complete).toBe(false);
        expect(each.map(([one]) => one)).toEqual(expect.arrayContaining([...decoded.parts]));
      },
    );
    fc.assert(property, runs(300));
  });

  it('are decoded as far as they were written', () => {
    const property = fc.property(parts, fc.nat(), (each, length) => {
      const bytes = encoded(each);
      const decoded = decodeParts(bytes.subarray(0, length % bytes.length));
      expect(each.map(([one]) => one).slice(0, decoded.parts.length)).toEqual(decoded.parts);
      const isWhole = decoded.parts.length === each.length;
      if (!isWhole) expect(decoded.parts.length).toBeLessThan(each.length);
    });
    fc.assert(property, runs(300));
  });

  it('compressed to more than 64 MiB are dropped', () => {
    const bytes = new Uint8Array(65 * 1024 * 1024);
    const decoded = decodeParts(
      joinParts([encodePart({ kind: 1, from: 0, to: 0, bytes }, { compresses: true })]),
    );
    expect(decoded).toEqual({ parts: [], complete: false });
  });
});
