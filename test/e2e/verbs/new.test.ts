import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Place } from '../../support/command/vtr-command.ts';
import { git } from '../../support/git.ts';
import { testProgram } from '../../support/pty/pty-request.ts';
import { needs } from '../../support/run/needs.ts';
import { tree } from '../../support/tree.ts';
import { AttachedTerminal } from '../../support/tui/attached-terminal.ts';

const place = Place.forAll();

describe('vtr new', () => {
  const runNew = async (...words: string[]) => {
    const { status, stdout, stderr } = await place.vtr(['new', ...words]);
    expect([status, stderr]).toEqual([0, '']);
    return stdout;
  };

  it('starts a session and prints its name, which is that of the program or directory, without a terminal', async () => {
    const directory = tree({ 'my api/file': '' });
    expect(await runNew('--', '/bin/cat')).toBe('cat\n');
    expect(await runNew('-d', '--', 'cat')).toBe('cat-2\n');
    expect(await runNew('--cmd', 'sleep 60; true')).toBe('sleep\n');
    expect(await runNew('--cwd', join(directory, 'my api'))).toBe('my-api\n');
    expect(await runNew()).toBe(`${basename(place.directory)}\n`);
    expect(await runNew('own', '--detach', '--size', '70x20', '--label', 'a=b', '--', 'cat')).toBe(
      'own\n',
    );
    const info = await place.json('info', 'own');
    expect(info).toMatchObject({ cols: 70, rows: 20, labels: { a: 'b' } });
  });

  it('tells how to show a session that has the name, or to start it again', async () => {
    await place.ok('spawn', 'api', '--', 'cat');
    await place.ok('spawn', 'old', '--', 'true');
    await place.result(['wait', 'old', '--exit']);
    const { status, stdout, stderr } = await place.vtr(['new', 'api']);
    expect([status, stdout]).toEqual([5, '']);
    expect(stderr).toBe(
      'vtr: session api exists\nshow it with vtr attach api; vtr attach -c api shows it, or starts it if there is none\n',
    );
    expect((await place.vtr(['new', 'old'])).stderr).toContain('vtr revive old');
    const wrong = await place.vtr(['new', 'api', '--wait', 'x']);
    expect(wrong.stderr).toContain('unknown flag --wait; use vtr spawn --wait');
  });

  it('shows the session in a terminal, whose size without the status line it has from the start', async () => {
    const person = await AttachedTerminal.start(place, ['new', '--', 'sh', '-c', 'stty size; cat']);
    await person.sees('^11 60');
    await person.types('hello\r');
    await person.sees('^hello');
    await person.keys('ctrl+b', 'd');
    const end = await person.end();
    expect(end).toMatchObject({ status: { code: 0 }, leftModes: [] });
    expect(end.rows.join('\n')).toContain('vtr: detached from sh');
    expect(await place.json('info', 'sh')).toMatchObject({ status: 'running', cols: 60 });
  });

  it('does not show the session inside another one, and says so', async () => {
    const person = await AttachedTerminal.start(place, ['new', 'inner', '--', 'cat'], {
      inSession: 'an-id',
      size: { cols: 120, rows: 12 },
    });
    const { status, rows } = await person.end();
    expect(status).toEqual({ code: 0, signal: null });
    expect(rows.filter((row) => row !== '')).toEqual([
      'inner',
      'vtr: not shown: this terminal is session person; vtr attach inner shows it inside',
    ]);
  });

  it('refuses a kind of agents that is not known, with one of a similar name or all', async () => {
    const near = await place.result(['start', 'Claud']);
    expect(near).toMatchObject({
      status: 2,
      stderr: 'vtr: no kind of agent "Claud": did you mean claude?\n',
    });
    const { stderr } = await place.result(['start', 'nothing-like-it']);
    expect(stderr).toMatch(
      /^vtr: no kind of agent "nothing-like-it": the kinds are agy, .*qwen\n$/,
    );
  });

  it('starts the command of a kind of agents, with its hooks', async () => {
    const bin = tree({ claude: '#!/bin/sh\necho "args: $*"\nexec sleep 60\n' });
    chmodSync(join(bin, 'claude'), 0o755);
    const env = { PATH: `${bin}:${process.env['PATH']}` };
    const { status, stdout } = await place.vtr(['new', '--agent', 'claude'], { env });
    expect([status, stdout]).toEqual([0, 'claude\n']);
    await place.sees('claude', 'args: --settings /');
    expect((await place.json('info', 'claude')).labels).toEqual({ agent: 'claude' });
  });
});

