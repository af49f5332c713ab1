import { describe, expect, it } from 'vitest';
import { cellOf, fittingSize, fontFor } from './font.ts';

const cell = { width: 8, height: 16 };

describe('the size of a session that fits into a window', () => {
  it.each([
    ['whole cells', 807, 399, { cols: 100, rows: 24 }],
    ['at least 20 by 4', 10, 10, { cols: 20, rows: 4 }],
    ['at most 1000 by 1000', 1e6, 1e6, { cols: 1000, rows: 1000 }],
  ])('has %s', (_what, width, height, size) => {
    expect(fittingSize(width, height, cell)).toEqual(size);
  });
});

describe('the font of a session of another size', () => {
  const size = { cols: 100, rows: 25 };
  const metrics = { advance: 8 / 14, lineHeight: 16 / 14 };

  it.each([
    ['is that of a desktop where there is more room', { width: 2000, height: 2000 }, 14],
    ['shows all columns', { width: 640, height: 2000 }, 11],
    ['shows all rows', { width: 2000, height: 300 }, 10.5],
    ['does not become unreadable for rows, which scroll', { width: 2000, height: 100 }, 9],
    ['is smaller for columns', { width: 400, height: 100 }, 7],
    ['has a limit', { width: 100, height: 100 }, 6],
    ['ignores the rows where none are given', { width: 640 }, 11],
  ])('%s', (_what, box, font) => {
    expect(fontFor(size, box, { metrics, ratio: 64.5, font: 14, least: 6 })).toBe(font);
  });

  it('is never small by itself where a person can zoom', () => {
    expect(fontFor(size, { width: 400, height: 100 }, { metrics, ratio: 64.5, font: 14 })).toBe(11);
  });
});

describe('a cell', () => {
  const metrics = { advance: 0.6, lineHeight: 1.25 };

  it.each([
    [1, { width: 8, height: 18 }],
    [1.25, { width: 8.8, height: 17.6 }],
    [2, { width: 8.5, height: 18 }],
  ])('has whole pixels of a device with %s of them for a CSS pixel', (ratio, cell) => {
    expect(cellOf(metrics, 14, ratio)).toEqual(cell);
  });

  it('counts with them when columns are fitted', () => {
    // 11.25 px would be 6.75 px wide, which become 7.
    const fitting = { metrics, ratio: 1, font: 14 };
    expect(fontFor({ cols: 100, rows: 10 }, { width: 680 }, fitting)).toBe(11);
    expect(fontFor({ cols: 100, rows: 10 }, { width: 700 }, fitting)).toBe(12.25);
  });
});
