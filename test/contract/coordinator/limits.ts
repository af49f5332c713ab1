import { availableParallelism } from 'node:os';
import { describe, expect, it } from 'vitest';
import { cpuMs, hasProc, marked } from '../../support/pty/process-facts.ts';
import { provided } from '../../support/run/needs.ts';
import type { CoordinatorFixture } from '../coordinator.ts';

const mib = 1024 * 1024;

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
      '[S4.09] of the CPU throttles busy loops, and does not end them',
      async () => {
        const { coordinator, driver } = fixture;
        const loops = '(while :; do :; done) & (while :; do :; done) &';
        const script = `${loops} echo ready; sleep 4; echo four seconds; wait`;
        const session = await driver.sh(script, { limits: { cpuPercent: 10 } });
        const startedMs = performance.now();
        await driver.untilShown(session, 'four seconds');
        const passedMs = (performance.now() - startedMs) * availableParallelism();
        const takenMs = marked(session.id).reduce((sum, pid) => sum + cpuMs(pid), 0);
        expect(takenMs).toBeGreaterThan(0);
        // Includes the second that may be saved, and one until the first check.
        expect(takenMs).toBeLessThan(passedMs * 0.1 + 2 * 1500);
        expect((await coordinator.info(session)).state).toBe('running');
        expect((await coordinator.end(session)).signal).toMatch(/^SIG(HUP|TERM)$/);
      },
    );
  });
}
