import { expect, it } from 'vitest';
import type { Context } from '../context.ts';
import { actOnEach } from './act-on-each.ts';
import type { SelectedSession } from './selection.ts';

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
