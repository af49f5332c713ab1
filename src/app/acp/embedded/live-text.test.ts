import { expect, it } from 'vitest';
import type { Coordinator, ExitStatus, ReadResult, WaitResult } from '#model';
import { LiveText } from './live-text.ts';

/** Resolves each read in progress. */
const reads: ((output: string) => void)[] = [];
const statuses: (ExitStatus | null)[] = [null, { code: 0, signal: null }];

const coordinator = {
  wait: async () => ({ exitStatus: statuses.shift() }) as WaitResult,
  read: () =>
    new Promise((resolve) => {
      reads.push((tail) => resolve({ text: { tail, omitted: null } } as ReadResult));
    }),
} as unknown as Coordinator;

const answers = async (output: string) => {
  await expect.poll(() => reads.length).toBeGreaterThan(0);
  reads.pop()?.(output);
};

it('an older read of a terminal does not overwrite a newer one', async () => {
  const text = new LiveText({ name: 'x' }, coordinator);
  const looks = [text.refresh(), text.refresh()];
  // The newest read in progress is answered first.
  await answers('one');
  await answers('two');
  await Promise.all(looks);
  expect(text.isFinal).toBe(true);
  expect(text.text).toMatch(/exited 0/);
});
