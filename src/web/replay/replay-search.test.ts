import { describe, expect, it } from 'vitest';
import type { RecordedEvent } from '#recording';
import { Replay } from '#replay';
import { ReplaySearch, rowMatcher } from './replay-search.ts';

const outputs = (...texts: readonly string[]): Replay =>
  new Replay({
    version: 3,
    header: { size: { cols: 20, rows: 4 } },
    events: texts.map((text, at): RecordedEvent => ({ atMs: at * 100, type: 'output', text })),
  });

/** A clock that is past the slice at each look, and turns that the test makes. */
function slices() {
  const due: (() => void)[] = [];
  let nowMs = 0;
  return {
    nowMs: () => (nowMs += 10),
    later: (act: () => void) => {
      due.push(act);
      return () => void due.splice(0);
    },
    turn: () => due.shift()?.(),
    isIdle: () => due.length === 0,
  };
}

const searched = (replay: Replay, text: string) => {
  const clock = slices();
  const search = new ReplaySearch(replay, clock);
  search.start(text);
  return { clock, search };
};

describe('a search in a recording', () => {
  it('finds each time at which a row with the text appears', () => {
    const { clock, search } = searched(outputs('one\r\n', 'two\r\n', 'ONE more\r\n', 'x'), 'one');
    while (!clock.isIdle()) clock.turn();
    expect(search.times.value).toEqual({ text: 'one', times: [0, 200], isDone: true });
  });

  it('goes on in later turns, and tells what it has found', () => {
    const { clock, search } = searched(outputs('x1', 'x2', 'x3'), 'x1');
    expect(search.times.value).toEqual({ text: 'x1', times: [], isDone: false });
    clock.turn();
    expect(search.times.value).toMatchObject({ isDone: false });
  });

  it('ends when another one begins, and with an empty text', () => {
    const { clock, search } = searched(outputs('one'), 'one');
    search.start('');
    expect([search.times.value, clock.isIdle()]).toEqual([null, true]);
  });

  it.each([
    ['error', 'An Error', true],
    ['Error', 'an error', false],
    ['Error', 'an Error', true],
    ['a.b', 'axb', false],
  ])('%j in %j: %s', (text, row, isFound) => {
    expect(rowMatcher(text)(row)).toBe(isFound);
  });
});
