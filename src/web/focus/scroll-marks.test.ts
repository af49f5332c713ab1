import { describe, expect, it } from 'vitest';
import { placedMarks, ScrollMarks } from './scroll-marks.ts';

describe('[S3.32] marks beside the scroll bar', () => {
  it('are where their lines are among all lines', () => {
    const marks = [0, 50, 99].map((line) => ({ line, kind: 'good' as const }));
    expect(placedMarks(marks, 0, 100).map(({ at }) => at)).toEqual([0, 500, 990]);
    expect(placedMarks(marks, 40, 90).map(({ line, at }) => [line, at])).toEqual([[50, 200]]);
  });

  it('show the most important one at each height', () => {
    const kinds = ['here', 'bad', 'match', 'good'] as const;
    const marks = kinds.map((kind, line) => ({ kind, line }));
    expect(placedMarks(marks, 0, 10_000)).toMatchObject([{ kind: 'here', line: 0 }]);
    const many = Array.from({ length: 5_000 }, (_, line) => ({ line, kind: 'match' as const }));
    expect(placedMarks(many, 0, 5_000)).toHaveLength(1_000);
  });

  it('of one owner replace no others', () => {
    const marks = new ScrollMarks();
    marks.set('commands', [{ line: 1, kind: 'good' }]);
    marks.set('search', [{ line: 2, kind: 'match' }]);
    marks.set('search', [{ line: 3, kind: 'match' }]);
    expect(marks.all.value.map(({ line }) => line)).toEqual([1, 3]);
    marks.set('search', []);
    expect(marks.all.value.map(({ line }) => line)).toEqual([1]);
  });
});
