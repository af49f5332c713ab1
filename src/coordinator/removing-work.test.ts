import { expect, it, onTestFinished } from 'vitest';
import { VtrError } from '#model';
import { LocalCoordinator } from './local-coordinator.ts';

it('a session whose worktree has work left is removed only if that is wanted', async () => {
  const checks: unknown[] = [];
  const message = 'session fix was not removed: its worktree has 1 changed file';
  const coordinator = new LocalCoordinator({
    checkWorktree: async (session, worktree) => {
      checks.push([session, worktree]);
      throw new VtrError('WORK_LEFT', message);
    },
  });
  onTestFinished(() => coordinator.close());
  const labels = { worktree: '/src/api.fix', 'worktree/from': 'main' };
  await coordinator.spawn({ name: 'fix', program: 'cat', labels });
  await coordinator.spawn({ name: 'other', program: 'cat' });
  const refused = coordinator.remove('fix', { keepsWork: true });
  await expect(refused).rejects.toMatchObject({ code: 'WORK_LEFT', message });
  expect(checks).toEqual([['fix', { path: '/src/api.fix', from: 'main' }]]);
  expect((await coordinator.info('fix')).state).toBe('running');
  await coordinator.remove('other', { keepsWork: true });
  await coordinator.remove('fix');
  expect(await coordinator.list()).toEqual([]);
  expect(checks).toHaveLength(1);
});
