import { describe, expect, it } from 'vitest';
import { defined } from './idioms.ts';

describe('defined', () => {
  it.each([
    [{}, {}],
    [{ a: undefined, b: null }, {}],
    [
      { a: 1, b: undefined, c: 'c' },
      { a: 1, c: 'c' },
    ],
    [
      { a: false, b: 0, c: '' },
      { a: false, b: 0, c: '' },
    ],
  ])('leaves out of %j what is null or undefined', (values, fields) => {
    expect(defined(values)).toStrictEqual(fields);
  });

  it('keeps the order of the fields', () => {
    expect(Object.keys(defined({ b: 1, a: 2, c: 3 }))).toEqual(['b', 'a', 'c']);
  });
});
