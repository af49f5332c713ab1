import { describe, expect, it } from 'vitest';
import type { Context } from '../context.ts';
import { actOnEach, mapAtMost } from './act-on-each.ts';
import type { SelectedSession } from './selection.ts';

describe('act on each', () => {
  it('acts on a hundred sessions at the same time, and prints their names in order', async () => {
    const printed: string[] = [];
    const context = {
      config: async () => ({ coordinators: [] }),
      out: (text: string) => printed.push(text),
    } as unknown as Context;
    const names = Array.from({ length: 100 }, (_, index) => `s${index}`);
    const sessions = names.map((name) => ({ name, ref: name }) as SelectedSession);
    const selection = { sessions, unmatched: [], isOne: false };
    const begun: (() => void)[] = [];
    // No call ends before all have begun; then the last one ends first.
    const act = () =>
      new Promise<void>((resolve) => {
        begun.unshift(resolve);
        if (begun.length === names.length) for (const end of begun) end();
      });
    expect(await actOnEach(context, { json: false }, selection, 'removed', act)).toBeUndefined();
    expect(printed.join('')).toBe(`${names.join('\n')}\n`);
  });
});

describe('map at most', () => {
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
});
