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

  it('are the newest, and those that must be kept', () => {
    const ids = new InputIds<{ readonly content: string; isDone: boolean }>(
      2,
      ({ isDone }) => isDone,
    );
    const known = () => ['1', '2', '3', '4'].filter((id) => ids.has(id));
    const calls = ['1', '2', '3'].map((content) => ({ content, isDone: false }));
    for (const call of calls) ids.add(call.content, call);
    expect(known()).toEqual(['1', '2', '3']);
    const [, second] = calls;
    if (second !== undefined) second.isDone = true;
    ids.trim();
    expect(known()).toEqual(['1', '3']);
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
