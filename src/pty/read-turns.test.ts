import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReadTurns, type TurnLoop, TurnReader } from './read-turns.ts';

/** A loop whose time and turns a test makes. */
class FakeLoop implements TurnLoop {
  timeMs = 0;
  #callbacks: (() => void)[] = [];

  nowMs(): number {
    return this.timeMs;
  }

  afterTurn(callback: () => void): void {
    this.#callbacks.push(callback);
  }

  endTurn(): void {
    for (const callback of this.#callbacks.splice(0)) callback();
  }
}

/** Terminals that always have more to say; a read of each costs so many ms. */
function floods(costsMs: readonly number[]) {
  const loop = new FakeLoop();
  const turns = new ReadTurns(loop);
  const all = costsMs.map((costMs) => {
    const flood = {
      reading: true,
      reads: 0,
      readAll() {
        while (flood.reading) {
          flood.reads++;
          flood.reading = reader.take(() => {
            loop.timeMs += costMs;
          });
        }
      },
    };
    const reader = new TurnReader(turns, () => {
      flood.reading = true;
    });
    return flood;
  });
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
  it('takes 2 ms and one read of each at most, from the second on', () => {
    fc.assert(
      fc.property(costs, (costsMs) => {
        const { turn } = floods(costsMs);
        turn();
        const oneOfEach = costsMs.reduce((sum, each) => sum + each, 0);
        for (let i = 0; i < 5; i++) expect(turn()).toBeLessThanOrEqual(2 + oneOfEach + 1e-9);
      }),
    );
  });

  it('lets everybody read', () => {
    fc.assert(
      fc.property(costs, (costsMs) => {
        const { all, turn } = floods(costsMs);
        for (let i = 1; i <= 5; i++) {
          turn();
          for (const { reads } of all) expect(reads).toBeGreaterThanOrEqual(i);
        }
      }),
    );
  });

  it('is shared equally by those who flood', () => {
    const { all, turn } = floods([1 / 64, 1 / 64, 1 / 64, 1 / 64]);
    turn();
    const before = all.map(({ reads }) => reads);
    for (let i = 0; i < 10; i++) turn();
    const read = all.map(({ reads }, at) => reads - (before[at] ?? 0));
    expect(new Set(read).size).toBe(1);
    expect(read[0]).toBe(10 * 32);
  });

  it('is long again when the others have fallen silent', () => {
    const { all, turn } = floods([1 / 64, 1 / 64, 1 / 64, 1 / 64]);
    turn();
    turn();
    for (const flood of all.slice(1)) flood.readAll = () => {};
    turn();
    expect(turn()).toBeGreaterThan(1.9);
  });
});
