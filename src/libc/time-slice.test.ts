import { getPriority } from 'node:os';
import { describe, expect } from 'vitest';
import { provided } from '../../test/support/run/needs.ts';
import { timeSlice } from './time-slice.ts';

describe('the time slice of this thread', () => {
  const usual = timeSlice.get();
  const onLinux = provided(usual !== null, 'needs Linux 6.12 and koffi');

  onLinux('is set, and is the default again', () => {
    const nice = getPriority();
    timeSlice.set(10);
    expect(timeSlice.get()).toBe(10);
    timeSlice.set(0);
    expect(timeSlice.get()).toBe(usual);
    expect(getPriority()).toBe(nice);
  });
});
