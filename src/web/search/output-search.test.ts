import { signal } from '@preact/signals';
import { describe, expect, it } from 'vitest';
import { deferred } from '#base';
import type { SessionInfo } from '#model';
import type { App } from '../page/app.ts';
import { OutputSearch, patternOf } from './output-search.ts';

describe('the pattern of a query', () => {
  it.each([
    ['error', {}, '(?i)error'],
    ['Error', {}, 'Error'],
    ['error', { isExact: true }, 'error'],
    ['a.b (c)', {}, '(?i)a\\.b \\(c\\)'],
    ['e\\d+', { isPattern: true }, '(?i)e\\d+'],
  ])('%s %j', (query, ways, pattern) => {
    expect(patternOf(query, ways)).toBe(pattern);
  });
});

/** A coordinator whose sessions have one line each. */
function appOf(lines: Readonly<Record<string, string>>) {
  const calls: string[] = [];
  const gate = deferred();
  let isOpen = true;
  const call = async (_method: string, body: { name: string; pattern: string }) => {
    calls.push(`${body.name} ${body.pattern}`);
    if (!isOpen) await gate.promise;
    const line = lines[body.name] ?? '';
    const pattern = new RegExp(body.pattern.replace('(?i)', ''), 'i');
    if (body.name === 'broken') throw new Error('it is broken');
    return { matches: pattern.test(line) ? [{ line, lineId: '3' }] : [] };
  };
  const app = { link: { call, state: signal('up') } } as unknown as App;
  const targets = Object.keys(lines).map((name) => ({
    app,
    info: { name, id: name } as SessionInfo,
  }));
  return {
    calls,
    targets,
    close: () => {
      isOpen = false;
    },
    open: () => gate.resolve(),
  };
}

const names = ({ results }: OutputSearch) => results.value.map(({ info: { name } }) => name);

describe('a search of the output of all sessions', () => {
  it('finds the sessions in their order, and says which one failed', async () => {
    const { targets } = appOf({ a: 'an error', b: '', broken: '', c: 'ERROR', d: 'x', e: 'error' });
    const search = new OutputSearch();
    const end = search.search(targets, 'error', {});
    expect(search.left.value).toBe(6);
    await end;
    expect(names(search)).toEqual(['a', 'c', 'e']);
    expect([search.count, search.left.value, search.problem.value]).toEqual([3, 0, 'it is broken']);
  });

  it('tries a query as a pattern where it does not occur as text', async () => {
    const { targets, calls } = appOf({ a: 'e42', b: 'a literal e\\d+' });
    const search = new OutputSearch();
    await search.search(targets, 'e\\d+', {});
    expect(search.results.value.map(({ isPattern }) => isPattern)).toEqual([true, false]);
    expect(calls).toEqual(['a (?i)e\\\\d\\+', 'b (?i)e\\\\d\\+', 'a (?i)e\\d+']);
  });

  it('ends when it is cancelled or another one begins', async () => {
    const place = appOf({ a: 'x', b: 'x', c: 'x', d: 'x', e: 'x', f: 'x' });
    const search = new OutputSearch();
    place.close();
    const first = search.search(place.targets, 'x', {});
    search.cancel();
    place.open();
    await first;
    expect([names(search), place.calls.length, search.left.value]).toEqual([[], 4, 0]);
  });
});
