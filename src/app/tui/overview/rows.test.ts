import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../test/support/run/runs.ts';
import {
  anyInfos,
  modelOf,
  names,
  sessionInfo,
} from '../../../../test/support/tui/overview-model.ts';
import { sortOrders } from './model.ts';
import { arranged } from './rows.ts';

describe('the order of the list', () => {
  it('is total: it does not depend on the order in which sessions became known', () => {
    const property = fc.property(
      anyInfos,
      fc.constantFrom(...sortOrders),
      fc.infiniteStream(fc.nat()),
      (infos, sort, numbers) => {
        const entries = [...modelOf(...infos).entries.values()];
        const keyed = entries.map((entry) => ({ entry, at: numbers.next().value }));
        const shuffled = keyed.sort((a, b) => a.at - b.at).map(({ entry }) => entry);
        const options = { query: '', states: 'all', sort } as const;
        expect(arranged(shuffled, options)).toEqual(arranged(entries, options));
      },
    );
    fc.assert(property, runs(200));
  });

  it('has those first that want somebody, the longest first, then the driven and the running', () => {
    const model = modelOf(
      sessionInfo('exited', { state: 'exited' }),
      sessionInfo('shell', { state: 'at_prompt' }),
      sessionInfo('busy'),
      sessionInfo('driven', { driver: 'person' }),
      sessionInfo('agent', { driver: 'agent' }),
      sessionInfo('quiet', { attention: 'quiet' }),
      sessionInfo('failed', { state: 'exited', attention: 'failed' }),
      sessionInfo('late', { attention: 'input', sinceMs: 1_790_000_000_900 }),
      sessionInfo('asks', { attention: 'input' }),
    );
    expect(names(model)).toEqual([
      ...['asks', 'late', 'failed', 'quiet', 'driven', 'agent', 'busy', 'shell', 'exited'],
    ]);
  });
});
