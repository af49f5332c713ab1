import { describe, expect, it } from 'vitest';
import { type Coordinator, type SessionRef, type SpawnRequest, VtrError } from '#model';
import type { CoordinatorFixture } from '../coordinator.ts';

/** Resolves when the session no longer exists. */
async function gone(coordinator: Coordinator, session: SessionRef): Promise<void> {
  const find = () =>
    coordinator.info(session).then(
      () => 'there',
      ({ code }) => code,
    );
  await expect.poll(find, { interval: 10 }).toBe('SESSION_NOT_FOUND');
}

const wrong: readonly [string, SpawnRequest][] = [
  ['a negative time', { lifetime: { idleMs: -1 } }],
  ['a time that is not a number', { lifetime: { maxRunMs: Number.NaN } }],
  ['a time without end', { lifetime: { keepExitedMs: Number.POSITIVE_INFINITY } }],
  ['half a byte', { limits: { memoryBytes: 0.5 } }],
  ['no memory', { limits: { memoryBytes: 0 } }],
  ['no processor', { limits: { cpuPercent: 0 } }],
  ['fewer lines than none', { scrollbackLines: -1 }],
  ['half a line', { scrollbackLines: 0.5 }],
  ['too many lines', { scrollbackLines: 1_000_001 }],
  ['no output', { rawBytes: 0 }],
  ['more output than memory', { rawBytes: 2 ** 31 }],
  ['more processors than there are', { limits: { cpuPercent: 101 } }],
];

export function lifetimesContract(fixture: CoordinatorFixture): void {
  describe('a lifetime', () => {
    it('is reported as requested', async () => {
      const lifetime = { idleMs: 20 * 60_000, keepExitedMs: 0.5, maxRunMs: 86_400_000 * 400 };
      const limits = { memoryBytes: 2 ** 40, cpuPercent: 12.5 };
      const session = await fixture.driver.spawn({ program: 'cat', lifetime, limits });
      expect(session).toMatchObject({ lifetime, limits });
      const plain = await fixture.driver.spawn({ program: 'cat' });
      expect(Object.keys(plain)).not.toContain('lifetime');
      expect(Object.keys(plain)).not.toContain('limits');
    });

    it.each(wrong)('is rejected with %s', async (_what, request) => {
      const spawning = fixture.driver.spawn({ name: 'one', program: 'cat', ...request });
      await expect(spawning).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
      await fixture.driver.spawn({ name: 'one', program: 'cat' });
    });

    /**
     * Spawns sessions with a longer and longer idle time until one is not removed before its use
     * begins, which depends on the machine.
     */
    const used = async <T>(use: (session: SessionRef, idleMs: number) => Promise<T>) => {
      for (let idleMs = 50; ; idleMs *= 3) {
        const session = await fixture.driver.spawn({ program: 'cat', lifetime: { idleMs } });
        try {
          return { session, result: await use(session, idleMs) };
        } catch (error) {
          expect(error).toMatchObject({ code: 'SESSION_NOT_FOUND' });
        }
      }
    };

    it('ends and removes an unused session', async () => {
      const { coordinator } = fixture;
      const subscribed = await used((session) => coordinator.subscribe(session));
      const unused = await used(async () => {});
      await gone(coordinator, unused.session);
      expect((await coordinator.info(subscribed.session)).state).toBe('running');
      subscribed.result.dispose();
      await gone(coordinator, subscribed.session);
    });

    it('does not end a session with a pending wait', async () => {
      const { coordinator } = fixture;
      const { session, result } = await used(async (ref, idleMs) => {
        const waited = await coordinator.wait(ref, { quietMs: 10 * idleMs, timeoutMs: 60_000 });
        // It was being removed before the wait began.
        if (waited.outcome !== 'exited') return waited;
        await gone(coordinator, ref);
        throw new VtrError('SESSION_NOT_FOUND', 'too late');
      });
      expect(result.outcome).toBe('idle');
      await gone(coordinator, session);
    });

    it('ends a program after its maximum run time, and keeps the session', async () => {
      const { coordinator, driver } = fixture;
      // On a slow machine, it needs more time to print.
      for (let maxRunMs = 300, text = ''; text === ''; maxRunMs *= 3) {
        const script = 'echo words; sleep 1000 & sleep 1000';
        const session = await driver.sh(script, { lifetime: { maxRunMs } });
        expect((await driver.exitOf(session))?.signal).toMatch(/^SIG(HUP|TERM)$/);
        const { endedBy, state } = await coordinator.info(session);
        expect({ endedBy, state }).toEqual({
          endedBy: { reason: 'run_time', limit: maxRunMs },
          state: 'exited',
        });
        text = await driver.text(session);
        expect(['', 'words']).toContain(text);
      }
    });

    it('removes a session some time after its exit', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.sh('exit 3', { lifetime: { keepExitedMs: 50 } });
      await gone(coordinator, session);
    });

    it('keeps a limited number of exited sessions and removes the oldest', async () => {
      const driver = await fixture.another({ maxKeptExited: 2 });
      const { coordinator } = driver;
      const lifetime = { keepExitedMs: 60_000 };
      await driver.exitOf(await driver.sh('exit', { name: 'untimed' }));
      for (const name of ['first', 'second', 'third']) {
        await driver.exitOf(await driver.sh('exit', { name, lifetime }));
      }
      await gone(coordinator, 'first');
      const names = (await coordinator.list()).map(({ name }) => name);
      expect(names).toEqual(['untimed', 'second', 'third']);
    });
  });

  describe('end', () => {
    it('ends the program and its descendants, and keeps the session', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.ready('sleep 1000 & echo ready; wait');
      const [first, second] = await Promise.all([
        coordinator.end(session),
        coordinator.end(session, { force: true }),
      ]);
      expect(first).toEqual(second);
      const info = await coordinator.info(session);
      expect(info).toMatchObject({ state: 'exited', exitStatus: first });
      expect(Object.keys(info)).not.toContain('endedBy');
      expect(await driver.text(session)).toBe('ready');
      expect(await coordinator.end(session)).toEqual(first);
      expect(await coordinator.remove(session)).toEqual(first);
    });

    it('ends remaining descendants after the exit', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.sh('trap "" HUP; sleep 1000 & exit 4');
      await driver.exitOf(session);
      expect(await coordinator.end(session)).toEqual({ code: 4, signal: null });
      // The contract checks after each test that no process is left.
      expect((await coordinator.info(session)).exitStatus).toEqual({ code: 4, signal: null });
    });
  });
}
