import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Queue } from '#base';
import { runs } from '../../test/support/run/runs.ts';

it('returns items in the order they were added, in any mix of calls', () => {
  const property = fc.property(fc.array(fc.integer({ min: -2000, max: 2000 })), (steps) => {
    const queue = new Queue<number>();
    const model: number[] = [];
    let next = 0;
    for (const step of steps) {
      for (let count = step; count > 0; count--) {
        queue.push(next);
        model.push(next++);
      }
      for (let count = step; count < 0; count++) expect(queue.shift()).toBe(model.shift());
      expect(queue.length).toBe(model.length);
    }
  });
  fc.assert(property, runs(50));
});

it('is empty when cleared', () => {
  const queue = new Queue<number>();
  queue.push(1);
  queue.clear();
  expect([queue.length, queue.shift()]).toEqual([0, undefined]);
});
