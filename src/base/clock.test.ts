import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { durationText, exactDurationText, machineMs, parseDurationMs } from './clock.ts';

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

describe('the clock of the machine', () => {
  it('is that of hrtime', () => {
    const before = Number(process.hrtime.bigint()) / 1e6;
    const ms = machineMs();
    expect(ms).toBeGreaterThanOrEqual(before - 0.001);
    expect(ms).toBeLessThanOrEqual(Number(process.hrtime.bigint()) / 1e6 + 0.001);
  });

  it('is the same for two processes of Deno, in each of which hrtime begins with 0', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 });
    onTestFinished(() => {
      vi.useRealTimers();
      vi.unstubAllGlobals();
      vi.resetModules();
    });
    let hrtimes: [number, number] = [0, 5e6];
    vi.stubGlobal('process', { hrtime: () => hrtimes, versions: { deno: '2.9.6' } });
    const processOfDeno = async () => {
      vi.resetModules();
      return (await import('./clock.ts')).machineMs;
    };
    const first = await processOfDeno();
    expect(first()).toBe(1_000_000);
    vi.setSystemTime(1_007_000);
    const second = await processOfDeno();
    expect(second()).toBe(1_007_000);
    hrtimes = [7, 5e6];
    expect(first()).toBe(1_007_000);
  });
});
