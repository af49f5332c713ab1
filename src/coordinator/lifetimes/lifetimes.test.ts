import { describe, expect, it } from 'vitest';
import type { SessionLifetime } from '#model';
import { deferred } from '../../../test/support/deferred.ts';
import { fakeSession } from '../../../test/support/session/fake-session.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { IdleTimer, Lifetimes } from './lifetimes.ts';

const minuteMs = 60_000;

/** A session with a virtual clock. */
function living(lifetime: SessionLifetime) {
  const fake = fakeSession();
  const forgotten: string[] = [];
  const used: string[] = [];
  const lifetimes = new Lifetimes({
    clock: fake.clock,
    maxKeptExited: 2,
    forget: (session) => {
      forgotten.push(session.name);
      lifetimes.end(session);
    },
    onUse: (session) => used.push(session.name),
    onFault: (error) => fake.faults.push(error),
  });
  lifetimes.begin(fake.session, lifetime);
  return { ...fake, lifetimes, forgotten, used };
}

/** Lets pending promises of endings settle. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('Lifetimes', () => {
  it('ends and removes a session after its idle time', async () => {
    const { clock, session, forgotten } = living({ idleMs: 20 * minuteMs });
    clock.advance(20 * minuteMs - 1);
    expect(session.info().endedBy).toBeUndefined();
    clock.advance(1);
    await settled();
    expect(forgotten).toEqual(['fake']);
    expect(session.info()).toMatchObject({
      state: 'exited',
      endedBy: { reason: 'idle', limit: 20 * minuteMs },
    });
    expect(clock.pending).toBe(0);
  });

  it('ends and removes a session that nobody waits for or follows, whatever else uses it', async () => {
    const { clock, session, pty, lifetimes, forgotten } = living({ unattendedMs: 1000 });
    const wait = deferred<void>();
    const attended = lifetimes.attendedBy(session, wait.promise);
    clock.advance(60_000);
    await settled();
    expect(forgotten).toEqual([]);
    wait.resolve();
    await attended;
    clock.advance(900);
    pty.output('x');
    await lifetimes.during(session, async () => {});
    clock.advance(100);
    await settled();
    expect(forgotten).toEqual(['fake']);
    expect(session.info()).toMatchObject({ endedBy: { reason: 'lease' } });
    expect(clock.pending).toBe(0);
  });

  it('counts output and operations as use', async () => {
    const { clock, session, pty, lifetimes, forgotten } = living({ idleMs: 1000 });
    clock.advance(900);
    pty.output('x');
    clock.advance(900);
    await lifetimes.during(session, async () => {});
    clock.advance(900);
    await settled();
    expect(forgotten).toEqual([]);
    clock.advance(100);
    await settled();
    expect(forgotten).toEqual(['fake']);
  });

  it('counts an operation that fails as use until it fails', async () => {
    const { clock, session, lifetimes, forgotten } = living({ idleMs: 1000 });
    const operation = deferred<void>();
    const failing = lifetimes.during(session, async () => {
      await operation.promise;
      throw new Error('no');
    });
    clock.advance(10_000);
    operation.resolve();
    await expect(failing).rejects.toThrow('no');
    clock.advance(999);
    await settled();
    expect(forgotten).toEqual([]);
  });

  it('ends a program after its maximum run time', async () => {
    const { clock, session, forgotten } = living({ maxRunMs: 24 * 60 * minuteMs });
    clock.advance(24 * 60 * minuteMs);
    await settled();
    expect(session.info()).toMatchObject({ state: 'exited', endedBy: { reason: 'run_time' } });
    expect(forgotten).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it('does not set endedBy for a program that ended by itself', async () => {
    const { clock, session, pty } = living({ maxRunMs: 1000 });
    pty.announceExit({ code: 0, signal: null });
    clock.advance(2000);
    await settled();
    expect(session.info().endedBy).toBeUndefined();
  });

  it('keeps an exited session for its time', async () => {
    const { clock, pty, forgotten } = living({ keepExitedMs: 1000 });
    clock.advance(5000);
    pty.announceExit({ code: 0, signal: null });
    clock.advance(999);
    await settled();
    expect(forgotten).toEqual([]);
    clock.advance(1);
    await settled();
    expect(forgotten).toEqual(['fake']);
  });

  it('keeps a limited number of exited sessions and removes the first', async () => {
    const { lifetimes, pty, forgotten, clock } = living({ keepExitedMs: 1000 });
    pty.announceExit({ code: 0, signal: null });
    for (const name of ['second', 'third']) {
      const next = fakeSession({ name });
      lifetimes.begin(next.session, { keepExitedMs: 1000 });
      next.pty.announceExit({ code: 0, signal: null });
    }
    await settled();
    expect(forgotten).toEqual(['fake']);
    lifetimes.close();
    expect(clock.pending).toBe(0);
  });

  it('ignores sessions that last until they are removed', async () => {
    const { clock } = living({});
    expect(clock.pending).toBe(0);
    const { clock: another } = living({ idleMs: 0, maxRunMs: 0 });
    expect(another.pending).toBe(0);
  });
});

function timer(idleMs: number) {
  const clock = new VirtualClock();
  let notices = 0;
  const idle = new IdleTimer({ clock, idleMs, onIdle: () => notices++ });
  return { clock, idle, told: () => notices };
}

describe('IdleTimer', () => {
  it('calls onIdle once, after the idle time', () => {
    const { clock, told } = timer(100);
    clock.advance(99);
    expect(told()).toBe(0);
    clock.advance(1);
    expect(told()).toBe(1);
    clock.advance(1000);
    expect(told()).toBe(1);
    expect(clock.pending).toBe(0);
  });

  it('restarts at each touch', () => {
    const { clock, idle, told } = timer(100);
    for (let round = 0; round < 5; round++) {
      clock.advance(60);
      idle.touch();
    }
    clock.advance(99);
    expect(told()).toBe(0);
    clock.advance(1);
    expect(told()).toBe(1);
  });

  it('does not fire while it is in use, and restarts when the last use ends', () => {
    const { clock, idle, told } = timer(100);
    const users = [idle.use(), idle.use()];
    clock.advance(1050);
    users[0]?.dispose();
    users[0]?.dispose();
    clock.advance(1000);
    expect(told()).toBe(0);
    users[1]?.dispose();
    clock.advance(99);
    expect(told()).toBe(0);
    clock.advance(1);
    expect(told()).toBe(1);
  });

  it('does not count time in which the process was suspended', () => {
    const { clock, told } = timer(100);
    clock.advance(50);
    clock.stall(3_600_000);
    clock.settleIo();
    clock.advance(99);
    expect(told()).toBe(0);
    clock.advance(1);
    expect(told()).toBe(1);
  });

  it('counts use that was pending during a suspension', () => {
    const { clock, idle, told } = timer(100);
    clock.stall(600);
    idle.touch();
    clock.settleIo();
    expect(told()).toBe(0);
    clock.advance(100);
    expect(told()).toBe(1);
  });

  it('leaves no timer when disposed', () => {
    const { clock, idle, told } = timer(100);
    idle.dispose();
    clock.advance(1000);
    expect(told()).toBe(0);
    expect(clock.pending).toBe(0);
  });
});
