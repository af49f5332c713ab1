import { describe, expect, it } from 'vitest';
import type { CoordinatorFixture } from '../coordinator.ts';

/** Longer than a busy machine delays a program, in ms. */
const quietMs = 700;

export function waitForIdleContract(fixture: CoordinatorFixture): void {
  describe('a wait for idle', () => {
    it('ends when the screen has not changed for the quiet time', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.ready('stty -echo; echo ready; read -r _; echo done; read -r _');
      const waiting = coordinator.wait(session, { quietMs });
      await coordinator.sendText(session, '\n');
      const { outcome, elapsedMs, exitStatus } = await waiting;
      expect([outcome, exitStatus]).toEqual(['idle', null]);
      expect(elapsedMs).toBeGreaterThanOrEqual(quietMs);
      expect(await driver.text(session)).toContain('done');
    });

    it('treats repainting the same content as idle', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.ready(
        `echo ready; while :; do printf '\\033[5;1H\\033[2Kclock'; sleep 0.02; done`,
      );
      await driver.untilShown(session, 'clock');
      const before = await coordinator.screen(session);
      expect((await coordinator.wait(session, { quietMs })).outcome).toBe('idle');
      const after = await coordinator.screen(session);
      expect(after.revision).toBeGreaterThan(before.revision);
      expect(after.text).toEqual(before.text);
    });

    it('never treats a flood of the same line as idle', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.spawn({ program: 'yes' });
      const waiting = coordinator.wait(session, { quietMs, timeoutMs: 3 * quietMs });
      expect((await waiting).outcome).toBe('timed_out');
    });

    it('ends with the exit, at once if the program has ended', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.ready('stty -echo; echo ready; read -r _; exit 3');
      const waiting = coordinator.wait(session, { quietMs: 60_000, timeoutMs: 60_000 });
      await coordinator.sendText(session, '\r');
      const exited = { outcome: 'exited', exitStatus: { code: 3, signal: null } };
      expect(await waiting).toMatchObject(exited);
      expect(await coordinator.wait(session, { quietMs })).toMatchObject(exited);
    });

    it('ends at its timeout if that is first', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.ready('echo ready; exec sleep 1000');
      const request = { quietMs: 60_000, timeoutMs: 100 };
      expect(await coordinator.wait(session, request)).toMatchObject({
        outcome: 'timed_out',
        timeoutMs: 100,
      });
    });

    it.each([0, -1])('with a quiet time of %s ends at once', async (none) => {
      const { coordinator, driver } = fixture;
      const session = await driver.ready('echo ready; exec sleep 1000');
      expect((await coordinator.wait(session, { quietMs: none })).outcome).toBe('idle');
    });
  });
}
