import { describe, expect, it } from 'vitest';
import { deferred } from '../../../../../test/support/deferred.ts';
import { merge } from './subscribe.ts';

async function* count(from: number, to: number) {
  for (let number = from; number < to; number++) yield number;
}

async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all = [];
  for await (const value of source) all.push(value);
  return all;
}

describe('merged sources', () => {
  it('yield all values of each source in its order, until the last source has ended', async () => {
    const all = await collect(merge([count(0, 3), count(10, 15)]));
    expect(all.filter((number) => number < 10)).toEqual([0, 1, 2]);
    expect(all.filter((number) => number >= 10)).toEqual([10, 11, 12, 13, 14]);
  });

  it('do not wait for a source without a value', async () => {
    const later = deferred<number>();
    async function* slow() {
      yield await later.promise;
    }
    const merged = merge([slow(), count(0, 1)]);
    expect((await merged.next()).value).toBe(0);
    later.resolve(1);
    expect((await merged.next()).value).toBe(1);
    expect((await merged.next()).done).toBe(true);
  });

  it('all end when one fails, or when the consumer stops', async () => {
    const returned: string[] = [];
    const endless = (name: string): AsyncIterable<number> => ({
      [Symbol.asyncIterator]: () => ({
        next: async () => ({ done: false, value: 1 }),
        return: async () => {
          returned.push(name);
          return { done: true, value: undefined };
        },
      }),
    });
    const failing: AsyncIterable<number> = {
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('broken')) }),
    };
    await expect(collect(merge([endless('a'), failing]))).rejects.toThrow('broken');
    for await (const _ of merge([endless('b'), endless('c')])) break;
    expect(returned.sort()).toEqual(['a', 'b', 'c']);
  });
});
