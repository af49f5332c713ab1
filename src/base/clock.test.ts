import { describe, expect, it } from 'vitest';
import { durationText, exactDurationText, parseDurationMs } from './clock.ts';

describe('parseDurationMs', () => {
  it.each([
    ['500ms', 500],
    ['5s', 5000],
    ['2m', 120_000],
    ['1.5s', 1500],
    ['1h30m', 5_400_000],
    ['0s', 0],
    ['1d', 86_400_000],
  ])('parses %s', (text, ms) => {
    expect(parseDurationMs(text)).toBe(ms);
  });

  it.each(['', '5', 's', '-1s', '5 s', '5x', '1e3s', '5s3', 'five seconds', '.5s'])(
    'rejects %j',
    (text) => {
      expect(parseDurationMs(text)).toBeNull();
    },
  );
});

describe('exactDurationText', () => {
  it.each(['0ms', '1ms', '5s', '1h30m', '20m', '3d4h5m6s7ms'])(
    'writes %s so that it parses to the same',
    (text) => {
      expect(exactDurationText(parseDurationMs(text) ?? -1)).toBe(text);
    },
  );
});

describe('durationText', () => {
  it.each([
    [0, '0ms'],
    [999, '999ms'],
    [1000, '1s'],
    [59_999, '59s'],
    [60_000, '1m'],
    [7_200_000, '2h'],
    [200_000_000, '2d'],
    [-5, '0ms'],
  ])('writes %d ms as %s', (ms, text) => {
    expect(durationText(ms)).toBe(text);
  });
});
