import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Disposable, toDisposable } from '#base';
import { flow } from '#model';
import { runs } from '../../../test/support/run/runs.ts';
import {
  EchoHold,
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
  return { all, turn, loop, scheduler };
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

describe('floods', () => {
  const { maxHoldMs, share } = flow.echoes;

  /** Time passes in steps of a quarter of a ms. @param each called with the time. Returns how long floods were held. */
  function heldMs(untilMs: number, each: (hold: EchoHold<string>, nowMs: number) => void) {
    const loop = new FakeLoop();
    const hold = new EchoHold<string>(loop, () => {});
    let ms = 0;
    for (; loop.timeMs < untilMs; loop.timeMs += 0.25) {
      loop.endTurn();
      each(hold, loop.timeMs);
      if (hold.isOn) ms += 0.25;
    }
    return ms;
  }

  it('wait from an input until its echo', () => {
    const ms = heldMs(100, (hold, nowMs) => {
      if (nowMs === 50) hold.typed('a');
      if (nowMs === 51) hold.shown('b');
      if (nowMs === 53) hold.shown('a');
    });
    expect(ms).toBe(3);
  });

  it('wait for the last of several echoes, and for a while if there is none', () => {
    const type = (hold: EchoHold<string>, nowMs: number) => {
      if (nowMs === 50) hold.typed('a');
      if (nowMs === 52) hold.typed('b');
    };
    const both = heldMs(100, (hold, nowMs) => {
      type(hold, nowMs);
      if (nowMs === 54) hold.shown('a');
      if (nowMs === 55) hold.shown('b');
    });
    expect([both, heldMs(100, type)]).toEqual([5, maxHoldMs]);
  });

  it('wait for a third of the time at most, however often somebody types', () => {
    const keys = fc.array(fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ max: 40 })));
    fc.assert(
      fc.property(keys, (pauses) => {
        let typeAt = 1;
        let echoAt = -1;
        let index = 0;
        const endMs = 2_000;
        const ms = heldMs(endMs, (hold, nowMs) => {
          if (nowMs === echoAt) hold.shown('a');
          if (nowMs !== typeAt) return;
          const [pause = 1, echo = -1] = pauses[index++ % Math.max(1, pauses.length)] ?? [];
          hold.typed('a');
          typeAt += pause / 4;
          if (echo >= 0) echoAt = nowMs + echo / 4;
        });
        expect(ms).toBeLessThanOrEqual(endMs * share + maxHoldMs + 1);
      }),
      runs(50),
    );
  });

  it('are not read until a terminal that was typed into has had output', () => {
    const { all, turn, scheduler } = floods([0.3, 0.3]);
    const reads = () => all.map((each) => each.reads).reduce((a, b) => a + b);
    const run = (turns: number) => {
      for (let count = 0; count < turns; count++) turn();
    };
    run(40);
    const quiet = new ScheduledReader(scheduler, () => {});
    quiet.typed();
    run(2);
    const before = reads();
    run(20);
    expect(reads()).toBe(before);
    quiet.take(false, () => {});
    run(20);
    expect(reads()).toBeGreaterThan(before + 4);
  });
});
