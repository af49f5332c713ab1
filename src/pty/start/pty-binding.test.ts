import { describe, expect, it } from 'vitest';
import { toExitStatus } from './pty-binding.ts';

describe('toExitStatus', () => {
  it.each([
    { code: 0, signal: 0, status: { code: 0, signal: null } },
    { code: 255, signal: 0, status: { code: 255, signal: null } },
    { code: 0, signal: 1, status: { code: null, signal: 'SIGHUP' } },
    { code: 0, signal: 6, status: { code: null, signal: 'SIGABRT' } },
    { code: 0, signal: 9, status: { code: null, signal: 'SIGKILL' } },
    { code: 0, signal: 15, status: { code: null, signal: 'SIGTERM' } },
    { code: 0, signal: 34, status: { code: null, signal: 'SIGRTMIN+0' } },
    { code: 0, signal: 64, status: { code: null, signal: 'SIGRTMIN+30' } },
    { code: 0, signal: 99, status: { code: null, signal: 'SIG99' } },
  ])('code $code, signal $signal', ({ code, signal, status }) => {
    expect(toExitStatus(code, signal)).toEqual(status);
  });
});
