import { describe, expect, it } from 'vitest';
import type { WaitRequest, WaitResult } from '#model';
import { waitAgain } from './repeats.ts';

/** A coordinator at which these waits end as the outcomes say; then one matches. */
function coordinator(...answers: Partial<WaitResult>[]) {
  const requests: WaitRequest[] = [];
  const wait = async (request: WaitRequest) => {
    requests.push(request);
    const answer = answers[requests.length - 1] ?? { outcome: 'matched' };
    return { mark: 'm2', ...answer } as WaitResult;
  };
  return { requests, wait };
}

const nothing = { outcome: 'timed_out' } as const;

describe('a wait that is repeated', () => {
  it('ends with what happened since the mark of the first try', async () => {
    const { requests, wait } = coordinator({ outcome: 'exited' });
    const request = { match: ['x'], timeoutMs: 900 };
    expect((await waitAgain(wait, request, 'm1', 100)).outcome).toBe('exited');
    expect(requests).toEqual([{ match: ['x'], since: 'm1', timeoutMs: 0 }]);
  });

  it('ends with a command that had ended, or a prompt that is shown', async () => {
    const { requests, wait } = coordinator(nothing, { outcome: 'prompt' });
    const request = { finished: true, match: ['x'], timeoutMs: 900 };
    expect((await waitAgain(wait, request, 'm1', 100)).outcome).toBe('prompt');
    expect(requests.at(-1)).toEqual({ finished: true, prompt: false, timeoutMs: 0 });
  });

  it('counts silence from the first try if nothing was printed since', async () => {
    const request = { quietMs: 5_000, timeoutMs: 8_000 };
    const silent = coordinator({ ...nothing, mark: 'm1' });
    await waitAgain(silent.wait, request, 'm1', 2_000);
    expect(silent.requests.at(-1)).toEqual({ quietMs: 3_000, timeoutMs: 8_000, since: 'm1' });
    const printing = coordinator({ ...nothing, mark: 'm2' });
    await waitAgain(printing.wait, request, 'm1', 2_000);
    expect(printing.requests.at(-1)).toMatchObject({ quietMs: 5_000 });
  });
});
