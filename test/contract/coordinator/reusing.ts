import { describe, expect, it } from 'vitest';
import type { CoordinatorFixture } from '../coordinator.ts';

export function reusingContract(fixture: CoordinatorFixture): void {
  describe('spawn with reuse', () => {
    const request = { name: 'web', program: 'sleep', args: ['1000'], reuse: true };

    it('makes one session of eight concurrent requests', async () => {
      const { coordinator, driver } = fixture;
      const sessions = await Promise.all(
        Array.from({ length: 8 }, () => driver.spawn({ ...request })),
      );
      expect(new Set(sessions.map(({ id }) => id)).size).toBe(1);
      expect(sessions.filter(({ reused }) => reused === undefined)).toHaveLength(1);
      expect(await coordinator.list()).toHaveLength(1);
    });

    it('returns the running session, also when its name is in PATH under another path', async () => {
      const { coordinator, driver } = fixture;
      const first = await driver.spawn({ ...request, labels: { a: '1' } });
      expect(first).not.toHaveProperty('reused');
      const again = { ...request, program: first.program, labels: { b: '2' } };
      expect(await coordinator.spawn(again)).toEqual({
        ...first,
        labels: { a: '1', b: '2' },
        reused: true,
      });
    });

    it('refuses another running program or other arguments', async () => {
      const { coordinator, driver } = fixture;
      await driver.spawn(request);
      for (const other of [{ args: ['999'] }, { program: 'cat', args: [] }]) {
        await expect(coordinator.spawn({ ...request, ...other })).rejects.toMatchObject({
          code: 'SESSION_ALREADY_EXISTS',
          message: expect.stringMatching(/session web exists and runs \S+sleep 1000, not /),
        });
      }
      expect(await coordinator.list()).toHaveLength(1);
    });

    it('replaces an exited session, once', async () => {
      const { coordinator, driver } = fixture;
      const old = await driver.spawn({ name: 'web', program: 'true' });
      await driver.exitOf(old);
      const sessions = await Promise.all([1, 2, 3].map(() => driver.spawn(request)));
      const ids = new Set(sessions.map(({ id }) => id));
      expect(ids.size).toBe(1);
      expect(ids).not.toContain(old.id);
      expect((await coordinator.list()).map(({ state }) => state)).toEqual(['running']);
      await expect(coordinator.info(old)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    });

    it('keeps the exited session if the program cannot be started', async () => {
      const { coordinator, driver } = fixture;
      const old = await driver.spawn({ name: 'web', program: 'true' });
      await driver.exitOf(old);
      const missing = { ...request, program: 'no-such-program' };
      await expect(coordinator.spawn(missing)).rejects.toMatchObject({ code: 'PROGRAM_NOT_FOUND' });
      const elsewhere = { ...request, cwd: '/no/such/directory' };
      await expect(coordinator.spawn(elsewhere)).rejects.toMatchObject({ code: 'CWD_NOT_FOUND' });
      expect(await coordinator.info(old)).toMatchObject({ name: 'web', state: 'exited' });
      expect((await driver.spawn(request)).state).toBe('running');
    });

    it('refuses a published session that runs', async () => {
      const { coordinator } = fixture;
      const publication = await coordinator.publish({ name: 'web', by: 'test', program: 'x' });
      await expect(coordinator.spawn(request)).rejects.toMatchObject({
        code: 'SESSION_ALREADY_EXISTS',
      });
      await publication.close();
    });

    it('needs a name, and refuses a lease', async () => {
      const { coordinator } = fixture;
      const lease = await coordinator.openLease();
      const { name: _name, ...unnamed } = request;
      for (const wrong of [unnamed, { ...request, lease: lease.id }]) {
        const refused = coordinator.spawn(wrong);
        await expect(refused).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
      }
      expect(await coordinator.list()).toEqual([]);
    });
  });
}
