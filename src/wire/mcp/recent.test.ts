import { expect, it } from 'vitest';
import { Recent } from './recent.ts';

it('drops the least recently touched entry, and only over the limit', () => {
  const recent = new Recent<number>(2);
  recent.touch('a', 1);
  recent.touch('b', 2);
  recent.touch('a', 3);
  expect(recent.get('b')).toBe(2);
  recent.touch('c', 4);
  expect(['a', 'b', 'c'].map((name) => recent.get(name))).toEqual([3, undefined, 4]);
});
