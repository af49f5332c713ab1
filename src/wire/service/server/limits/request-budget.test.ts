import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../../test/support/run/runs.ts';
import { type HeldBytes, ownBytes, RequestBudget } from './request-budget.ts';

const kilobyte = 1024;
const limits = {
  maxConnections: 100,
  requestBytes: 6400 * kilobyte,
  connectionRequestBytes: 1600 * kilobyte,
};

/** Takes what it can, in steps. @returns how much that is */
function takeAll(hold: HeldBytes, step: number): number {
  for (let bytes = 0; ; bytes += step) {
    try {
      hold.add(step);
    } catch {
      return bytes;
    }
  }
}

describe('RequestBudget', () => {
  it('bounds what each and all hold, and takes back what is given', () => {
    const step = fc.record({
      connection: fc.nat(7),
      action: fc.constantFrom('add', 'add', 'keep', 'release'),
      bytes: fc.nat(1_800_000),
    });
    const property = fc.property(fc.array(step), (steps) => {
      const budget = new RequestBudget(limits);
      const holds = Array.from({ length: 8 }, () => budget.connection().hold());
      const expected = holds.map(() => 0);
      for (const { connection, action, bytes } of steps) {
        const [hold, before] = [holds[connection], expected[connection] ?? 0];
        if (action === 'add') {
          try {
            hold?.add(bytes);
            expected[connection] = before + bytes;
          } catch (error) {
            expect(error).toMatchObject({ code: 'REQUEST_BACKLOG' });
          }
        } else {
          const size = action === 'keep' ? bytes : 0;
          hold?.keep(size);
          expected[connection] = Math.min(before, size);
        }
        expect(Math.max(...expected)).toBeLessThanOrEqual(limits.connectionRequestBytes);
        expect(expected.reduce((a, b) => a + b)).toBeLessThanOrEqual(limits.requestBytes);
      }
      for (const hold of holds) hold.release();
      const [all, first] = [limits.connectionRequestBytes, budget.connection().hold()];
      expect(takeAll(first, kilobyte)).toBe(all);
    });
    fc.assert(property, runs(200));
  });

  it('leaves a call of a few kilobytes to each connection, however many hold what they can', () => {
    const budget = new RequestBudget(limits);
    let sum = 0;
    for (let count = 0; count < limits.maxConnections; count++) {
      const took = takeAll(budget.connection().hold(), kilobyte);
      expect(took).toBeGreaterThanOrEqual(ownBytes);
      sum += took;
    }
    expect(sum).toBeGreaterThan(limits.requestBytes / 2);
    expect(sum).toBeLessThanOrEqual(limits.requestBytes);
  });
});
