import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'vitest';
import { needs } from '../../test/support/run/needs.ts';
import { tree } from '../../test/support/tree.ts';
import { gitIn } from './git.ts';
import { trackingOf } from './tracking.ts';

needs('git')('a branch is ahead of and behind the one that it follows', async () => {
  const directory = tree();
  const env = {
    ...process.env,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@localhost',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@localhost',
  };
  const git = (at: string, ...words: readonly string[]) =>
    execFileSync('git', ['-C', at, ...words], { env, stdio: 'pipe', timeout: 60_000 });
  const commit = (at: string, message: string) =>
    git(at, 'commit', '-q', '--allow-empty', '-m', message);
  const [first, second] = [join(directory, 'first'), join(directory, 'second')];
  const tracking = (at: string) => trackingOf(gitIn({ env }, at));
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
