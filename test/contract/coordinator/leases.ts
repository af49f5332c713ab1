import { describe, expect, it } from 'vitest';
import type { CoordinatorFixture } from '../coordinator.ts';

export function leasesContract(fixture: CoordinatorFixture): void {
  describe('a lease', () => {
    it('ends its programs, and no others, when closed', async () => {
      const { coordinator, driver } = fixture;
      const lease = await coordinator.openLease();
      const other = await coordinator.openLease();
      expect(lease.id).not.toBe(other.id);
      const session = await driver.ready('sleep 1000 & echo ready; wait', { lease: lease.id });
      const ended = await driver.sh('exit 3', { lease: lease.id });
      await driver.exitOf(ended);
      const others = [
        await driver.spawn({ program: 'cat', lease: other.id }),
        await driver.spawn({ program: 'cat' }),
      ];
      await Promise.all([lease.close(), lease.close()]);
      expect(await coordinator.info(session)).toMatchObject({
        state: 'exited',
        endedBy: { reason: 'lease' },
      });
      expect(await coordinator.info(ended)).toMatchObject({
        exitStatus: { code: 3, signal: null },
      });
      expect(Object.keys(await coordinator.info(ended))).not.toContain('endedBy');
      expect(await driver.text(session)).toBe('ready');
      for (const each of others) expect((await coordinator.info(each)).state).toBe('running');
      await lease.close();
    });

    it('accepts no program after it is closed', async () => {
      const { coordinator, driver } = fixture;
      const lease = await coordinator.openLease();
      await lease.close();
      for (const id of [lease.id, 'none', '']) {
        const spawning = driver.spawn({ name: 'one', program: 'cat', lease: id });
        await expect(spawning).rejects.toMatchObject({ code: 'LEASE_CLOSED' });
      }
      expect(await coordinator.list()).toEqual([]);
    });

    it('that is closed during a spawn leaves nothing of the session', async () => {
      const { coordinator, driver } = fixture;
      const lease = await coordinator.openLease();
      const spawning = driver.spawn({ program: 'cat', lease: lease.id });
      const result = spawning.then(
        () => 'made',
        ({ code }) => code,
      );
      await lease.close();
      const outcome = await result;
      if (outcome !== 'made') expect(outcome).toBe('LEASE_CLOSED');
      const states = (await coordinator.list()).map(({ state }) => state);
      expect(states).toEqual(outcome === 'made' ? ['exited'] : []);
    });
  });
}
