import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { gitIn } from '#git';
import { gitEnvironment as env, git as gitAt } from '../../test/support/git.ts';
import { tree } from '../../test/support/tree.ts';
import { unmergedCommits } from './unmerged-commits.ts';

/** A repository with a branch `fix` of two commits, which is checked out; `main` has gone on by one. */
function repository() {
  const path = tree();
  const git = (...words: readonly string[]) => gitAt(path, ...words);
  const commits = (files: Readonly<Record<string, string | Uint8Array>>, message: string) => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
    git('add', '--all');
    git('commit', '--quiet', '-m', message);
  };
  git('init', '--quiet', '--initial-branch=main');
  commits({ 'a.txt': 'one\n', 'c.txt': 'three\n' }, 'first');
  git('checkout', '--quiet', '-b', 'fix');
  commits({ 'a.txt': 'one\ntwo\n' }, 'second');
  commits({ 'b (new).txt': 'new\n' }, 'third');
  git('checkout', '--quiet', 'main');
  commits({ 'c.txt': 'three\nfour\n' }, 'of another');
  const on = (branch: string, act: () => void) => {
    git('checkout', '--quiet', branch);
    act();
    git('checkout', '--quiet', 'fix');
  };
  git('checkout', '--quiet', 'fix');
  return {
    git,
    commits,
    on,
    count: (from = 'main') => unmergedCommits(gitIn({ env }, path), from),
  };
}

it('counts the commits that another branch has not', async () => {
  expect(await repository().count()).toBe(2);
});

it('counts none after a merge', async () => {
  const { git, on, count } = repository();
  on('main', () => git('merge', '--quiet', '--no-edit', 'fix'));
  expect(await count()).toBe(0);
});

it('counts none if all were merged as one commit, also with other changes or after more work on main', async () => {
  const { git, commits, on, count } = repository();
  on('main', () => {
    git('merge', '--quiet', '--squash', 'fix');
    commits({ 'note.txt': 'merged\n' }, 'the fix');
    commits({ 'a.txt': 'one\ntwo\nthree\n' }, 'more');
  });
  expect(await count()).toBe(0);
});

it('counts what came after a merge as one commit', async () => {
  const { git, commits, on, count } = repository();
  on('main', () => {
    git('merge', '--quiet', '--squash', 'fix');
    git('commit', '--quiet', '-m', 'the fix');
  });
  commits({ 'b (new).txt': 'newer\n' }, 'fourth');
  expect(await count()).toBeGreaterThan(0);
});

it('counts the commits that were not picked', async () => {
  const { git, on, count } = repository();
  on('main', () => git('cherry-pick', 'fix~1'));
  expect(await count()).toBe(1);
  on('main', () => git('cherry-pick', 'fix'));
  expect(await count()).toBe(0);
});

it('counts the commits of a branch that has merged main and was merged as one commit', async () => {
  const { git, commits, on, count } = repository();
  git('merge', '--quiet', '--no-edit', 'main');
  expect(await count()).toBe(3);
  on('main', () => {
    git('merge', '--quiet', '--squash', 'fix');
    commits({}, 'the fix');
  });
  expect(await count()).toBe(0);
});

it('does not compare files that are no text', async () => {
  const { git, commits, on, count } = repository();
  commits({ 'a.bin': Uint8Array.of(0, 1, 2) }, 'a picture');
  on('main', () => {
    git('merge', '--quiet', '--squash', 'fix');
    commits({ 'a.bin': Uint8Array.of(0, 3, 4) }, 'the fix with another picture');
  });
  expect(await count()).toBe(3);
});
