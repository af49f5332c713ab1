import { describe, expect, it } from 'vitest';
import type { CoordinatorFixture } from '../coordinator.ts';

export function followingContract(fixture: CoordinatorFixture): void {
  describe('following the output', () => {
    it('returns all lines in order up to the exit, with its status', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.sh('seq 5000; printf end; exit 3');
      let text = '';
      for (let from = 0; ; ) {
        const part = await coordinator.follow(session, { from, timeoutMs: 50_000, reader: 'one' });
        expect(part.lostLines).toBe(0);
        text += part.text;
        from = part.nextLine;
        if (!part.ended) continue;
        expect(part.exitStatus).toEqual({ code: 3, signal: null });
        break;
      }
      const numbers = Array.from({ length: 5000 }, (_, index) => `${index + 1}\n`);
      expect(text).toBe(`${numbers.join('')}end`);
    });

    it('refuses invalid requests, and can be cancelled', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.sh('sleep 60');
      await expect(coordinator.follow(session, { from: -1 })).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
      });
      await expect(coordinator.follow(session, { timeoutMs: -1 })).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
      });
      await expect(coordinator.follow('nobody')).rejects.toMatchObject({
        code: 'SESSION_NOT_FOUND',
      });
      const cancel = new AbortController();
      const cancelled = coordinator.follow(session, { timeoutMs: 50_000, signal: cancel.signal });
      cancel.abort();
      await expect(cancelled).rejects.toMatchObject({ code: 'CANCELLED' });
    });
  });
}
