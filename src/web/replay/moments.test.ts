import { describe, expect, it } from 'vitest';
import { clockText, indexAt, momentMs, momentText, ticksOf } from './moments.ts';

const startedAtMs = Date.UTC(2026, 10, 29, 21, 0, 0);

describe('a moment of a recording', () => {
  it.each([
    [0, '0:00'],
    [59_999, '0:59'],
    [125_000, '2:05'],
    [3_723_000, '1:02:03'],
  ])('%i ms after the beginning is %s', (ms, text) => {
    expect(clockText(ms)).toBe(text);
  });

  it('is a time of day in the address, which stays right when the beginning is no longer kept', () => {
    const text = momentText(90_123, startedAtMs);
    expect(text).toBe('2026-11-29T21:01:30.123Z');
    expect(momentMs(text, startedAtMs)).toBe(90_123);
    expect(momentMs(text, startedAtMs + 60_000)).toBe(30_123);
  });

  it('is in seconds if the recording has no time of day', () => {
    expect(momentText(90_123.4, undefined)).toBe('90.123');
    expect(momentMs('90.123', undefined)).toBe(90_123);
    expect(momentMs('90.5', startedAtMs)).toBe(90_500);
    expect(momentMs('2026-11-29T21:01:30.123Z', undefined)).toBeNull();
    expect(momentMs('soon', startedAtMs)).toBeNull();
  });

  it('is that of the last marker at or before it', () => {
    const all = [10, 20, 20, 30].map((atMs) => ({ atMs }));
    expect([0, 10, 19, 20, 29, 99].map((atMs) => indexAt(all, atMs))).toEqual([-1, 0, 0, 2, 2, 3]);
    expect(indexAt([], 5)).toBe(-1);
  });

  it('has a tick, and those that would touch have one together', () => {
    expect(ticksOf([0, 50, 100], 100)).toEqual([0, 0.5, 1]);
    expect(ticksOf([1, 1.1, 500], 1_000_000)).toEqual([0]);
    expect(
      ticksOf(
        Array.from({ length: 5_000 }, (_, at) => at),
        5_000,
      ),
    ).toHaveLength(201);
    expect(ticksOf([0, 1], 0)).toEqual([]);
  });
});
