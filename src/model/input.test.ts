import { describe, expect, it } from 'vitest';
import { InputIds } from './input.ts';

describe('the calls by their ids', () => {
  const same = () => 'a';

  it('have the first call of an id for a repeat, and an error for another call', () => {
    const ids = new InputIds(4);
    const first = { content: 'a' };
    expect([ids.has('1'), ids.find('1', same)]).toEqual([false, undefined]);
    ids.add('1', first);
    expect([ids.has('1'), ids.find('1', same)]).toEqual([true, first]);
    expect(() => ids.find('1', () => 'b')).toThrowError(
      expect.objectContaining({ code: 'INPUT_ID_USED' }),
    );
  });

  it('compare nothing that one of the two does not know', () => {
    const ids = new InputIds<{ readonly content: string | null | undefined }>(4);
    ids.add('1', { content: null });
    ids.add('2', { content: 'a' });
    const never = () => {
      throw new Error('nothing to compare with');
    };
    expect(ids.find('1', never)).toEqual({ content: null });
    expect(ids.find('2', () => undefined)).toEqual({ content: 'a' });
  });

  interface Call {
    readonly content: string;
    isDone?: boolean;
    readonly isWaiting?: boolean;
  }
  const knownOf = (ids: InputIds<Call>) => ids.entries().map(([id]) => id);

  it('are the newest, and those that must be kept', () => {
    const ids = new InputIds<Call>(2, { mayForget: ({ isDone = false }) => isDone });
    const calls = ['1', '2', '3', '4', '5'].map((content): Call => ({ content }));
    for (const call of calls) ids.add(call.content, call);
    expect(knownOf(ids)).toEqual(['1', '2', '3', '4', '5']);
    for (const [at, keys] of [
      [1, ['1', '2', '3', '4', '5']],
      [3, ['1', '2', '3', '4', '5']],
      [0, ['2', '3', '4', '5']],
    ] as const) {
      Object.assign(calls[at] ?? {}, { isDone: true });
      ids.trim();
      expect(knownOf(ids)).toEqual(keys);
    }
  });

  it('forget first the calls that their user names, and then the oldest', () => {
    const ids = new InputIds<Call>(3, { goesFirst: ({ isWaiting = false }) => isWaiting });
    for (const content of ['1', '2', '3', '4', '5', '6']) {
      ids.add(content, { content, isWaiting: content === '2' || content === '5' });
    }
    expect(knownOf(ids)).toEqual(['3', '4', '6']);
  });

  it('forget a call that had no effect, and not a later one of its id', () => {
    const ids = new InputIds(4);
    const [first, second] = [{ content: 'a' }, { content: 'a' }];
    ids.add('1', first);
    ids.add('1', second);
    ids.delete('1', first);
    expect(ids.find('1', same)).toBe(second);
    ids.delete('1', second);
    expect(ids.has('1')).toBe(false);
  });
});
