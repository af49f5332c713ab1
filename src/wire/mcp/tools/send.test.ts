import { expect, it } from 'vitest';
import type { Coordinator, SendOptions } from '#model';
import type { Caller } from '../caller.ts';
import { noMarks } from '../reading/read-marks.ts';
import { send } from './send.ts';

it('also waits for the output of the text before a key', async () => {
  const waits: SendOptions['wait'][] = [];
  const coordinator: Partial<Record<keyof Coordinator, unknown>> = {
    info: async () => ({ name: 's', id: '1' }),
    mark: async () => 'before the call',
    sendText: async () => ({ mark: 'before the text' }),
    sendKeys: async (_session: string, _keys: unknown, { wait }: SendOptions) => {
      waits.push(wait);
      throw new Error('enough');
    },
  };
  const marks = { of: () => ({}), idOf: () => null, noteId: () => '1' };
  const options = { maxWaitMs: 1000 };
  const caller = { coordinatorOf: async () => coordinator, marks, options } as unknown as Caller;
  const call = { signal: new AbortController().signal, report: () => {} };
  const args = { session_id: 's', text: 'make\n', key: 'q', read: { wait_for: ['done'] } };
  await expect(send.run(args, caller, call)).rejects.toThrow('enough');
  expect(waits).toMatchObject([{ match: ['done'], since: 'before the text' }]);
});

it('sends, waits and reads in one call if the session is known', async () => {
  const marks = { ...noMarks(), readMark: 'm1' };
  const requests: SendOptions['wait'][] = [];
  const session = { name: 's', id: '1', size: { cols: 80, rows: 24 }, exitStatus: null };
  const text = { head: '', tail: 'hello', omitted: null, tokens: 2 };
  const read = { kind: 'lines', text, gap: { lines: 0, bytes: 0 }, fromLine: 3, hidden: false };
  const waited = {
    outcome: 'matched',
    match: { line: 3, text: 'hello', matched: 'hello', groups: [] },
    activity: { state: 'running', evidence: {} },
    exitStatus: null,
    mark: 'm2',
    revision: 7,
    timeoutMs: 1000,
    session,
    read: { ...read, mark: 'm3', revision: 7 },
  };
  // It has no other call.
  const coordinator = {
    sendText: async (_session: string, _text: string, { wait }: SendOptions) => {
      requests.push(wait);
      return { mark: 'm1', wait: waited };
    },
  };
  const caller = {
    coordinatorOf: async () => coordinator,
    marks: { of: () => marks, idOf: () => '1', noteId: () => '1' },
    options: { maxWaitMs: 1000 },
    isLean: true,
  } as unknown as Caller;
  const call = { signal: new AbortController().signal, report: () => {} };
  const args = { session_id: 's', text: 'hi\n', read: { view: 'new', wait_for: ['hello'] } };
  const answer = await send.run(args, caller, call);
  expect(answer).toMatchObject({ read_result: { content: 'hello' } });
  expect(requests).toMatchObject([{ match: ['hello'], read: { since: 'm1', tellHidden: true } }]);
  expect(marks.readMark).toBe('m3');
});
