import { expect, it } from 'vitest';
import type { ExitStatus, SessionActivity } from '#model';
import { placeAnswer } from './fields.ts';

const at = (directory: string | null, branch?: string, exitStatus: ExitStatus | null = null) =>
  placeAnswer({ activity: { directory, branch } as unknown as SessionActivity, exitStatus });

it('the place of a session has its branch, if there is one', () => {
  expect(at('/src/api', 'fix')).toEqual({ cwd: '/src/api', branch: 'fix' });
  expect(at('/src/api')).toEqual({ cwd: '/src/api' });
  expect(placeAnswer({ exitStatus: null })).toEqual({ cwd: null });
  // An ended program has no current directory.
  expect(at('/src/api', 'fix', { code: 0 } as ExitStatus)).toEqual({ cwd: null, branch: 'fix' });
});

it('the place of a session has no control characters that a program chose', () => {
  expect(at('/src/\x1bapi', 'f\x07ix')).toEqual({ cwd: '/src/api', branch: 'fix' });
});
