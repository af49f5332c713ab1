import { describe, expect, it } from 'vitest';
import { type Coordinator, VtrError } from '#model';
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

describe('a coordinator that was killed', () => {
  /** One that is gone, in such a way, and then one that answers. */
  function killed(reason: string) {
    const gone = async () => {
      throw new VtrError('UNAVAILABLE', reason);
    };
    const calls: string[] = [];
    const there = { openLease: async () => ({ id: 'new' }), info: gone };
    let current = { openLease: gone, info: gone };
    const coordinator = lateCoordinator({
      reach: async () => current as unknown as Coordinator,
      lost: () => {
        calls.push('lost');
        current = there as unknown as typeof current;
      },
    });
    return { calls, coordinator };
  }

  it('is replaced by the call that finds it out', async () => {
    const { calls, coordinator } = killed('connect ECONNREFUSED /run/vtr.sock');
    expect((await coordinator.openLease()).id).toBe('new');
    expect(calls).toEqual(['lost']);
  });

  it('is asked nothing twice that it may have heard', async () => {
    const { coordinator } = killed('the stream was closed');
    await expect(coordinator.openLease()).rejects.toThrow('closed');
  });

  it('is not replaced for what only it could answer', async () => {
    const { calls, coordinator } = killed('connect ECONNREFUSED /run/vtr.sock');
    await expect(coordinator.info('x')).rejects.toThrow('ECONNREFUSED');
    expect(calls).toEqual(['lost']);
  });
});
