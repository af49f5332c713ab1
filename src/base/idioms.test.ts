import { describe, expect, it } from 'vitest';
import { defined, ignored } from './idioms.ts';

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

describe('ignored', () => {
  it('resolves with the value, or with undefined instead of a failure', async () => {
    expect(await ignored(Promise.resolve(1), 'a test')).toBe(1);
    expect(await ignored(Promise.reject(new Error('failed')), 'a test')).toBe(undefined);
    expect(ignored(undefined, 'a test')).toBe(undefined);
  });
});
