import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Disposable, toDisposable } from '#base';
import {
  type EventLoop,
  ReadScheduler,
  ScheduledReader,
  wholeReadBytes,
} from './read-scheduler.ts';

const sliceMs = 1;

/** An event loop whose time and turns the test controls. */
class FakeLoop implements EventLoop {
  timeMs = 0;
  #callbacks: (() => void)[] = [];
  #timers = new Set<{ readonly dueMs: number; readonly callback: () => void }>();

  nowMs(): number {
    return this.timeMs;
  }

  afterTurn(callback: () => void): void {
    this.#callbacks.push(callback);
  }

  after(delayMs: number, callback: () => void): Disposable {
    const timer = { dueMs: this.timeMs + delayMs, callback };
    this.#timers.add(timer);
    return toDisposable(() => this.#timers.delete(timer));
  }

  get timers(): number {
    return this.#timers.size;
  }

  endTurn(): void {
    for (const callback of this.#callbacks.splice(0)) callback();
    for (const timer of this.#timers) {
      if (timer.dueMs > this.timeMs) continue;
      this.#timers.delete(timer);
      timer.callback();
    }
  }
}

/**
 * Terminals with endless output, until the test silences them; `costsMs` is the time that a read
 * takes.
 */
function floods(costsMs: readonly number[]) {
  const loop = new FakeLoop();
  const scheduler = new ReadScheduler(loop);
  const all = costsMs.map((costMs) => {
    const flood = {
      silent: false,
      /** Whether each read fills its buffer. */
      full: true,
      reading: true,
      reads: 0,
      /** The size of the next read. */
      get readBytes() {
        return reader.readBytes;
      },
      readAll() {
        while (flood.reading && !flood.silent) flood.readOnce();
      },
      readOnce() {
        flood.reads++;
        flood.reading = reader.take(flood.full, () => {
          loop.timeMs += costMs;
        });
      },
    };
    const reader = new ScheduledReader(scheduler, () => {
      flood.reading = true;
    });
    return flood;
  });
  /** One turn of the event loop; returns its duration in ms. */
  const turn = () => {
    const beganMs = loop.timeMs;
    for (const flood of all) flood.readAll();
    loop.endTurn();
    return loop.timeMs - beganMs;
  };
  return { all, turn, loop };
}

const costs = fc.array(fc.double({ min: 0.01, max: 5, noNaN: true }), {
  minLength: 1,
  maxLength: 50,
});

describe('a time slice', () => {
  it('belongs to one terminal and ends with the read that fills it', () => {
    fc.assert(
      fc.property(costs, (costsMs) => {
        const { all, turn } = floods(costsMs);
        turn();
        for (let i = 0; i < 5; i++) {
          const before = all.map(({ reads }) => reads);
          expect(turn()).toBeLessThanOrEqual(sliceMs + Math.max(...costsMs) + 1e-9);
          const readers = all.filter(({ reads }, at) => reads > (before[at] ?? 0));
          expect(readers).toHaveLength(1);
        }
      }),
    );
  });

  it('is given to every terminal before any gets a second one', () => {
    fc.assert(
      fc.property(costs, (costsMs) => {
        const { all, turn } = floods(costsMs);
        turn();
        for (let round = 0; round < 3; round++) {
          const before = all.map(({ reads }) => reads);
          for (let i = 0; i < all.length; i++) turn();
          for (const [at, { reads }] of all.entries()) {
            expect(reads).toBeGreaterThan(before[at] ?? 0);
          }
        }
      }),
    );
  });

  it('is equally long for all flooding terminals', () => {
    const { all, turn } = floods([1 / 64, 1 / 64, 1 / 64, 1 / 64]);
    turn();
    const before = all.map(({ reads }) => reads);
    for (let i = 0; i < 40; i++) turn();
    const read = all.map(({ reads }, at) => reads - (before[at] ?? 0));
    expect(read).toEqual(Array(4).fill(10 * 64));
  });

  it('is renewed without a timer for a single terminal', () => {
    const { all, turn, loop } = floods([1 / 64]);
    for (let i = 1; i <= 5; i++) {
      turn();
      expect(all[0]?.reads).toBe(i * 64);
    }
    expect(loop.timers).toBe(0);
  });

  it('of a silent terminal ends after its time, and the terminal no longer floods', () => {
    const { all, turn, loop } = floods([1 / 64, 1 / 64, 1 / 64]);
    turn();
    const [first, second, third] = all;
    if (!first || !second || !third) throw new Error('there are three');
    first.silent = true;
    turn();
    const before = second.reads;
    for (let i = 0; i < 5; i++) {
      loop.timeMs += sliceMs / 2;
      turn();
    }
    expect(second.reads).toBeGreaterThan(before);
    // Its output is now read at once, also in the slices of others.
    for (let i = 0; i < 5; i++) {
      expect(first.reading).toBe(true);
      first.readOnce();
      turn();
    }
  });

  it('is not needed by a terminal whose output has been read completely, however long that took', () => {
    const { all, turn } = floods([1 / 64, 1 / 64, 5]);
    const third = all[2];
    if (!third) throw new Error('there are three');
    third.full = false;
    third.silent = true;
    for (let i = 0; i < 5; i++) {
      turn();
      third.readOnce();
      expect(third.reading).toBe(true);
    }
  });

  it.each([1, 2, 8])('has whole reads only for one terminal that floods, of %i', (count) => {
    const { all, turn } = floods(Array(count).fill(1 / 64));
    for (let i = 0; i < 2 * count; i++) {
      turn();
      const areWhole = all.map(({ readBytes }) => readBytes === wholeReadBytes);
      expect(areWhole).toEqual(Array(count).fill(count === 1));
    }
  });

  it('of a terminal with little output ends too', () => {
    const { all, turn, loop } = floods([1 / 64, 1 / 64]);
    turn();
    const [first, second] = all;
    if (!first || !second) throw new Error('there are two');
    const before = second.reads;
    first.silent = true;
    for (let i = 0; i < 5; i++) {
      if (first.reading) first.readOnce();
      loop.timeMs += sliceMs / 2;
      turn();
    }
    expect(second.reads).toBeGreaterThan(before);
  });
});
