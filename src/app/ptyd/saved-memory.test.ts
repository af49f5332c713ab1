import { describe, expect, it } from 'vitest';
import { SavedMemory, SavedSession } from './saved-memory.ts';

const empty = new Uint8Array(0);

/** Sessions with a limit for all, and what was dropped. */
function sessions(maxBytes: number, count: number) {
  const memory = new SavedMemory(maxBytes);
  const dropped: string[] = [];
  const all = Array.from(
    { length: count },
    (_, at) => new SavedSession(memory, empty, (line) => dropped.push(`${at} before ${line}`)),
  );
  return { memory, all, dropped };
}

const segment = (from: number, to: number, size = 10) => ({
  from,
  to,
  bytes: new Uint8Array(size),
});
const lines = (session: SavedSession | undefined) =>
  session?.segments.map(({ from, to }) => `${from}-${to}`).join(' ');

describe('SavedSession', () => {
  it('appends segments, replaces them from a line on, and drops old ones', () => {
    const { all } = sessions(10_000, 1);
    const [session] = all;
    session?.apply({ segments: [segment(0, 5), segment(5, 9)] });
    session?.apply({ segments: [segment(9, 12)] });
    expect(lines(session)).toBe('0-5 5-9 9-12');
    session?.apply({ replaceFrom: 5, segments: [segment(5, 20)] });
    expect(lines(session)).toBe('0-5 5-20');
    session?.apply({ firstLine: 5 });
    expect(lines(session)).toBe('5-20');
    session?.apply({ replaceFrom: 0 });
    expect(lines(session)).toBe('');
  });

  it('keeps the parts that a change does not have', () => {
    const { all } = sessions(10_000, 1);
    const [session] = all;
    const state = { offset: 3, steps: 1, bytes: Uint8Array.of(1) };
    session?.apply({ facts: Uint8Array.of(7), state });
    session?.apply({ segments: [segment(0, 1)] });
    expect([session?.facts, session?.state]).toEqual([Uint8Array.of(7), state]);
  });
});

describe('the memory of all sessions', () => {
  it('is limited: segments of the session that saved least recently are dropped first', () => {
    const { memory, all, dropped } = sessions(10_000, 3);
    for (const each of all) each.apply({ segments: [segment(0, 4, 2_500)] });
    expect(dropped).toEqual([]);
    all[0]?.apply({ segments: [segment(4, 6, 2_500)] });
    expect(dropped).toEqual(['1 before 4']);
    expect(all.map(lines)).toEqual(['0-4 4-6', '', '0-4']);
    expect(memory.isFull).toBe(false);
  });

  it('is full if there are no segments to drop', () => {
    const { memory, all, dropped } = sessions(10_000, 2);
    all[0]?.apply({ facts: new Uint8Array(20_000) });
    expect([memory.isFull, dropped]).toEqual([true, []]);
    all[1]?.apply({ segments: [segment(0, 4)] });
    expect(dropped).toEqual(['1 before 4']);
    all[0]?.dispose();
    expect(memory.isFull).toBe(false);
  });
});
