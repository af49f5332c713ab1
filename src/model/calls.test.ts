import { expect, it } from 'vitest';
import { redactingCoordinator } from './calls.ts';
import type { Coordinator } from './coordinator.ts';

const session = { name: 'one', id: '1', title: 'secret', args: ['secret'] };

/** A coordinator that answers with a secret unless it is asked not to. */
const coordinator = {
  rename: async () => session,
  setLabels: async () => session,
  revive: async () => ({ ...session, missingEnv: ['A'] }),
  spawn: async () => ({ ...session, wait: { outcome: 'idle' } }),
  info: async (_ref: unknown, { redact = false }) =>
    redact ? { name: 'one', id: '1', title: '••••••', args: ['••••••'], redacted: 2 } : session,
} as unknown as Coordinator;

it('a session that a call returns has no secret, and the rest of the answer', async () => {
  const counts: [string, number][] = [];
  const redacted = redactingCoordinator(coordinator, true, (count, call) => {
    counts.push([call, count]);
  });
  const answers = await Promise.all([
    redacted.rename('one', 'two'),
    redacted.setLabels('one', {}),
    redacted.revive('one'),
    redacted.spawn({}),
  ]);
  expect(JSON.stringify(answers)).not.toContain('secret');
  expect(answers[2]).toMatchObject({ missingEnv: ['A'] });
  expect(answers[3]).toMatchObject({ wait: { outcome: 'idle' } });
  expect(counts.sort()).toEqual([
    ['rename', 2],
    ['revive', 2],
    ['setLabels', 2],
    ['spawn', 2],
  ]);
  expect(await redactingCoordinator(coordinator, false).rename('one', 'two')).toBe(session);
});
