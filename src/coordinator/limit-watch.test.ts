import { describe, expect, it } from 'vitest';
import type { SessionLimits } from '#model';
import { fakeSession } from '../../test/support/session/fake-session.ts';
import { LimitWatch } from './limit-watch.ts';

const mib = 1024 * 1024;

/** A session of two processors, whose program takes what a test says. */
function limited(limits: SessionLimits) {
  const fake = fakeSession();
  const { session, clock } = fake;
  const watch = new LimitWatch(session, limits, {
    ...{ clock, processors: 2 },
    onFault: (error) => fake.faults.push(error),
  });
  /** Lets time pass in small steps, since each look is a promise. */
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

describe('a limit of memory', () => {
  it('kills what takes more, and tells how much it was', async () => {
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

  it('does not count twice what processes share', async () => {
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

describe('a limit of the processors', () => {
  it('makes a program wait that takes too much, and leaves it running', async () => {
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
    // A quarter of two processors is half of one.
    expect(ranMs / (ranMs + heldMs)).toBeGreaterThan(0.2);
    expect(ranMs / (ranMs + heldMs)).toBeLessThan(0.32);
  });

  it('leaves a program alone that takes less', async () => {
    const { pty, pass } = limited({ cpuPercent: 50 });
    let held = false;
    await pass(10_000, (ms) => {
      held ||= pty.isHeld;
      pty.takes = { ...pty.takes, cpuMs: pty.takes.cpuMs + 0.9 * ms };
    });
    expect(held).toBe(false);
  });
});

describe('a watch of limits', () => {
  it('ends when the program and all that it started have', async () => {
    const { pty, pass, clock } = limited({ memoryBytes: mib, cpuPercent: 10 });
    pty.announceExit({ code: 0, signal: null });
    await pass(2000);
    expect(clock.pending).toBe(1);
    pty.takes = { count: 0, residentBytes: 0, cpuMs: 0 };
    await pass(1000);
    expect(clock.pending).toBe(0);
  });

  it('leaves nothing when it is disposed of', async () => {
    const { watch, pass, clock } = limited({ memoryBytes: mib });
    await pass(1000);
    watch.dispose();
    await pass(10);
    expect(clock.pending).toBe(0);
  });

  it('tells of what it cannot do, and looks again', async () => {
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
