import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeUtf8 } from '#base';
import { runs } from '../../../test/support/run/runs.ts';
import { protectedCell, withLink, withUnderline } from './attributes.ts';
import { defaultColor, paletteColor, rgbColor } from './color.ts';
import { maxSgrBytes, sgrOf, writeSgr } from './sgr-text.ts';

const byte = fc.nat({ max: 255 });
const color = fc.oneof(
  fc.constant(defaultColor),
  byte.map(paletteColor),
  fc.nat({ max: 20 }).map(paletteColor),
  fc.tuple(byte, byte, byte).map((parts) => rgbColor(...parts)),
);
const attributes = fc
  .tuple(byte, fc.nat({ max: 5 }), fc.constantFrom(0, protectedCell), fc.nat({ max: 3 }))
  .map(([on, underline, bits, link]) => withLink(withUnderline(on, underline) | bits, link));

it('is the same as bytes and as a string', () => {
  const property = fc.property(color, color, color, attributes, (fg, bg, line, set) => {
    const bytes = new Uint8Array(maxSgrBytes);
    const end = writeSgr(bytes, 0, fg, bg, line, set);
    fc.pre((fg | bg | line | set) !== 0);
    expect(decodeUtf8(bytes.subarray(0, end))).toBe(sgrOf(fg, bg, line, set));
  });
  fc.assert(property, runs(500));
});

it('fits the longest', () => {
  const longest = rgbColor(255, 255, 255);
  const bytes = new Uint8Array(200);
  const end = writeSgr(bytes, 0, longest, longest, longest, withUnderline(0xff, 5));
  expect(end).toBeLessThanOrEqual(maxSgrBytes);
});
