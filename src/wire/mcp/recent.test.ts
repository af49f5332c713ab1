import { expect, it } from 'vitest';
import { Recent } from './recent.ts';

it('forgets what was not touched for longest, and nothing sooner', () => {
  const recent = new Recent<number>(2);
  recent.touch('a', 1);
  recent.touch('b', 2);
  recent.touch('a', 3);
  expect(recent.get('b')).toBe(2);
  recent.touch('c', 4);
  expect(['a', 'b', 'c'].map((name) => recent.get(name))).toEqual([3, undefined, 4]);
});
