import { createContextValues } from '@connectrpc/connect';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startWithin } from '../../call-headers.ts';

describe('a call that waits for its turn beyond its limit', () => {
  let late: typeof import('./late-calls.ts');
  beforeEach(async () => {
    // Its clock runs for a minute after a call: that of another test file may be a real one.
    vi.resetModules();
    late = await import('./late-calls.ts');
    const toFake = ['performance', 'hrtime', 'setInterval', 'clearInterval'] as const;
    vi.useFakeTimers({ toFake: [...toFake] });
  });
  afterEach(() => void vi.useRealTimers());

  const arrivedCall = () => {
    const values = createContextValues();
    late.noteLimit(values, startWithin(2_000));
    return () => new late.Lateness(values).check();
  };

  it('is carried out if the process has run all the time', () => {
    const check = arrivedCall();
    vi.advanceTimersByTime(10_000);
    expect(check).not.toThrow();
  });

  it('has no effect if the process was suspended meanwhile', () => {
    const check = arrivedCall();
    vi.advanceTimersByTime(1_000);
    // Timers do not fire.
    const jump = performance.now() + 3_000;
    vi.spyOn(performance, 'now').mockReturnValue(jump);
    vi.spyOn(process, 'hrtime').mockReturnValue([jump / 1_000, 0] as never);
    expect(check).toThrow('was not carried out');
    vi.restoreAllMocks();
  });
});
