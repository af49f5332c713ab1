import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { absoluteTimeRef, parseTimeRef } from './time-ref.ts';

const nowMs = new Date(2026, 10, 23, 10, 32, 5, 250).getTime();

describe('a time in the past', () => {
  it.each([
    ['10:32:05.250', nowMs],
    ['10:32', new Date(2026, 10, 23, 10, 32).getTime()],
    ['10:32:06', new Date(2026, 10, 22, 10, 32, 6).getTime()],
    ['23:59', new Date(2026, 10, 22, 23, 59).getTime()],
    ['2026-11-20T10:32:05', new Date(2026, 10, 20, 10, 32, 5).getTime()],
    ['2026-11-20 10:32', new Date(2026, 10, 20, 10, 32).getTime()],
    ['2026-11-20T10:32:05.5Z', Date.UTC(2026, 10, 20, 10, 32, 5, 500)],
    ['2026-11-20T10:32:05+02:00', Date.UTC(2026, 10, 20, 8, 32, 5)],
    ['-30s', nowMs - 30_000],
    ['-1m30s', nowMs - 90_000],
    ['-0s', nowMs],
  ])('%s', (text, atMs) => {
    expect(parseTimeRef(text, nowMs)).toEqual({ type: 'time', atMs });
    expect(parseTimeRef(absoluteTimeRef(text, nowMs), nowMs + 5)).toEqual({ type: 'time', atMs });
  });

  it('is that of a marker or a command', () => {
    expect(parseTimeRef('marker:a b:c', nowMs)).toEqual({ type: 'marker', label: 'a b:c' });
    expect(parseTimeRef('command:7', nowMs)).toEqual({ type: 'command', command: 7 });
    expect(parseTimeRef('command:last', nowMs)).toEqual({ type: 'command', command: 'last' });
    expect(absoluteTimeRef('command:7', nowMs)).toBe('command:7');
  });

  it.each([
    ['', /is not a time; use 10:32:05, .* or command:7/],
    ['30s', /use -30s for 30s ago/],
    ['25:00', /is not a time of day/],
    ['10:60', /is not a time of day/],
    ['2026-13-40T10:00Z', /is not a date with a time/],
    ['2026-11-24T10:32:05', /is in the future; it is 2026-/],
    ['marker:', /has no name/],
    ['command:', /has no number/],
    ['command:0', /has no number/],
    ['2026-11-23', /is not a time/],
  ])('%j is an error', (text, message) => {
    expect(() => parseTimeRef(text, nowMs)).toThrow(message);
  });

  it('is an error or a time, whatever is typed', () => {
    const typed = fc.stringMatching(/^[-0-9:.TZmarkecod ]{0,14}$/);
    const property = fc.property(typed, (text) => {
      try {
        const parsed = parseTimeRef(text, nowMs);
        if (parsed.type === 'time') expect(parsed.atMs).toBeLessThanOrEqual(nowMs);
      } catch (error) {
        expect(error).toMatchObject({ code: 'INVALID_ARGUMENT' });
      }
    });
    fc.assert(property, { numRuns: 300 });
  });
});
