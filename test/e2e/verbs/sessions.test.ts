import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Place } from '../../support/command/vtr-command.ts';
import { isAlive } from '../../support/pty/process-facts.ts';
import { needs } from '../../support/run/needs.ts';

const place = Place.forAll();

describe('vtr spawn', () => {
  it('[S3.06] starts a coordinator if needed, and the program as requested', async () => {
    const directory = join(place.directory, 'work');
    mkdirSync(directory);
    const line = ['--cmd', 'echo "$COLOR in $PWD"; stty size', '--cwd', directory];
    const rest = ['--cols', '100', '--rows', '30', '--env', 'COLOR=red'];
    expect(await place.ok('spawn', 'job', ...line, ...rest)).toBe('job\n');
    const lines = await place.sees('job', '30 100');
    expect(lines[0]).toBe(`red in ${realpathSync(directory)}`);
  });

  it('accepts a program with any arguments after --', async () => {
    await place.ok(
      'spawn',
      'args',
      '--',
      'sh',
      '-c',
      'printf "<%s>" "$@"; sleep 9',
      '-',
      '--x',
      'a b',
    );
    await place.sees('args', '<--x><a b>');
  });

  it('starts the shell in the current directory under a generated name by default', async () => {
    const name = (await place.ok('spawn')).trim();
    expect(name).toMatch(/^sess_[a-z0-9]{8}$/);
    const info = await place.json('info', name);
    expect(info).toMatchObject({ program: '/bin/sh', cwd: place.directory, status: 'running' });
  });

  it('ends and removes it at its limits, and reports that', async () => {
    await place.ok('spawn', 'short', '--max-run', '300ms', '--', 'cat');
    await place.ok('spawn', 'unused', '--idle-timeout', '100ms', '--', 'cat');
    await place.ok('spawn', 'brief', '--keep-exited', '100ms', '--', 'true');
    const limits = ['--max-memory', '512', '--max-cpu', '50'];
    await place.ok('spawn', 'long', '--idle-timeout', '1h30m', ...limits, '--', 'cat');
    await place.result(['wait', 'short', '--exit']);
    const names = async () => {
      const { sessions } = await place.json('ls');
      return sessions.map(({ name }: { name: string }) => name);
    };
    await expect.poll(names).toEqual(['short', 'long']);
    expect(await place.json('info', 'short')).toMatchObject({
      lifetime: { idle_ms: null, keep_exited_ms: null, max_run_ms: 300 },
      ended_by: { reason: 'run_time', limit: 300, measured: null },
    });
    expect(await place.ok('info', 'short')).toContain('ended     ran for 300ms');
    const text = await place.ok('info', 'long');
    expect(text).toMatch(/^lifetime +removed when unused for 1h30m$/m);
    expect(text).toMatch(/^limits +512 MiB of memory, 50% of all processors; limits cover /m);
    expect((await place.json('info', 'long')).limits).toEqual({
      memory_bytes: 512 * 1024 * 1024,
      cpu_percent: 50,
    });
  });

  it('refuses a name in use, invalid values, and two programs', async () => {
    await place.shell('one');
    const status = async (...words: string[]) => (await place.result(['spawn', ...words])).status;
    expect(await status('one')).toBe(5);
    expect(await status('a/b')).toBe(2);
    expect(await status('two', '--', 'no-such-program')).toBe(8);
    expect(await status('two', '--cwd', '/no/such/directory')).toBe(8);
    expect(await status('two', '--cols', '0')).toBe(2);
    expect(await status('two', '--env', '=x')).toBe(2);
    expect(await status('two', '--cmd', 'a', '--', 'b')).toBe(2);
    expect(await status('two', '--size', '80x24', '--cols', '10')).toBe(2);
    expect(await status('two', '--size', '80x24', '--rows', '5')).toBe(2);
    expect((await place.json('ls')).sessions).toHaveLength(1);
  });

  it('starts no coordinator with --no-start, and names the command that does', async () => {
    const place = new Place();
    const { status, stderr } = await place.result(['spawn', 'one', '--no-start']);
    expect(status).toBe(3);
    expect(stderr).toContain(`no coordinator answers at ${place.socket}`);
    expect(stderr).toContain('vtr serve --daemon');
  });
});

