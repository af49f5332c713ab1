import { createContextValues } from '@connectrpc/connect';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startWithin } from '../start-limit.ts';
import { Lateness, noteLimit } from './late-calls.ts';

describe('a call that waits for its turn beyond its limit', () => {
  beforeEach(() => {
    const toFake = ['performance', 'hrtime', 'setInterval', 'clearInterval'] as const;
    vi.useFakeTimers({ toFake: [...toFake] });
  });
  afterEach(() => void vi.useRealTimers());

  const arrivedCall = () => {
    const values = createContextValues();
    noteLimit(values, startWithin(2_000));
    return () => new Lateness(values).check();
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
