import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Disposable, toDisposable } from '#base';
import { ReadTurns, type TurnLoop, TurnReader } from './read-scheduler.ts';

const turnMs = 1;

/** A loop whose time and turns a test makes. */
class FakeLoop implements TurnLoop {
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

/** Terminals that always have more to say, until they are told to be silent; a read costs so many ms. */
function floods(costsMs: readonly number[]) {
  const loop = new FakeLoop();
  const turns = new ReadTurns(loop);
  const all = costsMs.map((costMs) => {
    const flood = {
      silent: false,
      /** Each read fills the room that there is for it. */
      full: true,
      reading: true,
      reads: 0,
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
    const reader = new TurnReader(turns, () => {
      flood.reading = true;
    });
    return flood;
  });
  /** Once around the event loop; returns what it took. */
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

describe('a turn', () => {
  it('is that of one of them, and ends with the read that fills it', () => {
    fc.assert(
      fc.property(costs, (costsMs) => {
        const { all, turn } = floods(costsMs);
        turn();
        for (let i = 0; i < 5; i++) {
          const before = all.map(({ reads }) => reads);
          expect(turn()).toBeLessThanOrEqual(turnMs + Math.max(...costsMs) + 1e-9);
          const whoRead = all.filter(({ reads }, at) => reads > (before[at] ?? 0));
          expect(whoRead).toHaveLength(1);
        }
      }),
    );
  });

  it('comes to everybody before it comes to anybody again', () => {
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

  it('is shared equally by those who flood', () => {
    const { all, turn } = floods([1 / 64, 1 / 64, 1 / 64, 1 / 64]);
    turn();
    const before = all.map(({ reads }) => reads);
    for (let i = 0; i < 40; i++) turn();
    const read = all.map(({ reads }, at) => reads - (before[at] ?? 0));
    expect(read).toEqual(Array(4).fill(10 * 64));
  });

  it('goes on by itself for one that is alone', () => {
    const { all, turn, loop } = floods([1 / 64]);
    for (let i = 1; i <= 5; i++) {
      turn();
      expect(all[0]?.reads).toBe(i * 64);
    }
    expect(loop.timers).toBe(0);
  });

  it('of one that has fallen silent ends when its time is up, and it floods no more', () => {
    const { all, turn, loop } = floods([1 / 64, 1 / 64, 1 / 64]);
    turn();
    const [first, second, third] = all;
    if (!first || !second || !third) throw new Error('there are three');
    first.silent = true;
    turn();
    const before = second.reads;
    for (let i = 0; i < 5; i++) {
      loop.timeMs += turnMs / 2;
      turn();
    }
    expect(second.reads).toBeGreaterThan(before);
    // What it says now is read at once, in whoever's turn.
    for (let i = 0; i < 5; i++) {
      expect(first.reading).toBe(true);
      first.readOnce();
      turn();
    }
  });

  it('is not waited for by one that has said all it had, however long that took', () => {
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

  it('of one that says little ends too', () => {
    const { all, turn, loop } = floods([1 / 64, 1 / 64]);
    turn();
    const [first, second] = all;
    if (!first || !second) throw new Error('there are two');
    const before = second.reads;
    first.silent = true;
    for (let i = 0; i < 5; i++) {
      if (first.reading) first.readOnce();
      loop.timeMs += turnMs / 2;
      turn();
    }
    expect(second.reads).toBeGreaterThan(before);
  });
});
