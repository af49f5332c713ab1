import { describe, expect, it } from 'vitest';
import { lateCoordinator } from './late-coordinator.ts';
import { OwnCoordinator } from './own-coordinator.ts';

describe('a coordinator of which there is none', () => {
  const starts: string[] = [];
  const own = new OwnCoordinator('/nowhere/vtr.sock', async () => {
    starts.push('started');
    throw new Error('cannot be started');
  });
  const coordinator = lateCoordinator(own);

  it('is not started for what only a running one can answer', async () => {
    for (const call of [coordinator.end('x'), coordinator.list(), coordinator.read('x')]) {
      await expect(call).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    }
    expect(starts).toEqual([]);
  });

  it.each([
    ['a program', () => coordinator.spawn({ program: 'true' })],
    ['what an agent shows', () => coordinator.publish({ by: 'an agent' })],
    ['a lease', () => coordinator.openLease()],
  ])('is started for %s', async (_what, begin) => {
    starts.length = 0;
    await expect(begin()).rejects.toThrow('cannot be started');
    expect(starts).toEqual(['started']);
  });
});
