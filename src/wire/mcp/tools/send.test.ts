import { expect, it } from 'vitest';
import type { Coordinator, SendOptions } from '#model';
import type { Caller } from '../caller.ts';
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