/** Makes a repository `repo` with a commit on `main`. Returns its path. */
function repository(): string {
  const path = join(tree({ 'repo/file': 'one\n' }), 'repo');
  git(path, 'init', '-q', '-b', 'main');
  git(path, 'add', '.');
  git(path, 'commit', '-q', '-m', 'first');
  return path;
}

const vtrIn = (cwd: string, ...words: string[]) => place.vtr(words, { cwd });

/** Resolves when a session has these facts: on a busy machine, those of the system may come late. */
const shows = (name: string, facts: object) =>
  expect.poll(() => place.json('info', name)).toMatchObject(facts);

/** Starts a session in a worktree. Returns the path of that. */
async function begun(repo: string, branch: string, ...words: string[]): Promise<string> {
  const result = await vtrIn(repo, 'new', '-d', '--worktree', branch, ...words, '--', 'cat');
  expect(result.status, result.stderr).toBe(0);
  return `${repo}.${branch.replaceAll('/', '-')}`;
}

describe('a session in a worktree', () => {
  needs('git')(
    'begins on a new branch in a directory beside the repository, or in the one that the branch has',
    async () => {
      const repo = repository();
      const words = ['new', '--worktree', 'fix/login', '--', 'cat'];
      const path = `${repo}.fix-login`;
      expect(await vtrIn(repo, ...words)).toMatchObject({
        status: 0,
        stdout: 'fix-login\n',
        stderr: `vtr: made worktree ${path}: new branch fix/login from main\n`,
      });
      const labels = { worktree: path, 'worktree/from': 'main' };
      const facts = { cwd: path, directory: path, branch: 'fix/login', labels };
      await shows('fix-login', facts);
      expect(git(path, 'branch', '--show-current')).toBe('fix/login');
      // From another worktree, and for a program of its own.
      expect(await vtrIn(path, 'spawn', ...words.slice(1))).toMatchObject({
        stdout: 'fix-login-2\n',
        stderr: `vtr: worktree ${path} of branch fix/login\n`,
      });
      git(repo, 'branch', 'old');
      const directory = join(repo, '../elsewhere');
      expect(
        await vtrIn(repo, 'new', 'mine', '--worktree', 'old', '--worktree-dir', '../elsewhere'),
      ).toMatchObject({
        stdout: 'mine\n',
        stderr: `vtr: made worktree ${directory}: branch old\n`,
      });
      await shows('mine', { cwd: directory, branch: 'old' });
      const groups = async () => {
        const { groups } = await place.json('ls', '--by', 'branch');
        return groups.map(({ value }: { value: string }) => value).sort();
      };
      await expect.poll(groups).toEqual(['fix/login', 'old']);
    },
  );

  needs('git')('begins where --from says, else at the branch of a remote of its name', async () => {
    const repo = repository();
    git(repo, 'tag', 'v1');
    git(repo, 'commit', '-q', '--allow-empty', '-m', 'second');
    const first = await begun(repo, 'one', '--from', 'v1');
    expect(git(first, 'log', '--format=%s')).toBe('first');
    git(repo, 'branch', 'shared', 'v1');
    const clone = join(repo, '../clone');
    git(repo, 'clone', '-q', '.', clone);
    const shared = await begun(clone, 'shared');
    expect(git(shared, 'log', '--format=%s')).toBe('first');
    expect(git(shared, 'rev-parse', '--abbrev-ref', '@{upstream}')).toBe('origin/shared');
    const other = await begun(clone, 'other', '--from', 'origin/main');
    expect(git(other, 'log', '--format=%s', '-1')).toBe('second');
    const { labels } = await place.json('info', 'other');
    expect(labels['worktree/from']).toBe('origin/main');
    // It would be pushed to.
    expect(git(clone, 'for-each-ref', '--format=%(upstream)', 'refs/heads/other')).toBe('');
  });

  needs('git')('is not begun if git or a name refuses, in the words of git', async () => {
    const repo = repository();
    const empty = join(tree(), 'empty');
    git(repo, 'init', '-q', empty);
    git(repo, 'branch', 'gone');
    git(repo, 'branch', 'idle');
    git(repo, 'worktree', 'add', '-q', `${repo}.away`, 'gone');
    rmSync(`${repo}.away`, { recursive: true });
    writeFileSync(join(repo, '../repo.taken'), '');
    const outside = tree();
    const cases: readonly (readonly [string, readonly string[], string])[] = [
      [outside, ['x'], 'not a git repository'],
      [outside, ['x'], '--cwd DIR'],
      [repo, ['a..b'], '"a..b" is not a name of a branch'],
      [repo, ['main'], `branch main is checked out in the repository itself, ${repo}`],
      [repo, ['taken'], `'${repo}.taken' already exists\nchoose another directory with`],
      [repo, ['gone'], `which is gone\nif it was deleted, run: git -C ${repo} worktree prune`],
      [repo, ['new', '--from', 'nowhere'], '--from nowhere: no such commit'],
      [repo, ['idle', '--from', 'main'], 'branch idle exists\nleave out --from'],
      [empty, ['x'], 'the repository has no commit'],
    ];
    for (const [cwd, [branch = '', ...words], message] of cases) {
      const { status, stdout, stderr } = await vtrIn(cwd, 'new', '--worktree', branch, ...words);
      expect([status, stdout], stderr).toEqual([2, '']);
      expect(stderr).toContain(message);
    }
    for (const word of ['--worktree=-b', '--worktree=--foo', '--worktree=HEAD']) {
      const { status, stderr } = await vtrIn(repo, 'new', word);
      expect([status, stderr]).toEqual([2, expect.stringContaining('is not a name of a branch')]);
    }
    for (const word of ['--from=--exec=x', '--from=-n']) {
      const { status, stderr } = await vtrIn(repo, 'new', '--worktree', 'y', word);
      expect([status, stderr]).toEqual([2, expect.stringContaining('does not begin with -')]);
    }
    const alone = await vtrIn(repo, 'spawn', '--from', 'main');
    expect(alone).toMatchObject({ status: 2, stderr: 'vtr: --from needs --worktree\n' });
    const missing = await place.vtr(['new', '--worktree', 'x'], { env: { PATH: '/nonexistent' } });
    expect([missing.status, missing.stderr]).toEqual([
      8,
      'vtr: git is not installed, or not in PATH\n',
    ]);
    expect((await place.json('ls')).sessions).toEqual([]);
  });

  needs('git')(
    'belongs to the repository of its directory, whatever variables git has set',
    async () => {
      const [repo, other] = [repository(), repository()];
      const env = { GIT_DIR: join(other, '.git'), GIT_WORK_TREE: other, GIT_INDEX_FILE: '/x' };
      const words = ['new', '-d', '--worktree', 'fix', '--', 'sh', '-c', 'echo "[$GIT_DIR]"; cat'];
      expect((await place.vtr(words, { cwd: repo, env })).status).toBe(0);
      await place.sees('fix', '[]');
      expect(git(repo, 'worktree', 'list')).toContain(`${repo}.fix`);
      expect(git(other, 'worktree', 'list')).not.toContain('fix');
    },
  );

  needs('git')('is refused a removal while work is left, and says what and how', async () => {
    const repo = repository();
    const path = await begun(repo, 'fix');
    writeFileSync(join(path, 'file'), 'two\n');
    writeFileSync(join(path, 'new file'), '');
    const files = await place.vtr(['rm', 'fix']);
    expect([files.status, files.stderr]).toEqual([
      21,
      [
        `vtr: session fix was not removed: its worktree ${path} has 1 changed file and 1 untracked file`,
        `see the files: git -C ${path} status`,
        `remove the worktree: git -C ${repo} worktree remove ${path}`,
        'remove only the session: vtr rm fix --force\n',
      ].join('\n'),
    ]);
    git(path, 'add', '.');
    git(path, 'commit', '-q', '-m', 'work');
    const commits = await place.vtr(['rm', 'fix', '--worktree']);
    expect([commits.status, commits.stderr]).toEqual([
      21,
      [
        `vtr: session fix was not removed: its worktree ${path} has 1 commit that neither main nor a remote has`,
        `see the commits: git -C ${path} log --oneline main..HEAD`,
        `merge them: git -C ${repo} merge fix`,
        `remove the worktree: git -C ${repo} worktree remove ${path}`,
        'remove only the session: vtr rm fix --force\n',
      ].join('\n'),
    ]);
    // Also for a glob.
    const all = await place.json('ls');
    expect(all.sessions).toHaveLength(1);
    expect((await place.vtr(['rm', 'f*'])).status).toBe(21);
    git(repo, 'merge', '-q', 'fix');
    const merged = await place.vtr(['rm', 'fix']);
    expect(merged).toMatchObject({
      status: 0,
      stderr: `vtr: worktree ${path} stays; remove it with: git -C ${repo} worktree remove ${path}\n`,
    });
    expect(existsSync(path)).toBe(true);
  });

  needs('git')(
    'is removed with its worktree on request, if no other session runs there',
    async () => {
      const repo = repository();
      const path = await begun(repo, 'fix');
      await begun(repo, 'fix');
      const used = await place.vtr(['rm', 'fix', '--worktree']);
      expect([used.status, used.stderr]).toEqual([
        21,
        `vtr: session fix-2 runs in worktree ${path}, too\nleave out --worktree\n`,
      ]);
      const removed = await place.vtr(['rm', 'fix*', '--worktree']);
      expect([removed.status, removed.stdout]).toEqual([0, 'fix\nfix-2\n']);
      expect(removed.stderr).toContain(`removed worktree ${path}; branch fix stays`);
      expect(existsSync(path)).toBe(false);
      const again = await begun(repo, 'fix');
      writeFileSync(join(again, 'lost'), '');
      expect((await place.vtr(['rm', 'fix', '--worktree', '--force'])).status).toBe(0);
      expect(existsSync(path)).toBe(false);
      // One that git cannot check stays.
      await place.ok('spawn', 'odd', '--label', `worktree=${tree()}`, '--', 'cat');
      const odd = await place.vtr(['rm', 'odd']);
      expect([odd.status, odd.stderr]).toEqual([
        10,
        expect.stringMatching(/^vtr: session odd was not removed: .*\nremove only .* --force\n$/),
      ]);
      // One whose worktree is gone is removed.
      rmSync(await begun(repo, 'other'), { recursive: true });
      expect(await place.vtr(['rm', 'other'])).toMatchObject({ status: 0, stderr: '' });
    },
  );

  needs('git')(
    'keeps its worktree in mind when the daemon restarts and it is revived',
    async () => {
      const repo = repository();
      const path = `${repo}.fix`;
      const own = new Place();
      const words = ['spawn', '--worktree', 'fix', '--', 'sh', '-c', 'read x'];
      expect((await own.vtr(words, { cwd: repo })).stdout).toBe('fix\n');
      expect((await own.vtr(['serve', '--restart'])).status).toBe(0);
      const labels = { worktree: path, 'worktree/from': 'main' };
      expect(await own.json('info', 'fix')).toMatchObject({ labels });
      await own.ok('key', 'fix', 'enter');
      await own.result(['wait', 'fix', '--exit']);
      expect((await own.result(['revive', 'fix'])).status).toBe(0);
      expect(await own.json('info', 'fix')).toMatchObject({ status: 'running', cwd: path, labels });
      writeFileSync(join(path, 'left'), '');
      expect((await own.vtr(['rm', 'fix'])).status).toBe(21);
    },
  );

  needs('git')(
    'is listed with its last branch after its end, and after a restart and the end of the daemon, also without the worktree',
    async () => {
      const repo = repository();
      const path = `${repo}.fix`;
      const own = new Place();
      const start = async (name: string) => {
        const words = ['spawn', name, '--worktree', 'fix', '--', 'sh', '-c', 'read x'];
        expect((await own.vtr(words, { cwd: repo })).status).toBe(0);
      };
      const last = async (name: string) => {
        const { status, cwd, directory, branch } = await own.json('info', name);
        return { status, cwd, directory, branch };
      };
      await start('done');
      await own.ok('key', 'done', 'enter');
      await own.result(['wait', 'done', '--exit']);
      const place = { status: 'exited', cwd: path, directory: path, branch: 'fix' };
      expect(await last('done')).toEqual(place);
      await start('stopped');
      git(path, 'switch', '-q', '-c', 'more');
      expect((await own.vtr(['serve', '--restart'])).status).toBe(0);
      process.kill((await own.json('serve', '--status')).pid, 'SIGTERM');
      await expect.poll(async () => (await own.vtr(['serve', '--status'])).status).toBe(3);
      git(repo, 'worktree', 'remove', path);
      await own.result(['serve', '--daemon']);
      expect(await last('done')).toEqual(place);
      expect(await last('stopped')).toEqual({ ...place, branch: 'more' });
      const { groups } = await own.json('ls', '--by', 'branch');
      expect(groups.map(({ value }: { value: string }) => value)).toEqual(['fix', 'more']);
      expect(await own.ok('info', 'done')).toMatch(/^branch +fix$/m);
    },
  );

  needs('git')('has an agent that vtr start has started', async () => {
    const repo = repository();
    const agent = testProgram('coding-agent.mjs');
    const bin = tree({ codex: `#!/bin/sh\nexec '${process.execPath}' '${agent}' "$@"\n` });
    chmodSync(join(bin, 'codex'), 0o755);
    const env = { PATH: `${bin}:${process.env['PATH']}` };
    const words = ['start', 'codex', '--worktree', 'fix', '--', 'prompted'];
    expect(await place.vtr(words, { cwd: repo, env })).toMatchObject({
      status: 0,
      stdout: 'fix\n',
    });
    await shows('fix', { cwd: `${repo}.fix`, branch: 'fix', agent: { kind: 'codex' } });
  });
});
