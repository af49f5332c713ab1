import { describe, expect, it } from 'vitest';
import { charWidth } from './width.ts';
import { unicodeVersion, wideRanges, zeroWidthRanges } from './width-table.gen.ts';

/** The widths from the generated ranges, without the lookup table. */
function plainWidths(): Uint8Array {
  const flat = new Uint8Array(0x110000).fill(1);
  for (const [ranges, width] of [
    [wideRanges, 2],
    [zeroWidthRanges, 0],
  ] as const) {
    for (const range of ranges.split(' ')) {
      const [first, last = first] = range.split('-').map((point) => Number.parseInt(point, 16));
      flat.fill(width, first, last + 1);
    }
  }
  return flat;
}

describe('charWidth', () => {
  it('agrees with the generated ranges for every code point', () => {
    const wrong: number[] = [];
    plainWidths().forEach((width, point) => {
      if (charWidth(point) !== width) wrong.push(point);
    });
    expect(wrong).toEqual([]);
  });

  it.each([
    ['a', 1],
    ['é', 1],
    ['\u0301', 0],
    ['漢', 2],
    ['한', 2],
    ['\u1161', 0],
    ['ｱ', 1],
    ['Ａ', 2],
    ['😀', 2],
    ['\u200d', 0],
    ['\ufe0f', 0],
    ['\u00ad', 1],
    ['\u0600', 1],
    ['─', 1],
    ['\ue0b0', 1],
    ['\u{1fac8}', 2],
    ['\u{10ffff}', 1],
  ])('%s takes %i', (text, width) => {
    expect(charWidth(text.codePointAt(0) as number)).toBe(width);
  });

  it('is generated from the current Unicode version', () => {
    expect(Number.parseInt(unicodeVersion, 10)).toBeGreaterThanOrEqual(17);
  });
});
