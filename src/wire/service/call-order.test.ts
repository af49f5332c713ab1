import { expect, it } from 'vitest';
import { CallOrder } from './call-order.ts';

/** What `ready` has resolved for, after all that could. */
async function readyOf(turns: readonly { readonly ready: Promise<void> }[]): Promise<number[]> {
  const ready: number[] = [];
  for (const [index, turn] of turns.entries()) turn.ready.then(() => ready.push(index));
  await new Promise(setImmediate);
  return ready;
}

it('the first turn is ready at once, each other one when all before it are done', async () => {
  const row = new CallOrder();
  const turns = [row.take(), row.take(), row.take(), row.take()] as const;
  expect(await readyOf(turns)).toEqual([0]);
  turns[2].done();
  expect(await readyOf(turns)).toEqual([0]);
  turns[0].done();
  expect(await readyOf(turns)).toEqual([0, 1]);
  turns[1].done();
  turns[1].done();
  expect(await readyOf(turns)).toEqual([0, 1, 2, 3]);
  turns[3].done();
  expect(await readyOf([row.take()])).toEqual([0]);
});
