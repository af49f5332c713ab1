import { describe, expect, it } from 'vitest';
import { SendingPace } from './sending-pace.ts';

/**
 * Sends over a line for some seconds, and returns what it carried.
 *
 * @param line its rate in bytes per ms, and its delay there and back, in ms
 */
function send(
  pace: SendingPace,
  line: { readonly rate: number; readonly delayMs: number },
  seconds: number,
) {
  let [nowMs, freeMs, bytes, waitMs] = [0, 0, 0, 0];
  const answers: { readonly atMs: number; readonly call: (nowMs: number) => void }[] = [];
  while (nowMs < seconds * 1_000) {
    while (pace.room >= pace.partBytes) {
      const part = pace.partBytes;
      freeMs = Math.max(freeMs, nowMs) + part / line.rate;
      // What is typed now comes after all that waits.
      waitMs = Math.max(waitMs, freeMs - nowMs);
      answers.push({ atMs: freeMs + line.delayMs, call: pace.send(part, nowMs) });
      bytes += part;
    }
    const next = answers.shift();
    if (next === undefined) throw new Error('nothing is under way');
    nowMs = next.atMs;
    next.call(nowMs);
  }
  return { share: bytes / (line.rate * seconds * 1_000), waitMs };
}

describe('the parts of a file that are under way', () => {
  it.each([
    // 1 Mbit/s and 100 Mbit/s near by, 10 Mbit/s and 50 Mbit/s far away.
    { rate: 125, delayMs: 10, share: 0.9, waitMs: 600 },
    { rate: 12_500, delayMs: 1, share: 0.9, waitMs: 200 },
    { rate: 1_250, delayMs: 60, share: 0.75, waitMs: 400 },
    { rate: 6_250, delayMs: 100, share: 0.75, waitMs: 200 },
  ])(
    'use a line of $rate bytes per ms and $delayMs ms, and keys wait for $waitMs ms at most',
    (line) => {
      const { share, waitMs } = send(new SendingPace(), line, 20);
      expect(share).toBeGreaterThan(line.share);
      expect(waitMs).toBeLessThan(line.waitMs);
    },
  );

  it('are few and small on the slowest line, and never none', () => {
    const pace = new SendingPace();
    const { waitMs } = send(pace, { rate: 5, delayMs: 500 }, 120);
    expect(pace.partBytes).toBeGreaterThan(1_000);
    // 40 kbit/s: the first parts, before anything is known.
    expect(waitMs).toBeLessThan(7_000);
  });

  it('are at most 1 MiB, in parts that a call takes', () => {
    const pace = new SendingPace();
    for (let nowMs = 0; nowMs < 100; nowMs++) pace.send(pace.partBytes, nowMs)(nowMs);
    expect(pace.room).toBe(1024 * 1024);
    expect(pace.partBytes).toBeLessThan(1024 * 1024);
  });
});
