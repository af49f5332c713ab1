import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { LocalCoordinator } from './local-coordinator.ts';

const hourMs = 3_600_000;

/** The time of day is set: each call of `Date.now` returns a time that is days from that of the call before. */
function jumpingClock(): void {
  const real = Date.now;
  let jumps = 0;
  const days = [0, 3, -2, 400, -400];
  const jump = () => real() + (days[jumps++ % days.length] ?? 0) * 24 * hourMs;
  vi.spyOn(Date, 'now').mockImplementation(jump);
  onTestFinished(() => void vi.restoreAllMocks());
}

describe('a clock that jumps by days', () => {
  it('makes nothing idle, late, or over', async () => {
    jumpingClock();
    const coordinator = new LocalCoordinator();
    onTestFinished(() => coordinator.close());
    const lifetime = { idleMs: hourMs, maxRunMs: hourMs, keepExitedMs: hourMs };
    const session = await coordinator.spawn({ program: 'cat', lifetime });
    const mark = await coordinator.sendText(session, 'early\n').then(({ mark: text }) => text);
    const idle = await coordinator.wait(session, { quietMs: 300, timeoutMs: hourMs });
    expect(idle.outcome).toBe('idle');
    expect(idle.elapsedMs).toBeLessThan(hourMs);
    const timedOut = await coordinator.wait(session, { match: ['never'], timeoutMs: 200 });
    expect(timedOut.outcome).toBe('timed_out');
    expect(timedOut.elapsedMs).toBeGreaterThanOrEqual(200);
    expect(timedOut.elapsedMs).toBeLessThan(hourMs);
    expect((await coordinator.wait(session, { match: ['early'], since: mark })).outcome).toBe(
      'matched',
    );
    expect((await coordinator.info(session)).state).toBe('running');
    const exited = coordinator.wait(session, {});
    await coordinator.kill(session, 'KILL');
    expect((await exited).outcome).toBe('exited');
    // It is kept for an hour.
    expect((await coordinator.list()).map(({ name }) => name)).toEqual([session.name]);
  });
});
