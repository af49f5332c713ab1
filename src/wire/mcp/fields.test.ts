import { expect, it } from 'vitest';
import type { SessionActivity } from '#model';
import { placeAnswer } from './fields.ts';

const at = (directory: string | null, branch?: string) =>
  placeAnswer({ activity: { directory, branch } as unknown as SessionActivity });

it('the place of a session has its branch, if there is one', () => {
  expect(at('/src/api', 'fix')).toEqual({ cwd: '/src/api', branch: 'fix' });
  expect(at('/src/api')).toEqual({ cwd: '/src/api' });
  expect(placeAnswer({})).toEqual({ cwd: null });
});

it('the place of a session has no control characters that a program chose', () => {
  expect(at('/src/\x1bapi', 'f\x07ix')).toEqual({ cwd: '/src/api', branch: 'fix' });
});
