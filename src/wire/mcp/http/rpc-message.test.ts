import { describe, expect, it } from 'vitest';
import { OpenCalls } from './rpc-message.ts';

const cancel = { method: 'notifications/cancelled', id: null, params: { requestId: 1 } };
const call = { method: 'tools/call', id: 1, params: {} };

describe('OpenCalls', () => {
  it('cancels a call of the same session, and of no other one', () => {
    const calls = new OpenCalls();
    const [one, other] = [new AbortController(), new AbortController()];
    calls.open('one', call, one);
    calls.open('other', call, other);
    calls.cancelBy('one', cancel);
    expect([one.signal.aborted, other.signal.aborted]).toEqual([true, false]);
  });

  it('cancels no call of a client without a session id: others have the same ids', () => {
    const calls = new OpenCalls();
    const open = new AbortController();
    calls.open(null, call, open);
    calls.cancelBy(null, cancel);
    expect(open.signal.aborted).toBe(false);
  });
});
