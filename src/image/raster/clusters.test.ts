import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Cell, plainStyle } from '#model';
import { drawPicture, pictureColors } from '../index.ts';
import { scaledMask } from './glyph-sheets.ts';

const colors = pictureColors();
const blank: Cell = { text: ' ', width: 1, style: plainStyle };
const wide = (text: string): Cell[] => [
  { text, width: 2, style: plainStyle },
  { text: '', width: 0, style: plainStyle },
];
const drawn = (cells: readonly Cell[], scale: 1 | 2 = 1) =>
  drawPicture(
    { size: { cols: cells.length, rows: 1 }, rows: [cells], cursor: null, colors },
    scale,
  );
const pixels = (text: string, scale: 1 | 2) => drawn(wide(text), scale).pixels.join();

const family = (...members: readonly string[]) => members.join('\u200d');
const [man, woman, girl, boy] = ['👨', '👩', '👧', '👦'];
const tags = (code: string) =>
  `🏴${Array.from(code, (char) => String.fromCodePoint(0xe0000 + char.charCodeAt(0))).join('')}\u{e007f}`;

describe('a cluster in a bitmap', () => {
  it.each([
    ['flags', ['🇸🇬', '🇸🇪', '🇧🇷', '🇩🇪', '🇪🇩']],
    ['flags of regions', ['🏴', tags('gbeng'), tags('gbsct'), tags('gbwls'), tags('usca')]],
    ['skin tones', ['👍', '👍🏻', '👍🏼', '👍🏽', '👍🏾', '👍🏿']],
    ['conjuncts', ['क्', 'क्ष', 'क्य', 'स्त्र', 'स्त्य']],
    ['families', [family(man, woman, girl, boy), family(man, boy), man]],
    ['children', [family(man, woman, girl), family(man, woman, boy), family(woman, man, boy)]],
    ['people', ['👩‍💻', '👩🏽‍💻', '👩‍🚀', '🏃‍♀️', '🏃‍♂️', '👩🏽‍🤝‍👨🏿', '👩🏿‍🤝‍👨🏽']],
    ['kana', ['ｶ', 'ｶﾞ', 'ﾊﾟ', 'ﾊﾞ']],
  ])('differs from others: %s', (_, clusters) => {
    for (const scale of [1, 2] as const) {
      expect(new Set(clusters.map((text) => pixels(text, scale))).size).toBe(clusters.length);
    }
  });

  it.each(['🇸🇬', tags('gbeng'), '👍🏽', 'क्ष', family(man, woman, girl, boy)])(
    'stays within its cells: %s',
    (text) => {
      const { width, height, pixels } = drawn([blank, ...wide(text), blank]);
      for (let y = 0; y < height; y++) {
        for (const x of [0, 9, 30, 39]) expect(pixels[y * width + x]).toBe(colors.background);
      }
    },
  );
});

describe('a scaled mask', () => {
  const side = fc.integer({ min: 1, max: 20 });

  it('has the mean of what it covers, and all of what it does not change', () => {
    fc.assert(
      fc.property(side, side, side, side, fc.nat(15), (width, height, cols, rows, level) => {
        const even = { width, height, pixels: new Uint8Array(width * height).fill(level) };
        expect(scaledMask(even, cols, rows).pixels).toEqual(
          new Uint8Array(cols * rows).fill(level),
        );
        const steps = { ...even, pixels: even.pixels.map((_, at) => at % 16) };
        expect(scaledMask(steps, width, height)).toEqual(steps);
      }),
    );
  });
});
