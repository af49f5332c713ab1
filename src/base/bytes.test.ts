import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeLeb128, encodeLeb128 } from './bytes.ts';

describe('unsigned LEB128', () => {
  it.each([
    [0, [0]],
    [127, [0x7f]],
    [128, [0x80, 1]],
    [624_485, [0xe5, 0x8e, 0x26]],
    [2 ** 53 - 1, [...new Array(7).fill(0xff), 0x0f]],
  ])('of %d', (value, bytes) => {
    expect([...encodeLeb128(value)]).toEqual(bytes);
  });

  it('is read back with its end, among other bytes', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.uint8Array(), fc.uint8Array(), (value, before, after) => {
        const encoded = encodeLeb128(value);
        const bytes = new Uint8Array([...before, ...encoded, ...after]);
        expect(decodeLeb128(bytes, before.length)).toEqual({
          value,
          end: before.length + encoded.length,
        });
      }),
    );
  });

  it.each([[[]], [[0x80]], [new Array(9).fill(0x80)], [[...new Array(7).fill(0xff), 0x1f]]])(
    'is null for what is no such number: %j',
    (bytes) => {
      expect(decodeLeb128(new Uint8Array(bytes), 0)).toBeNull();
    },
  );
});
