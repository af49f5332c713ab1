import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SessionLimits } from '#model';
import { fakeSession } from '../../../test/support/session/fake-session.ts';
import { CpuBudget, LimitWatch } from './limit-watch.ts';

const mib = 1024 * 1024;

/** A session on two processors whose resource use the test sets. */
function limited(limits: SessionLimits) {
  const fake = fakeSession();
  const { session, clock } = fake;
  const watch = new LimitWatch(session, limits, {
    clock,
    processors: 2,
    onFault: (error) => fake.faults.push(error),
  });
  /** Advances time in small steps, because each check is a promise. */
  const pass = async (ms: number, each: (stepMs: number) => void = () => {}) => {
    for (let passed = 0; passed < ms; passed += stepMs) {
      each(stepMs);
      clock.advance(stepMs);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { ...fake, watch, pass };
}

const stepMs = 5;

describe('a memory limit', () => {
  it('kills a session above it, and reports the measured size', async () => {
    const { session, pty, pass } = limited({ memoryBytes: 100 * mib });
    await pass(3000);
    pty.takes = { ...pty.takes, residentBytes: 100 * mib };
    await pass(3000);
    expect(session.info().state).toBe('running');
    pty.takes = { ...pty.takes, residentBytes: 101 * mib };
    await pass(1000);
    expect(session.info()).toMatchObject({
      state: 'exited',
      endedBy: { reason: 'memory', limit: 100 * mib, measured: 101 * mib },
    });
  });

  it('does not count shared memory twice', async () => {
    const { session, pty, pass } = limited({ memoryBytes: 100 * mib });
    pty.takes = { ...pty.takes, residentBytes: 500 * mib };
    pty.takesOwnBytes = 90 * mib;
    await pass(3000);
    expect(session.info().state).toBe('running');
    pty.takesOwnBytes = 120 * mib;
    await pass(1000);
    expect(session.info().endedBy).toMatchObject({ measured: 120 * mib });
  });
});

describe('a CPU limit', () => {
  it('suspends a program above it, and does not end it', async () => {
    const { session, pty, pass } = limited({ cpuPercent: 25 });
    let heldMs = 0;
    let ranMs = 0;
    await pass(20_000, (ms) => {
      if (pty.isHeld) heldMs += ms;
      else ranMs += ms;
      // Two busy loops.
      if (!pty.isHeld) pty.takes = { ...pty.takes, cpuMs: pty.takes.cpuMs + 2 * ms };
    });
    expect(session.info().state).toBe('running');
    // 25 % of two processors is half of one.
    expect(ranMs / (ranMs + heldMs)).toBeGreaterThan(0.2);
    expect(ranMs / (ranMs + heldMs)).toBeLessThan(0.32);
  });

  it('does not affect a program below it', async () => {
    const { pty, pass } = limited({ cpuPercent: 50 });
    let isHeld = false;
    await pass(10_000, (ms) => {
      isHeld ||= pty.isHeld;
      pty.takes = { ...pty.takes, cpuMs: pty.takes.cpuMs + 0.9 * ms };
    });
    expect(isHeld).toBe(false);
  });
});

describe('LimitWatch', () => {
  it('ends when the program and its descendants have ended', async () => {
    const { pty, pass, clock } = limited({ memoryBytes: mib, cpuPercent: 10 });
    pty.announceExit({ code: 0, signal: null });
    await pass(2000);
    expect(clock.pending).toBe(1);
    pty.takes = { count: 0, residentBytes: 0, cpuMs: 0 };
    await pass(1000);
    expect(clock.pending).toBe(0);
  });

  it('leaves no timer when disposed', async () => {
    const { watch, pass, clock } = limited({ memoryBytes: mib });
    await pass(1000);
    watch.dispose();
    await pass(10);
    expect(clock.pending).toBe(0);
  });

  it('reports a failure and continues', async () => {
    const { session, pty, pass, faults } = limited({ memoryBytes: mib });
    const { usage } = pty;
    pty.usage = async () => {
      throw new Error('no list');
    };
    await pass(100);
    expect(faults).toEqual([new Error('no list')]);
    pty.usage = usage;
    pty.takes = { ...pty.takes, residentBytes: 2 * mib };
    await pass(1000);
    expect(session.info().endedBy).toMatchObject({ reason: 'memory' });
  });
});

/**
 * Returns the CPU time in ms of a throttled program that always uses as many processors as it can
 * get.
 */
function run(percent: number, processors: number, demand: number, forMs: number): number {
  const budget = new CpuBudget(percent, processors, 0, 0);
  let nowMs = 0;
  let takenMs = 0;
  while (nowMs < forMs) {
    const { runMs } = budget;
    nowMs += runMs;
    takenMs += runMs * Math.min(demand, processors);
    budget.update(nowMs, takenMs);
    nowMs += budget.pauseMs;
  }
  return takenMs / nowMs;
}

describe('CpuBudget', () => {
  it('limits high use to its share, and does not affect low use', () => {
    const processors = fc.integer({ min: 1, max: 64 });
    const percent = fc.integer({ min: 5, max: 100 });
    const property = fc.property(percent, processors, processors, (share, machine, demand) => {
      const allowed = (machine * share) / 100;
      const taken = run(share, machine, demand, 600_000);
      expect(taken).toBeLessThan(allowed * 1.05);
      expect(taken).toBeGreaterThan(Math.min(demand, allowed, machine) * 0.9);
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
