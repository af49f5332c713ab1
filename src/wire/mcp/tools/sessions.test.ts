import { describe, expect, it } from 'vitest';
import type { Attention, Coordinator, ExitStatus, SessionInfo } from '#model';
import type { Caller } from '../caller.ts';
import { attentionAnswer } from '../fields.ts';
import { read } from './read.ts';
import { destroySession, getInfo } from './sessions.ts';

const size = { cols: 80, rows: 24 };
const screen = { text: [''], cells: [[]], cursor: { row: 0, col: 0 }, revision: 1 };

/** A session that exits while its activity is requested. */
function exitingCaller(): Caller {
  let exitStatus: ExitStatus | null = null;
  const session = { name: 's', id: '1', pid: 0, program: 'true', args: [], size, createdAtMs: 0 };
  const coordinator: Partial<Record<keyof Coordinator, unknown>> = {
    info: async () => ({ ...session, exitStatus }),
    screen: async () => screen,
    commands: async () => ({ integration: 'none', commands: [] }),
    activity: async () => {
      exitStatus = { code: 0, signal: null };
      return { state: 'exited', evidence: {}, revision: 1 };
    },
  };
  const marks = { of: () => ({ seenRevision: -1 }) };
  return { coordinatorOf: async () => coordinator, marks } as unknown as Caller;
}

const call = { signal: new AbortController().signal, report: () => {} };

describe('a program that exits during the call', () => {
  it.each([getInfo, read])('has consistent state and exit', async (tool) => {
    const result = await tool.run({ session_id: 's' }, exitingCaller(), call);
    expect(result['state'] === 'exited').toBe(result['exited']);
  });
});

it('says that a question is a guess', () => {
  const attention: Attention = { kind: 'input', sinceMs: 0, evidence: 'name:', guess: true };
  const info = (attention: Attention) => ({ attention, exitStatus: null }) as SessionInfo;
  const answer = { attention: 'input: name:' };
  expect(attentionAnswer(info(attention))).toEqual({ ...answer, guess: true });
  expect(attentionAnswer(info({ ...attention, guess: false }))).toEqual(answer);
});

it('keeps a session whose worktree has work left, unless it is forced', async () => {
  const removals: unknown[] = [];
  const coordinator = {
    info: async () => ({ id: '1' }),
    remove: async (_session: unknown, options: unknown) => {
      removals.push(options);
      return { code: 0, signal: null };
    },
  };
  const marks = { forget: () => {} };
  const service = { destroyed: () => {} };
  const caller = { coordinatorOf: async () => coordinator, marks, service } as unknown as Caller;
  await destroySession.run({ session_id: 's' }, caller, call);
  await destroySession.run({ session_id: 's', force: true }, caller, call);
  expect(removals).toEqual([
    { force: false, keepsWork: true },
    { force: true, keepsWork: false },
  ]);
});

it('refuses to destroy sessions by an invalid glob', async () => {
  const destroyed = destroySession.run({ session_id: '[z-a]*' }, exitingCaller(), call);
  await expect(destroyed).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
});
