import { join } from 'node:path';
import { expect } from 'vitest';
import { git, gitEnvironment } from '../../test/support/git.ts';
import { needs } from '../../test/support/run/needs.ts';
import { tree } from '../../test/support/tree.ts';
import { gitIn } from './git.ts';
import { trackingOf } from './tracking.ts';

needs('git')('a branch is ahead of and behind the one that it follows', async () => {
  const directory = tree();
  const commit = (at: string, message: string) =>
    git(at, 'commit', '-q', '--allow-empty', '-m', message);
  const [first, second] = [join(directory, 'first'), join(directory, 'second')];
  const tracking = (at: string) => trackingOf(gitIn({ env: gitEnvironment }, at));
  git(directory, 'init', '-q', '-b', 'main', first);
  expect(await tracking(first)).toBeNull();
  commit(first, 'one');
  git(directory, 'clone', '-q', first, second);
  expect(await tracking(second)).toEqual({ ahead: 0, behind: 0 });
  commit(first, 'two');
  commit(second, 'three');
  commit(second, 'four');
  git(second, 'fetch', '-q');
  expect(await tracking(second)).toEqual({ ahead: 2, behind: 1 });
  expect(await tracking(directory)).toBeNull();
});
