import opentype from 'opentype.js';
import { expect, it } from 'vitest';
import { shapeFontFile } from './shape-font.ts';

const cells = { width: 8, height: 18, baseline: 14, font: 14, advance: 8.4, overlap: 0 };
const font = opentype.parse(shapeFontFile(cells));

/** The box of a character in pixels, from the left upper corner of its cell. */
function box(text: string): number[] {
  const { x1, y1, x2, y2 } = font.charToGlyph(text).getBoundingBox();
  const pixels = cells.font / font.unitsPerEm;
  const all = [
    x1 * pixels,
    cells.baseline - y2 * pixels,
    x2 * pixels,
    cells.baseline - y1 * pixels,
  ];
  return all.map((each) => Math.round(each * 100) / 100);
}

it.each([
  ['█', [0, 0, 8, 18]],
  ['▀', [0, 0, 8, 9]],
  ['▄', [0, 9, 8, 18]],
  ['▌', [0, 0, 4, 18]],
  ['─', [0, 8, 8, 9]],
  ['│', [3, 0, 4, 18]],
  ['┼', [0, 0, 8, 18]],
  ['⎿', [3, 0, 8, 18]],
  ['⏌', [0, 0, 4, 18]],
  ['\ue0b0', [0, 0, 8, 18]],
  // Braille of one dot, and shades of whole dots.
  ['\u2801', [1, 1, 3, 3]],
  ['▒', [0, 0, 8, 18]],
])('the font has %s in whole pixels of its cell', (text, expected) => {
  expect(box(text)).toEqual(expected);
});

it('has nothing but what is drawn, and goes on as far as letters do', () => {
  expect(font.charToGlyphIndex('a')).toBe(0);
  expect(font.charToGlyphIndex('\u23be')).toBe(1);
  expect(font.charToGlyphIndex('\u23ca')).toBe(0);
  expect(font.charToGlyph('█').advanceWidth).toBe(Math.round((8.4 / 14) * 8192));
});
