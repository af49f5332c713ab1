import { describe, expect, it } from 'vitest';
import type { CoordinatorFixture } from '../coordinator.ts';

export function waitForExitContract(fixture: CoordinatorFixture): void {
  describe('a wait for the exit', () => {
    it('returns it to all waiters, and to later ones', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.ready('stty -echo; echo ready; read -r _; exit 9');
      const waiting = Array.from({ length: 100 }, () => coordinator.wait(session));
      await coordinator.sendText(session, '\r');
      const late = (await Promise.all(waiting)).concat(await coordinator.wait(session));
      for (const each of late) {
        expect(each).toMatchObject({ outcome: 'exited', exitStatus: { code: 9, signal: null } });
      }
    });

    it('ends after all output has been read', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.sh('seq 1 20000');
      await coordinator.wait(session);
      expect((await coordinator.readLines(session, { from: 19_999 })).lines).toEqual([
        { number: 19_999, text: '20000' },
      ]);
    });

    it('times out while the program runs', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.ready('echo ready; exec sleep 1000');
      expect(await coordinator.wait(session, { timeoutMs: 100 })).toMatchObject({
        outcome: 'timed_out',
        exitStatus: null,
        timeoutMs: 100,
      });
    });
  });
}
