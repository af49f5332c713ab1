import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeCount, decodeFrame, frameKinds } from '#messages/page';
import { VirtualClock } from '../../../../test/support/virtual-clock.ts';
import { VirtualLine } from '../../../../test/support/web/virtual-line.ts';
import { Sending } from './sending.ts';

/** This may be under way on the slowest line, with what frames and pings add. */
const leastBytes = 1024 + 300;
const tileMs = 20;

/** Lets promises settle. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Sends tiles as fast as the line takes them, until it has ended. */
async function flood(sending: Sending, channel: number, bytes: number, isEnded: () => boolean) {
  while (!isEnded()) {
    await sending.turn('tile');
    await sending.inParts(frameKinds.message, channel, new Uint8Array(bytes), 'tile', isEnded);
  }
}

describe('Sending', () => {
  it('[S3.32] an answer waits behind tiles for no longer than about 20 ms, on any line', async () => {
    const lines = fc.record({
      bytesPerMs: fc.integer({ min: 60, max: 1500 }),
      delayMs: fc.integer({ min: 0, max: 120 }),
      tileBytes: fc.array(fc.integer({ min: 50, max: 20_000 }), { minLength: 1, maxLength: 4 }),
      busyMs: fc.constantFrom(0, 12, 40),
    });
    type Given = { bytesPerMs: number; delayMs: number; tileBytes: number[]; busyMs: number };
    const law = async ({ bytesPerMs, delayMs, tileBytes, busyMs }: Given) => {
      const clock = new VirtualClock();
      const line = new VirtualLine(clock, { bytesPerMs, delayMs, busyMs });
      const sending = new Sending(line, clock);
      line.onEcho = (total) => sending.echoed(total);
      let isEnded = false;
      tileBytes.forEach((bytes, at) => void flood(sending, at + 1, bytes, () => isEnded));
      const waits: number[] = [];
      for (let ms = 0; ms < 1500; ms++) {
        await settled();
        if (ms % 50 === 25) {
          const sentMs = clock.nowMs();
          line.onText = () => waits.push(clock.nowMs() - sentMs - delayMs);
          sending.text('an answer');
        }
        clock.advance(1);
      }
      isEnded = true;
      sending.end();
      const tolerated = Math.max(tileMs, leastBytes / bytesPerMs) * 1.5 + 7 + busyMs;
      expect(waits.length).toBeGreaterThan(20);
      expect(Math.max(...waits)).toBeLessThanOrEqual(tolerated);
      // And the line is used.
      if (delayMs < 20 && busyMs === 0)
        expect(line.arrivedBytes).toBeGreaterThan(0.5 * 1500 * bytesPerMs);
    };
    await fc.assert(fc.asyncProperty(lines, law), { numRuns: 15 });
  });

  it('[S3.32] all channels of tiles get their turn', async () => {
    const clock = new VirtualClock();
    const line = new VirtualLine(clock, { bytesPerMs: 125, delayMs: 5 });
    const sending = new Sending(line, clock);
    line.onEcho = (total) => sending.echoed(total);
    let isEnded = false;
    for (const channel of [1, 2, 3]) void flood(sending, channel, 700, () => isEnded);
    for (let ms = 0; ms < 500; ms++) {
      await settled();
      clock.advance(1);
    }
    isEnded = true;
    sending.end();
    const counts = [1, 2, 3].map((channel) => line.messagesOf(channel));
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
    expect(Math.min(...counts)).toBeGreaterThan(10);
  });

  it('notes a bounded number of pings for a page that echoes none, and goes on when it does', () => {
    const pings: number[] = [];
    const socket = {
      unsentBytes: 0,
      send: (message: string | Uint8Array) => {
        if (typeof message === 'string' || message[0] !== frameKinds.ping) return;
        pings.push(decodeCount(decodeFrame(message)));
      },
      onSent: () => {},
      pause: () => {},
      resume: () => {},
      close: () => {},
    };
    const sending = new Sending(socket, new VirtualClock());
    // As the ends of streams that are refused, which wait for nothing.
    const end = () => sending.frame(frameKinds.end, 1, new Uint8Array(300), 'stream');
    for (let count = 0; count < 10_000; count++) end();
    const before = pings.length;
    expect(before).toBeLessThanOrEqual(1024);
    sending.echoed(pings.at(-1) ?? 0);
    end();
    expect(pings.length).toBeGreaterThan(before);
  });
});
