import { describe, expect, it } from 'vitest';
import { type Cell, plainStyle } from '#model';
import { partOf } from './tile-picture.ts';

const cellsOf = (text: string): Cell[] =>
  [...text].map((each) => ({ text: each, width: 1, style: plainStyle }));

/** A screen of which the first rows have text. */
const screen = (cols: number, rows: number, used = rows) => ({
  size: { cols, rows },
  rows: Array.from({ length: rows }, (_, row) => cellsOf(row < used ? 'x' : ' ')),
  cursor: null,
});

const box = { width: 320, height: 200 };
const readable = { least: 9, most: 13 };

describe('the part of a screen in a tile', () => {
  it('has all columns if they can be read', () => {
    expect(partOf(screen(50, 10), box, readable)).toMatchObject({ isCutRight: false, firstRow: 0 });
  });

  it('has the left columns of a wide screen, in whole pixels', () => {
    const part = partOf(screen(200, 10), box, readable);
    expect(part).toMatchObject({ font: 9, cell: 5, line: 11, isCutRight: true, firstRow: 0 });
  });

  it('ends with the last row that is in use', () => {
    expect(partOf(screen(80, 50), box, readable).firstRow).toBe(50 - 18);
    expect(partOf(screen(80, 50, 30), box, readable).firstRow).toBe(30 - 18);
    expect(partOf(screen(80, 50, 10), box, readable).firstRow).toBe(0);
  });

  it('follows the cursor below the text', () => {
    const cursor = { row: 40, col: 0 };
    expect(partOf({ ...screen(80, 50, 10), cursor }, box, readable).firstRow).toBe(41 - 18);
  });

  it('is the whole screen if that is wanted', () => {
    const part = partOf(screen(200, 50), box, { least: 0, most: 13 });
    expect(part).toMatchObject({ isCutRight: false, firstRow: 0 });
    expect(part.line * 50).toBeLessThanOrEqual(200);
  });
});
