import { describe, expect, it } from 'vitest';
import { hasProc, marked } from '../../support/pty/process-facts.ts';
import { testProgram } from '../../support/pty/pty-request.ts';
import { provided } from '../../support/run/needs.ts';
import type { CoordinatorFixture } from '../coordinator.ts';

export function removingContract(fixture: CoordinatorFixture): void {
  describe('remove', () => {
    it('[S3.01] takes a session from running to exited to removed', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.ready('echo ready; read -r _; exit 4');
      expect((await coordinator.info(session)).state).toBe('running');
      await coordinator.sendText(session, '\r');
      await driver.exitOf(session);
      expect((await coordinator.info(session)).state).toBe('exited');
      expect(await coordinator.remove(session)).toEqual({ code: 4, signal: null });
      await expect(coordinator.info(session)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    });

    it('[S3.01, S4.14] sends TERM to a running program, and lets it end', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.spawn({ program: testProgram('clean-up-on-term.sh') });
      await driver.untilShown(session, 'ready');
      const waiting = coordinator.wait(session, { match: ['cleaned up'] });
      expect(await coordinator.remove(session)).toEqual({ code: 7, signal: null });
      expect((await waiting).outcome).toBe('matched');
    });

    it('[S3.01, S4.14] waits 5 s, then kills it', async () => {
      const { coordinator, driver } = fixture;
      // It prints each second after the request: at least three of five, on the slowest machine.
      const session = await driver.ready(
        `trap '' HUP; trap 'asked=yes' TERM; echo ready; until [ "$asked" ]; do sleep 0.1; done
         trap '' TERM; for i in 1 2 3 4 5 6 7 8 9; do echo second $i; sleep 1; done`,
      );
      const subscription = await coordinator.subscribe(session);
      expect(await coordinator.remove(session)).toEqual({ code: null, signal: 'SIGKILL' });
      let output = '';
      for await (const event of subscription) {
        if (event.type === 'output') output += Buffer.from(event.bytes).toString('latin1');
      }
      expect(output).toContain('second 3');
      expect(output).not.toContain('second 9');
    });

    it('kills at once with force', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.spawn({ program: testProgram('clean-up-on-term.sh') });
      await driver.untilShown(session, 'ready');
      const killed = { code: null, signal: 'SIGKILL' };
      expect(await coordinator.remove(session, { force: true })).toEqual(killed);
    });

    it('of several callers is done once, and returns to all', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.ready('echo ready; exec sleep 1000');
      const removing = [1, 2, 3].map(() => coordinator.remove(session));
      const [first, ...others] = await Promise.all(removing);
      expect(first?.signal).toMatch(/^SIG(HUP|TERM)$/);
      expect(others).toEqual([first, first]);
      await expect(coordinator.remove(session)).rejects.toMatchObject({
        code: 'SESSION_NOT_FOUND',
      });
    });

    it('ends waits and subscriptions with the exit', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.ready('echo ready; exec sleep 1000');
      const waits = [
        coordinator.wait(session, { match: ['never'] }),
        coordinator.wait(session, { quietMs: 60_000, timeoutMs: 60_000 }),
        coordinator.wait(session),
      ];
      const subscription = await coordinator.subscribe(session);
      const status = await coordinator.remove(session);
      for (const each of await Promise.all(waits)) {
        expect(each).toMatchObject({ outcome: 'exited', exitStatus: status });
      }
      const types = [];
      for await (const { type } of subscription) types.push(type);
      expect(types.at(-1)).toBe('exit');
    });

    const withProc = provided(hasProc, 'only on Linux: reads /proc');

    withProc('ends descendants, even in a session of their own', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.spawn({ program: testProgram('leave-setsid-child.sh') });
      await driver.untilShown(session, 'ready');
      expect(marked(session.id).length).toBeGreaterThan(1);
      await coordinator.remove(session, { force: true });
      expect(marked(session.id)).toEqual([]);
    });

    withProc('ends the remaining descendants of an exited program', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.spawn({ program: testProgram('leave-setsid-child.sh') });
      await driver.untilShown(session, 'ready');
      await coordinator.sendText(session, '\r');
      expect(await driver.exitOf(session)).toEqual({ code: 0, signal: null });
      expect(marked(session.id)).not.toEqual([]);
      const status = await coordinator.remove(session, { force: true });
      expect(status).toEqual({ code: 0, signal: null });
      expect(marked(session.id)).toEqual([]);
    });
  });
}
