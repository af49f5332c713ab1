import { describe, expect, it } from 'vitest';
import type { CoordinatorFixture } from '../coordinator.ts';
import { operations } from './names.ts';

export function closingContract(fixture: CoordinatorFixture): void {
  describe('after close', () => {
    const unavailable = {
      code: 'UNAVAILABLE',
      message: expect.stringMatching(/shutting down; start another/),
    };

    it.each(operations)('%s fails', async (_name, call) => {
      const { coordinator, driver } = fixture;
      await driver.spawn({ name: 'one', program: 'cat' });
      await coordinator.close();
      await expect(call(coordinator, 'one')).rejects.toMatchObject(unavailable);
    });

    it('spawn, list and openLease fail, and close succeeds again', async () => {
      const { coordinator } = fixture;
      await Promise.all([coordinator.close(), coordinator.close()]);
      await coordinator.close();
      await expect(coordinator.spawn({ program: 'true' })).rejects.toMatchObject(unavailable);
      await expect(coordinator.list()).rejects.toMatchObject(unavailable);
      await expect(coordinator.openLease()).rejects.toMatchObject(unavailable);
    });
  });
}
