import { describe, expect, it } from 'vitest';
import { moved, rowsOf } from './shares.ts';

const rounded = (shares: readonly number[]) => shares.map((share) => Math.round(share * 100) / 100);

describe('sessions side by side', () => {
  it.each([
    [1, [1]],
    [2, [2]],
    [3, [3]],
    [4, [2, 2]],
    [5, [3, 2]],
    [6, [3, 3]],
  ])('%i are in rows of at most three', (count, rows) => {
    expect(rowsOf(count)).toEqual(rows);
  });

  it('get other shares when the line between two moves, and none less than it can be used with', () => {
    expect(rounded(moved([0.5, 0.25, 0.25], 1, 0.25))).toEqual([0.6, 0.15, 0.25]);
    expect(rounded(moved([0.5, 0.5], 1, -0.25))).toEqual([0.25, 0.75]);
    expect(rounded(moved([0.5, 0.5], 1, -9))).toEqual([0.15, 0.85]);
  });
});
