import { describe, expect, it } from 'vitest';
import type { CoordinatorFixture } from '../coordinator.ts';

export function renamingContract(fixture: CoordinatorFixture): void {
  describe('rename', () => {
    it('changes the name, keeps the id and frees the old name', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.spawn({ name: 'old', program: 'cat' });
      const renamed = await coordinator.rename('old', 'new');
      expect(renamed).toEqual({ ...session, name: 'new' });
      expect(await coordinator.info('new')).toEqual(renamed);
      await expect(coordinator.info('old')).rejects.toMatchObject({
        code: 'SESSION_NOT_FOUND',
        message: expect.stringMatching(/"old" not found: it was renamed to new$/),
        details: { name: 'old', renamedTo: 'new' },
      });
      const second = await driver.spawn({ name: 'old', program: 'cat' });
      expect((await coordinator.list()).map(({ id }) => id)).toEqual([session.id, second.id]);
    });

    it('leaves a reference with the id valid', async () => {
      const { coordinator, driver } = fixture;
      const { id } = await driver.spawn({ name: 'old', program: 'cat' });
      await coordinator.rename({ name: 'old', id }, 'new');
      await driver.spawn({ name: 'old', program: 'cat' });
      expect(await coordinator.info({ name: 'old', id })).toMatchObject({ name: 'new', id });
      await coordinator.remove({ name: 'old', id });
      expect((await coordinator.list()).map(({ name }) => name)).toEqual(['old']);
    });

    it('does not end waits and subscriptions', async () => {
      const { coordinator, driver } = fixture;
      await driver.spawn({ name: 'old', program: 'cat' });
      const waiting = coordinator.wait('old', { match: ['hello'] });
      const events = await coordinator.subscribe('old');
      await coordinator.rename('old', 'new');
      await coordinator.sendText('new', 'hello\n');
      expect(await waiting).toMatchObject({ outcome: 'matched' });
      for await (const event of events) {
        if (event.type === 'output' && Buffer.from(event.bytes).includes('hello')) break;
      }
      events.dispose();
    });

    it('names the session as it is called in errors', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.spawn({ name: 'old', program: 'true' });
      await driver.exitOf(session);
      await coordinator.rename('old', 'new');
      await expect(coordinator.sendText(session, 'x')).rejects.toMatchObject({
        code: 'SESSION_NOT_RUNNING',
        message: expect.stringMatching(/^session new: /),
      });
    });

    it('to its own name changes nothing', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.spawn({ name: 'same', program: 'cat' });
      expect(await coordinator.rename('same', 'same')).toEqual(session);
    });

    it('refuses a name in use and an invalid one', async () => {
      const { coordinator, driver } = fixture;
      await driver.spawn({ name: 'one', program: 'cat' });
      await driver.spawn({ name: 'two', program: 'true' });
      await expect(coordinator.rename('one', 'two')).rejects.toMatchObject({
        code: 'SESSION_ALREADY_EXISTS',
        message: expect.stringMatching(/^session one: session two exists/),
      });
      for (const name of ['', 'a b', '..', 'x'.repeat(65)]) {
        const refused = coordinator.rename('one', name);
        await expect(refused).rejects.toMatchObject({ code: 'INVALID_NAME' });
      }
      expect((await coordinator.list()).map(({ name }) => name)).toEqual(['one', 'two']);
    });
  });
}
