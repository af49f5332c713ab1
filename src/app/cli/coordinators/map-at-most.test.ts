import { expect, it } from 'vitest';
import { mapAtMost } from './map-at-most.ts';

it('limits concurrent calls, and keeps the order of the results', async () => {
  let underWay = 0;
  let most = 0;
  const items = Array.from({ length: 50 }, (_, index) => index);
  const results = await mapAtMost(items, 7, async (item) => {
    most = Math.max(most, ++underWay);
    // Later calls are faster.
    for (let turns = 50 - item; turns > 0; turns--) await undefined;
    underWay--;
    return item * 2;
  });
  expect([results, most]).toEqual([items.map((item) => item * 2), 7]);
  expect(await mapAtMost([], 7, async () => 1)).toEqual([]);
});

it('fails with the first call that fails', async () => {
  const failing = mapAtMost([1, 2, 3], 2, async (item) => {
    if (item === 2) throw new Error('two');
  });
  await expect(failing).rejects.toThrow('two');
});