describe('vtr ls', () => {
  it('[S3.05] lists sessions in a table, and as JSON', async () => {
    await place.ok('spawn', 'codex', '--size', '120x40', '--', 'cat');
    await place.ok('spawn', 'done', '--', 'true');
    await place.result(['wait', 'done', 'never']);
    // By need, the program that has ended comes first.
    const [head, ...rows] = (await place.ok('ls', '--sort', 'age')).trimEnd().split('\n');
    expect(head?.split(/ {2,}/)).toEqual(['SESSION', 'STATE', 'FOR', 'COMMAND', 'DIRECTORY']);
    expect(rows.map((row) => row.split(/ {2,}/).toSpliced(2, 1))).toEqual([
      ['codex', expect.stringMatching(/^(running|awaiting input)$/), 'cat', place.directory],
      ['done', 'exited 0', 'true', place.directory],
    ]);
    const { sessions } = await place.json('ls');
    expect(sessions).toMatchObject([
      { coordinator: 'default', name: 'codex', status: 'running', cols: 120, rows: 40 },
      { coordinator: 'default', name: 'done', status: 'exited', exit_code: 0, signal: null },
    ]);
    expect(sessions[0].created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('is empty and succeeds without a coordinator, and starts none', async () => {
    const place = new Place();
    expect(await place.json('ls')).toEqual({ sessions: [] });
    expect(existsSync(place.socket)).toBe(false);
  });

  it('fails if the named coordinator does not answer', async () => {
    const { status, stdout, stderr } = await new Place().vtr(['ls', '--coordinator', '/no/x.sock']);
    expect({ status, stdout }).toEqual({ status: 3, stdout: '' });
    expect(stderr).toContain('/no/x.sock');
  });
});

describe('vtr info', () => {
  it('[S3.11] prints program, size, state and exit status', async () => {
    await place.ok('spawn', 'job', '--', 'sh', '-c', 'exit 3');
    await place.result(['wait', 'job', 'never']);
    expect(await place.json('info', 'job')).toMatchObject({
      name: 'job',
      status: 'exited',
      exit_code: 3,
      args: ['-c', 'exit 3'],
    });
    const text = await place.ok('info', 'job');
    expect(text).toMatch(/^status +exited 3$/m);
    expect(text).toMatch(/^saved +on disk$/m);
  });

  needs('bash')('prints the activity, with its evidence', async () => {
    await place.ok('spawn', 'sh', '--', 'bash');
    await place.ok('wait', 'sh', '--prompt');
    expect(await place.json('info', 'sh')).toMatchObject({
      activity: {
        state: 'at_prompt',
        evidence: { shell_mark: 'prompt', prompt_pattern: true, alternate_screen: false },
      },
      shell_integration: 'integrated',
    });
    expect(await place.ok('info', 'sh')).toMatch(
      /^activity +at prompt: last shell mark: prompt, .*\nshell +commands are marked by vtr's shell integration/m,
    );
    await place.ok('spawn', 'full', '--', 'sh', '-c', `printf '\\033[?1049hmenu'; sleep 60`);
    await place.ok('wait', 'full', '--screen', 'menu');
    const { activity, shell_integration } = await place.json('info', 'full');
    expect([activity.state, shell_integration]).toEqual(['full_screen', 'none']);
  });

  it('suggests a similar session', async () => {
    await place.shell('codex');
    const { status, stderr } = await place.result(['info', 'codxe']);
    expect(status).toBe(4);
    expect(stderr).toMatch(/^vtr: session "codxe" not found: .*did you mean codex.*\n$/);
    // The user's own coordinator is not named.
    expect(stderr).not.toContain(place.socket);
  });

  it('finds no session without a coordinator, names the socket and starts none', async () => {
    const place = new Place();
    const { status, stderr } = await place.result(['info', 'codex']);
    expect(status).toBe(4);
    expect(stderr).toMatch(
      new RegExp(`session codex not found: .*${place.socket}.*vtr spawn codex`),
    );
    expect(existsSync(place.socket)).toBe(false);
  });
});

describe('vtr kill', () => {
  it('[S3.08] signals the program; the session stays', async () => {
    for (const [signal, name] of [
      [[], 'SIGTERM'],
      [['--signal', 'KILL'], 'SIGKILL'],
      [['-s', 'sigint'], 'SIGINT'],
    ] as const) {
      await place.ok('spawn', name, '--', 'sleep', '60');
      await place.ok('kill', name, ...signal);
      await place.result(['wait', name, 'never']);
      expect(await place.json('info', name)).toMatchObject({ status: 'exited', signal: name });
    }
    expect((await place.result(['kill', 'SIGTERM'])).status).toBe(6);
    expect((await place.result(['kill', 'SIGTERM', '-s', 'NONE'])).status).toBe(2);
  });

  it('says that a program does not end by TERM, and how it ends', async () => {
    await place.ok('spawn', 'shell', '--wait', '--prompt', '--', 'sh', '-i');
    await place.ok(
      'spawn',
      'deaf',
      '--wait',
      'on',
      '--',
      'sh',
      '-c',
      'trap "" TERM; echo on; read x',
    );
    await place.ok('spawn', 'sleep', '--', 'sleep', '60');
    const all = await place.result(['kill', 'shell', 'deaf', 'sleep']);
    expect(all).toMatchObject({ status: 0, stdout: 'shell\ndeaf\nsleep\n' });
    expect(all.stderr.split('\n').sort()).toEqual([
      '',
      'vtr: session deaf: TERM was sent, and sh still runs (interactive shells ignore TERM); to end it: vtr kill deaf --signal HUP',
      'vtr: session shell: TERM was sent, and sh still runs (interactive shells ignore TERM); to end it: vtr kill shell --signal HUP',
    ]);
    const { stdout, stderr } = await place.result(['kill', 'shell', '--json']);
    expect(JSON.parse(stdout).signalled).toMatchObject([{ name: 'shell', ended: false }]);
    expect(JSON.parse(stderr).note).toContain('--signal HUP');
    await place.ok('kill', 'shell', '--signal', 'HUP');
    expect((await place.vtr(['wait', 'shell', '--exit'])).status).toBe(0);
  });

  it('sends nothing if a word is a signal and no session', async () => {
    await place.ok('spawn', 'alive', '--', 'cat');
    await place.ok('spawn', '15', '--', 'cat');
    for (const [word, hint] of [
      ['SIGUSR1', 'USR1'],
      ['int', 'INT'],
      ['9', 'NAME'],
      ['SIGFOO', 'NAME'],
    ] as const) {
      for (const words of [
        ['alive', word],
        [word, 'alive'],
      ]) {
        const { status, stdout, stderr } = await place.result(['kill', ...words]);
        expect({ words, status, stdout }).toEqual({ words, status: 2, stdout: '' });
        expect(stderr).toContain(`no session ${word}, and no signal was sent`);
        expect(stderr).toContain(`--signal ${hint}\n`);
      }
    }
    expect((await place.json('info', 'alive')).status).toBe('running');
    expect(await place.ok('kill', 'alive', '15')).toBe('alive\n15\n');
  });
});

describe('vtr rm', () => {
  it('[S3.07] ends the program and its descendants, and removes the session', async () => {
    await place.ok('spawn', 'tree', '--', 'sh', '-c', 'sleep 60 & echo $!; wait');
    const [pid] = (await place.sees('tree', '')).filter((line) => /^\d+$/.test(line));
    const { pid: leader } = await place.json('info', 'tree');
    await place.ok('rm', 'tree');
    expect([Number(pid), leader].filter(isAlive)).toEqual([]);
    expect((await place.result(['rm', 'tree'])).status).toBe(4);
  });

  it('kills a program that ignores signals at once with --force', async () => {
    await place.ok('spawn', 'deaf', '--', 'sh', '-c', 'trap "" HUP TERM; echo up; sleep 60');
    await place.sees('deaf', 'up');
    await place.ok('rm', 'deaf', '--force');
    expect(await place.json('ls')).toEqual({ sessions: [] });
  });
});
