import { describe, expect, it } from 'vitest';
import { entryTable, joinedKeys, type PlacedEntry } from './entry-table.ts';

/** @param atMs after the first entry */
const entry = (atMs: number, text: string, more: Partial<PlacedEntry> = {}): PlacedEntry => ({
  time: new Date(Date.UTC(2026, 10, 23) + atMs).toISOString(),
  action: 'key',
  client: 'cli',
  pid: 7,
  session: 'one',
  session_id: 'A',
  bytes: 1,
  text,
  ...more,
});

const textsOf = (entries: readonly PlacedEntry[]) => joinedKeys(entries).map(({ text }) => text);

describe('keys that a person types', () => {
  it('are a row up to an Enter, with their size', () => {
    const keys = ['l', 's', 'enter', 'q'].map((key, at) => entry(at * 1000, key));
    expect(textsOf(keys)).toEqual(['l s enter', 'q']);
    expect(joinedKeys(keys)[0]).toMatchObject({ bytes: 3, time: keys[0]?.time });
    const raw = ['l', 's\r', 'q'].map((text, at) => entry(at, text, { action: 'raw' }));
    expect(textsOf(raw)).toEqual(['ls\r', 'q']);
  });

  it('are another row after a pause, of another client, after other input and where one was refused', () => {
    const keys = (...others: PlacedEntry[]) => [entry(0, 'a'), ...others, entry(9_000, 'b')];
    expect(textsOf(keys())).toEqual(['a', 'b']);
    expect(textsOf(keys(entry(4_500, 'x')))).toEqual(['a x b']);
    for (const other of [
      entry(4_500, 'x', { pid: 8 }),
      entry(4_500, 'x', { by: 'ada' }),
      entry(4_500, 'x', { action: 'send' }),
      entry(4_500, 'x', { refused: 'NOT_DRIVER' }),
    ]) {
      expect(textsOf(keys(other))).toEqual(['a', 'x', 'b']);
    }
  });

  it('are joined over those of other sessions, and without a text', () => {
    const other = entry(10, 'x', { session: 'two', session_id: 'B' });
    expect(textsOf([entry(0, 'a'), other, entry(20, 'b')])).toEqual(['a b', 'x']);
    const { text: _text, ...hidden } = entry(0, '');
    expect(joinedKeys([hidden, hidden])).toEqual([{ ...hidden, bytes: 2 }]);
  });

  it('say on which machine, if several are shown', async () => {
    const shown = await entryTable([entry(0, 'a', { coordinator: 'gpu1' })], true);
    expect(shown.split('\n')[1]).toMatch(/Z +gpu1 +cli 7 +key +one +1 +text="a"$/);
  });
});
