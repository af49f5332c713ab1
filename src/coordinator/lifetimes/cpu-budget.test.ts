import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CpuBudget } from './cpu-budget.ts';

/**
 * Returns the CPU time in ms of a throttled program that always uses as many processors as it can
 * get.
 */
function run(percent: number, processors: number, wanted: number, forMs: number): number {
  const budget = new CpuBudget(percent, processors, 0, 0);
  let nowMs = 0;
  let takenMs = 0;
  while (nowMs < forMs) {
    const { runMs } = budget;
    nowMs += runMs;
    takenMs += runMs * Math.min(wanted, processors);
    budget.update(nowMs, takenMs);
    nowMs += budget.pauseMs;
  }
  return takenMs / nowMs;
}

describe('CpuBudget', () => {
  it('limits high use to its share, and does not affect low use', () => {
    const processors = fc.integer({ min: 1, max: 64 });
    const percent = fc.integer({ min: 5, max: 100 });
    const property = fc.property(percent, processors, processors, (share, machine, wanted) => {
      const allowed = (machine * share) / 100;
      const taken = run(share, machine, wanted, 600_000);
      expect(taken).toBeLessThan(allowed * 1.05);
      expect(taken).toBeGreaterThan(Math.min(wanted, allowed, machine) * 0.9);
    });
    fc.assert(property);
  });

  it('checks low use once a second, and high use more often', () => {
    const budget = new CpuBudget(50, 2, 0, 0);
    budget.update(1000, 100);
    expect(budget.runMs).toBe(1000);
    budget.update(2000, 2100);
    expect(budget.runMs).toBeLessThan(50);
  });

  it('ignores high use from before the first check', () => {
    const budget = new CpuBudget(10, 2, 0, 0);
    budget.update(60_000, 120_000);
    expect(budget.pauseMs).toBe(500);
  });

  it('accepts a decrease of the used time', () => {
    const budget = new CpuBudget(50, 2, 0, 5000);
    budget.update(1000, 0);
    expect(budget.pauseMs).toBe(0);
    budget.update(2000, 100);
    expect(budget.runMs).toBe(1000);
  });
});
