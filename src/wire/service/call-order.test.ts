import { expect, it } from 'vitest';
import { CallOrder, type OrderedCall } from './call-order.ts';

/** Indexes of the calls that are ready, once pending promises have settled. */
async function readyOf(calls: readonly OrderedCall[]): Promise<number[]> {
  const ready: number[] = [];
  for (const [index, call] of calls.entries()) call.ready.then(() => ready.push(index));
  await new Promise(setImmediate);
  return ready;
}

it('makes the first call ready at once and each later one when all before it are done', async () => {
  const order = new CallOrder();
  const calls = [order.add(), order.add(), order.add(), order.add()] as const;
  expect(await readyOf(calls)).toEqual([0]);
  calls[2].done();
  expect(await readyOf(calls)).toEqual([0]);
  calls[0].done();
  expect(await readyOf(calls)).toEqual([0, 1]);
  calls[1].done();
  calls[1].done();
  expect(await readyOf(calls)).toEqual([0, 1, 2, 3]);
  calls[3].done();
  expect(await readyOf([order.add()])).toEqual([0]);
});
