import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { statNow } from '#libc';
import { git } from '../../../test/support/git.ts';
import { needs, provided } from '../../../test/support/run/needs.ts';
import { tree } from '../../../test/support/tree.ts';
import { branchOfHead, GitBranches } from './git-branches.ts';

const commit = '1234567890abcdef1234567890abcdef12345678';
const branches = new GitBranches();

describe('HEAD', () => {
  it.each([
    ['ref: refs/heads/main\n', 'main'],
    ['ref: refs/heads/feature/log-in', 'feature/log-in'],
    ['ref: refs/heads/änderung\n', 'änderung'],
    [`${commit}\n`, '1234567'],
    [`${commit}${commit.slice(0, 24)}\n`, '1234567'],
    // Of the format reftable, whose HEAD is elsewhere.
    ['ref: refs/heads/.invalid\n', null],
    ['ref: refs/remotes/origin/main\n', null],
    ['ref: refs/heads/\n', null],
    ['ref: refs/heads/a b\n', null],
    ['ref: refs/heads/a\nref: refs/heads/b\n', null],
    ['ref: refs/heads/a\x1b[31m\n', null],
    ['ref: refs/heads/a\u202eb\n', null],
    ['ref: refs/heads/../../x\n', null],
    ['ref: refs/heads/a.lock\n', null],
    [`ref: refs/heads/${'a'.repeat(256)}\n`, null],
    [commit.slice(1), null],
    ['-----BEGIN OPENSSH PRIVATE KEY-----\n', null],
    ['', null],
  ])('%j is %j', (text, branch) => {
    expect(branchOfHead(text)).toBe(branch);
  });
});

describe('the branch of a directory', () => {
  it('is that of the nearest repository', async () => {
    const root = tree({
      '.git/HEAD': 'ref: refs/heads/outer\n',
      'a/b/file': '',
      'a/inner/.git/HEAD': 'ref: refs/heads/inner\n',
    });
    const of = (path: string) => branches.of(join(root, path));
    expect(await Promise.all([of(''), of('a/b'), of('a/inner'), of('gone')])).toEqual([
      ...['outer', 'outer', 'inner', 'outer'],
    ]);
    expect(await branches.of('relative')).toBeNull();
  });

  provided(statNow('/') !== null, 'needs Linux 5.12 and koffi')(
    'is known without other threads once HEAD was read, until that changes',
    async () => {
      const root = tree({ '.git/HEAD': 'ref: refs/heads/one\n', 'a/file': '' });
      const now = async () => {
        let result: string | null | undefined;
        void branches.of(join(root, 'a')).then((branch) => {
          result = branch;
        });
        await Promise.resolve();
        await Promise.resolve();
        return result;
      };
      expect(await branches.of(join(root, 'a'))).toBe('one');
      // The look has filled the caches of the system.
      expect(await now()).toBe('one');
      writeFileSync(join(root, '.git/HEAD'), 'ref: refs/heads/another\n');
      expect(await now()).toBeUndefined();
      expect(await branches.of(join(root, 'a'))).toBe('another');
      expect(await now()).toBe('another');
    },
  );

  it('changes with HEAD, and with a repository that is made or removed', async () => {
    const root = tree({ 'a/file': '' });
    const of = () => branches.of(join(root, 'a'));
    expect(await of()).toBeNull();
    mkdirSync(join(root, 'a/.git'));
    expect(await of()).toBeNull();
    writeFileSync(join(root, 'a/.git/HEAD'), 'ref: refs/heads/one\n');
    expect(await of()).toBe('one');
    // As git does.
    writeFileSync(join(root, 'a/.git/HEAD.lock'), 'ref: refs/heads/two\n');
    renameSync(join(root, 'a/.git/HEAD.lock'), join(root, 'a/.git/HEAD'));
    expect(await of()).toBe('two');
    renameSync(join(root, 'a/.git'), join(root, 'a/other'));
    expect(await of()).toBeNull();
  });

  it('is found through the file of a worktree, by an absolute or a relative path', async () => {
    const root = tree({
      'repo/.git/HEAD': 'ref: refs/heads/main\n',
      'repo/.git/worktrees/fix/HEAD': 'ref: refs/heads/fix\n',
      'repo/.git/modules/part/HEAD': `${commit}\n`,
      'repo/part/.git': 'gitdir: ../.git/modules/part\n',
      'lost/.git': 'gitdir: /nowhere/at all\n',
      'wrong/.git': 'gitdir\n',
    });
    mkdirSync(join(root, 'fix'));
    writeFileSync(join(root, 'fix/.git'), `gitdir: ${root}/repo/.git/worktrees/fix\n`);
    const of = (path: string) => branches.of(join(root, path));
    expect(await of('fix')).toBe('fix');
    expect(await of('repo/part')).toBe('1234567');
    expect(await of('lost')).toBeNull();
    expect(await of('wrong')).toBeNull();
  });

  it('is not read from what is no short file', async () => {
    const root = tree({
      'huge/.git/HEAD': `ref: refs/heads/main\n${' '.repeat(100_000)}`,
      'file/.git': `gitdir: ${'a/'.repeat(50_000)}\n`,
      'pipe/.git/config': '',
      'loop/file': '',
      'head/.git/HEAD/file': '',
    });
    execFileSync('mkfifo', [join(root, 'pipe/.git/HEAD'), join(root, 'pipe/fifo')]);
    mkdirSync(join(root, 'linked'));
    symlinkSync(join(root, 'pipe/fifo'), join(root, 'linked/.git'));
    symlinkSync(join(root, 'loop/.git'), join(root, 'loop/.git'));
    mkdirSync(join(root, 'device/.git'), { recursive: true });
    symlinkSync('/dev/zero', join(root, 'device/.git/HEAD'));
    const names = ['huge', 'file', 'pipe', 'linked', 'loop', 'head', 'device'];
    const results = await Promise.all(names.map((name) => branches.of(join(root, name))));
    expect(results).toEqual(names.map(() => null));
  });

  provided(process.getuid?.() === 0, 'only root gives files to others')(
    'is not read from a repository of another user',
    async () => {
      const root = tree({ 'a/.git/HEAD': 'ref: refs/heads/main\n' });
      expect(await branches.of(join(root, 'a'))).toBe('main');
      chownSync(join(root, 'a/.git'), 65_533, 65_533);
      expect(await branches.of(join(root, 'a'))).toBeNull();
    },
  );

  it('is found for hundreds of directories that are asked for at once', async () => {
    const names = Array.from({ length: 200 }, (_, index) => `r${index}`);
    const root = tree(
      Object.fromEntries(names.map((name) => [`${name}/.git/HEAD`, `ref: refs/heads/${name}\n`])),
    );
    const results = await Promise.all(names.map((name) => branches.of(join(root, name))));
    expect(results).toEqual(names);
  });

  needs('git')('is the one that git names', async () => {
    const root = tree();
    git(root, 'init', '-q', '-b', 'trunk');
    expect(await branches.of(root)).toBe('trunk');
    git(root, 'commit', '-q', '--allow-empty', '-m', 'first');
    git(root, 'switch', '-q', '-c', 'topic/one');
    git(root, 'pack-refs', '--all');
    expect(await branches.of(root)).toBe('topic/one');
    git(root, 'worktree', 'add', '-q', join(root, 'other'), '-b', 'two');
    expect(await branches.of(join(root, 'other'))).toBe('two');
    git(root, 'switch', '-q', '--detach');
    expect(await branches.of(root)).toBe(git(root, 'rev-parse', 'HEAD').slice(0, 7));
  });
});
