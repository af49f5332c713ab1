import { describe, expect, it } from 'vitest';
import { cpuMs, hasProc, isStopped, marked } from '../../support/pty/process-facts.ts';
import { provided } from '../../support/run/needs.ts';
import type { CoordinatorFixture } from '../coordinator.ts';

const mib = 1024 * 1024;
const patient = { interval: 2 };

export function limitsContract(fixture: CoordinatorFixture): void {
  describe('a limit', () => {
    it('[S4.09] of memory ends a program above it with its descendants', async () => {
      const { coordinator, driver } = fixture;
      // A child uses the memory: its reader does not read. The shell itself uses almost none.
      const script = `echo up; dd if=/dev/zero bs=${60 * mib} | sleep 1000 & wait`;
      const session = await driver.sh(script, { limits: { memoryBytes: 40 * mib } });
      expect(await driver.exitOf(session)).toEqual({ code: null, signal: 'SIGKILL' });
      const { endedBy } = await coordinator.info(session);
      expect(endedBy).toMatchObject({ reason: 'memory', limit: 40 * mib });
      expect(endedBy?.measured).toBeGreaterThan(40 * mib);
      expect(await driver.text(session)).toBe('up');
    });

    it('of memory does not affect a program below it', async () => {
      const { coordinator, driver } = fixture;
      const limits = { memoryBytes: 200 * mib };
      const session = await driver.ready('echo ready; exec cat', { limits });
      await coordinator.wait(session, { quietMs: 1500, timeoutMs: 10_000 });
      await coordinator.sendText(session, 'still here\r');
      await driver.untilShown(session, 'still here');
    });

    provided(hasProc, 'only on Linux: reads /proc')(
      '[S4.09] of the CPU suspends busy loops again and again, and does not end them',
      async () => {
        const { coordinator, driver } = fixture;
        const loops = '(while :; do :; done) & (while :; do :; done) &';
        const session = await driver.ready(`${loops} echo ready; wait`, {
          // Little, so that loops on a busy machine use more.
          limits: { cpuPercent: 1 },
        });
        const pids = marked(session.id);
        expect(pids).toHaveLength(3);
        // For how long is a matter of LimitWatch, and on a busy machine, of the load.
        const usedMs = () => pids.reduce((sum, pid) => sum + cpuMs(pid), 0);
        for (let times = 0; times < 3; times++) {
          await expect.poll(() => pids.every(isStopped), patient).toBe(true);
          await expect.poll(usedMs, patient).toBeGreaterThan(usedMs());
        }
        expect((await coordinator.info(session)).state).toBe('running');
        expect((await coordinator.end(session)).signal).toMatch(/^SIG(HUP|TERM)$/);
      },
    );
  });
}
