import { describe, expect, it } from 'vitest';
import type { CoordinatorFixture } from '../coordinator.ts';

export function resizingContract(fixture: CoordinatorFixture): void {
  describe('resize', () => {
    it('is visible to the program, the screen and subscribers', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.ready(
        `stty -echo; trap 'stty size' WINCH; echo ready; while :; do read -r _; done`,
      );
      const subscription = await coordinator.subscribe(session);
      const size = { cols: 101, rows: 31 };
      await coordinator.resize(session, size);
      await driver.untilShown(session, /31 101/);
      expect((await coordinator.screen(session)).size).toEqual(size);
      expect((await coordinator.screen(session)).text).toHaveLength(31);
      expect((await coordinator.info(session)).size).toEqual(size);
      for await (const event of subscription) {
        if (event.type !== 'resize') continue;
        expect(event.size).toEqual(size);
        break;
      }
    });

    it('increases the revision, unless nothing changes', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.ready('echo ready; exec sleep 1000');
      const { revision, size } = await coordinator.screen(session);
      await coordinator.resize(session, size);
      expect((await coordinator.screen(session)).revision).toBe(revision);
      await coordinator.resize(session, { cols: 40, rows: 10 });
      expect((await coordinator.screen(session)).revision).toBe(revision + 1);
    });

    it('many at once end with the last one, for the program too', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.ready('stty -echo; echo ready; read -r _; stty size');
      const resizing = Array.from({ length: 100 }, (_, index) =>
        coordinator.resize(session, { cols: 20 + index, rows: 10 + (index % 7) }),
      );
      await Promise.all(resizing);
      await coordinator.sendText(session, '\r');
      await driver.exitOf(session);
      expect(await driver.text(session)).toMatch(/11 119$/);
      expect((await coordinator.info(session)).size).toEqual({ cols: 119, rows: 11 });
    });

    it.each([
      { cols: 1, rows: 1 },
      { cols: 1000, rows: 1000 },
    ])('accepts $cols x $rows', async (size) => {
      const { coordinator, driver } = fixture;
      const session = await driver.ready('stty -echo; echo ready; read -r _; stty size');
      await coordinator.resize(session, size);
      await coordinator.sendText(session, '\r');
      await driver.exitOf(session);
      expect((await coordinator.screen(session)).size).toEqual(size);
    });

    it.each([0, -1, -5, 70_000, 1001, 1.5, Number.NaN])(
      'to a side of %s is rejected',
      async (side) => {
        const { coordinator, driver } = fixture;
        await driver.spawn({ name: 'one', program: 'cat' });
        for (const size of [
          { cols: side, rows: 24 },
          { cols: 80, rows: side },
        ]) {
          await expect(coordinator.resize('one', size)).rejects.toMatchObject({
            code: 'INVALID_SIZE',
            message: expect.stringMatching(/^session one: (cols|rows) is .*1 to 1000/),
          });
        }
        expect((await coordinator.info('one')).size).toEqual({ cols: 80, rows: 24 });
      },
    );
  });
}
