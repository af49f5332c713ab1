import { describe, expect, it } from 'vitest';
import type { Notice } from './notices.ts';
import { Pace, quietLeftMs } from './pace.ts';

const notice = (id: string, text = 'why'): Notice => ({
  id,
  title: `${id} asks`,
  text,
  about: null,
});
const titles = (notices: readonly Notice[]) => notices.map(({ title }) => title);
const night = { fromMinute: 22 * 60, toMinute: 7 * 60 };
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** A time by the clock on the wall. */
const at = (hour: number, minute = 0) => new Date(2026, 10, 29, hour, minute).getTime();

describe('notices', () => {
  const begin = (perMinute: number, gone = new Set<string>()) =>
    new Pace({ perMinute, quiet: null, isCurrent: ({ id }) => !gone.has(id) });
  const moment = (nowMs: number) => ({ nowMs, wallMs: at(12) + nowMs });

  it('are told at once, up to the number of a minute', () => {
    const pace = begin(2);
    expect(titles(pace.take([notice('a'), notice('b')], moment(0)))).toEqual(['a asks', 'b asks']);
    expect(pace.take([notice('c')], moment(1_000))).toEqual([]);
    expect(pace.nextMs(moment(1_000))).toBe(59_000);
    expect(titles(pace.take([], moment(minuteMs)))).toEqual(['c asks']);
    expect(pace.nextMs(moment(minuteMs))).toBeNull();
  });

  it('that had to wait are told together, as far as they are still true', () => {
    const gone = new Set<string>();
    const pace = begin(1, gone);
    pace.take([notice('a')], moment(0));
    pace.take([notice('b'), notice('c'), notice('d')], moment(1));
    pace.take([notice('b', 'another question')], moment(2));
    gone.add('c');
    expect(pace.take([], moment(minuteMs))).toEqual([
      {
        id: '',
        title: '2 sessions need you',
        text: 'd asks, b asks',
        about: null,
        of: [notice('d'), notice('b', 'another question')],
      },
    ]);
  });

  it('are told again only after a minute without them', () => {
    const pace = begin(9);
    expect(pace.take([notice('a')], moment(0))).toHaveLength(1);
    expect(pace.take([notice('a')], moment(50_000))).toEqual([]);
    expect(pace.take([notice('a')], moment(100_000))).toEqual([]);
    expect(pace.take([notice('a')], moment(160_000))).toHaveLength(1);
  });
});

describe('quiet hours', () => {
  it.each([
    [night, at(21, 59), 0],
    [night, at(22), 9 * hourMs],
    [night, at(23, 30), 7.5 * hourMs],
    [night, at(6, 59), minuteMs],
    [night, at(7), 0],
    [{ fromMinute: 12 * 60, toMinute: 13 * 60 }, at(12, 30), hourMs / 2],
    [{ fromMinute: 12 * 60, toMinute: 13 * 60 }, at(13), 0],
  ])('of %j at %d last %d ms', (hours, time, leftMs) => {
    expect(quietLeftMs(hours, new Date(time))).toBe(leftMs);
  });

  it('tell nothing, and at their end what is still true', () => {
    const pace = new Pace({ perMinute: 1, quiet: night, isCurrent: ({ id }) => id !== 'b' });
    const before = { nowMs: 0, wallMs: at(6) };
    expect(pace.take([notice('a'), notice('b'), notice('c')], before)).toEqual([]);
    expect(pace.nextMs(before)).toBe(hourMs);
    const after = { nowMs: hourMs, wallMs: at(7) };
    expect(pace.take([], after)).toMatchObject([{ title: '2 sessions need you' }]);
  });
});
