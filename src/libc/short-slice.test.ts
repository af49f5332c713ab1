import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism, getPriority, release } from 'node:os';
import { describe, expect } from 'vitest';
import { provided } from '../../test/support/run/needs.ts';
import { requestShortSlice } from './index.ts';

/** Of a thread or of the program that reads it. */
const thread = '/proc/thread-self/sched';
const program = '/proc/self/sched';

const [major = 0, minor = 0] = release().split('.').map(Number);
const hasSlices = process.platform === 'linux' && (major > 6 || (major === 6 && minor >= 12));
const isShown =
  hasSlices && existsSync(thread) && readFileSync(thread, 'utf8').includes('se.slice');

const sliceIn = (shown: string): string | undefined => /^se\.slice\s*:\s*(\d+)/m.exec(shown)?.[1];

describe('requestShortSlice', () => {
  // With one processor all slices are as short.
  const isOrdinary = isShown && getPriority() >= 0 && availableParallelism() > 1;

  provided(
    isOrdinary,
    'needs Linux 6.12 or later with /proc/self/sched, two processors, and a nice value of 0 or more',
  )('changes the slice of this thread, neither its nice value nor the slices of programs', () => {
    const nice = getPriority();
    expect(requestShortSlice()).toBe(700_000);
    expect(sliceIn(readFileSync(thread, 'utf8'))).toBe('700000');
    expect(getPriority()).toBe(nice);
    const ofProgram = sliceIn(execFileSync('cat', [program], { encoding: 'utf8' }));
    expect(Number(ofProgram)).toBeGreaterThan(700_000);
  });
});
