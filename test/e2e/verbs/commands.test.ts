import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Following } from '../../support/command/following.ts';
import { Place, type Run, vtrFile } from '../../support/command/vtr-command.ts';
import { needs, provided } from '../../support/run/needs.ts';

const place = Place.forAll();

const bash = (...flags: readonly string[]) =>
  place.ok('spawn', 'sh', '--env', 'PS1=$ ', ...flags, '--', 'bash');

type Ended = Omit<Run, 'signal'>;

/** Makes a call with growing timeouts until the program has printed something before. */
async function timedOut(call: (timeout: string) => Promise<Ended>): Promise<Ended> {
  for (let ms = 300; ; ms *= 2) {
    const run = await call(`${ms}ms`);
    if (run.stdout !== '') return run;
  }
}

const onLinux = provided(process.platform === 'linux', 'only on Linux: reads /proc');

describe('vtr run', () => {
  needs('bash')('prints the exact output of a line, and exits with its status', async () => {
    await bash();
    const run = (...words: string[]) => place.result(['run', 'sh', ...words]);
    const success = { status: 0, stderr: '' };
    expect(await run('--', 'echo', 'a   b;', 'echo', '"c   d"')).toEqual({
      ...success,
      stdout: 'a b\nc   d\n',
    });
    expect(await run('--', 'printf abc; (exit 7)')).toEqual({
      ...success,
      status: 7,
      stdout: 'abc',
    });
    expect(await run('--', 'true')).toEqual({ ...success, stdout: '' });
    expect(await run('--', 'echo')).toEqual({ ...success, stdout: '\n' });
    const some = await run('--both', '2', '--', 'seq', '9');
    expect(some).toMatchObject({ status: 0, stdout: '1\n9\n' });
    expect(some.stderr).toContain('omitted: 7 lines');
  });

  needs('bash')('prints the whole result as JSON, and exits with the same status', async () => {
    await bash();
    const { status, stdout } = await place.result(['run', 'sh', '--json', '--', 'echo hi; false']);
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      name: 'sh',
      outcome: 'finished',
      command_exit_code: 1,
      command: { number: 1, line: 'echo hi; false', exit_code: 1, state: 'ended' },
      output: { head: '', tail: 'hi', omitted: null },
      open_end: false,
      gap: { lines: 0, bytes: 0 },
      exit_code: null,
      timed_out: false,
      mark: expect.stringMatching(/^r1-/),
    });
  });

  needs('bash')('leaves a line running after the timeout, and sends no other', async () => {
    const late = await timedOut(async (timeout) => {
      await place.result(['rm', 'sh', '--force']);
      await bash();
      return place.result(['run', 'sh', '--timeout', timeout, '--', 'echo on; sleep 60']);
    });
    expect(late).toMatchObject({ status: 9, stdout: 'on\n' });
    expect(late.stderr).toMatch(
      /^vtr: session sh: timed out after [\d.]+m?s; the command is still running\n$/,
    );
    const refused = await place.result(['run', 'sh', '--timeout', '2s', '--', 'ls']);
    expect(refused).toMatchObject({ status: 6, stdout: '' });
    expect(refused.stderr).toMatch(
      /waiting for the prompt; sleep is running\n.*"echo on; sleep 60" has been running for \d+ s, and no prompt came/,
    );
  });

  needs('bash', 'python3')(
    'asks a shell without integration for the status, unless --no-query, and reports its exit',
    async () => {
      await bash('--no-shell-integration');
      const result = await place.result(['run', 'sh', '--', 'echo hi; false']);
      expect(result).toMatchObject({ status: 1, stdout: 'hi\n', stderr: '' });
      const unknown = await place.result(['run', 'sh', '--no-query', '--', 'echo hi; false']);
      expect(unknown).toMatchObject({ status: 12, stdout: 'hi\n' });
      expect(unknown.stderr).toContain('exit status unknown');
      const own = ['run', 'sh', '--no-query', '--prompt-pattern', '[$#] $', '--', 'echo own'];
      expect(await place.vtr(own)).toMatchObject({ status: 12, stdout: 'own\n' });
      const gone = await place.result(['run', 'sh', '--', 'exit 3']);
      expect(gone.status).toBe(6);
      expect(gone.stderr).toContain('the shell exited with status 3');
      const { stdout } = await place.result(['info', 'sh']);
      expect(stdout).toMatch(/^activity +exited$/m);
      await place.ok('spawn', 'py', '--', 'python3', '-q');
      const many = await place.result(['run', 'py', '--', 'for i in range(12000): print(i)\n']);
      expect(many.stderr).toMatch(/earlier lines .*: vtr screen py --scrollback 1200\d\n/);
      const ended = await place.result(['run', 'py', '--', 'exit(4)']);
      expect(ended).toMatchObject({
        status: 6,
        stderr: expect.stringMatching(/: python3\S* exited with status 4/),
      });
    },
  );

  onLinux('ends when the program waits for input, and says for which', async () => {
    await bash();
    const result = await place.result(['run', 'sh', '--', 'echo on; read -p "name? " x']);
    expect(result).toMatchObject({ status: 13, stdout: 'on\nname? ' });
    expect(result.stderr).toBe('vtr: session sh: the program waits for input: name?\n');
    await place.result(['send', 'sh', 'me', '-e', '--wait', '--finished']);
    const secret = await place.result(['run', 'sh', '--json', '--', 'read -s -p "code: " x']);
    expect(secret.status).toBe(13);
    expect(JSON.parse(secret.stdout)).toMatchObject({ outcome: 'password', question: 'code:' });
    await place.result(['key', 'sh', 'enter', '--wait', '--finished']);
    const silent = await place.result(['run', 'sh', '--', 'cat']);
    const hint = 'cat waits for input; to see it: vtr screen sh';
    expect(silent).toMatchObject({ status: 13, stderr: `vtr: session sh: ${hint}\n` });
    await place.result(['key', 'sh', 'ctrl+d', '--wait', '--finished']);
    const late = ['run', 'sh', '--no-asks', '--timeout', '1500ms', '--', 'cat'];
    expect(await place.vtr(late)).toMatchObject({ status: 9 });
  });

  const withPython = process.platform === 'linux' ? needs('python3') : onLinux;
  withPython('works at the prompt of a program in the shell', async () => {
    await bash();
    expect(await place.result(['run', 'sh', '--', 'python3 -q'])).toMatchObject({ status: 13 });
    const power = await place.result(['run', 'sh', '--', '2**100']);
    expect(power).toMatchObject({ status: 0, stdout: '1267650600228229401496703205376\n' });
    const unknown =
      /^vtr: session sh: exit status unknown: python3[\d.]* reports none(?<means> for a line; 0 means .*)?\n$/;
    expect(unknown.exec(power.stderr)?.groups?.['means']).toBeDefined();
    // A line that fails is told from one that works by its output only, so each is told to have no status.
    const next = await place.result(['run', 'sh', '--', '1 / 0']);
    expect(next).toMatchObject({ status: 0, stdout: expect.stringContaining('ZeroDivisionError') });
    expect(unknown.exec(next.stderr)?.groups).toEqual({ means: undefined });
    const json = JSON.parse(await place.ok('run', 'sh', '--json', '--', '6 * 7'));
    expect(json).toMatchObject({ status: 'unknown', command_exit_code: null });
    expect(json.program).toMatch(/^python3/);
  });

  it('starts a line with --detach, and exits', async () => {
    await bash();
    const started = await place.result(['run', 'sh', '--detach', '--', 'sleep 0.5; echo late']);
    expect(started).toMatchObject({ status: 0, stderr: '' });
    expect(started.stdout).toMatch(/^command 1\nmark r1-\S+\n$/);
    const [, mark = ''] = /mark (\S+)/.exec(started.stdout) ?? [];
    await place.result(['wait', 'sh', '--finished', '--since', mark]);
    expect(await place.ok('output', 'sh', '--command', '1')).toBe('late\n');
  });

  it('interrupts the line on the first ctrl+c', async () => {
    await bash();
    const words = [vtrFile, 'run', 'sh', '--', 'echo begun; sleep 60'];
    const child = spawn(process.execPath, words, { env: place.env, cwd: place.directory });
    const ended = new Promise((resolve) => child.once('close', resolve));
    await place.ok('wait', 'sh', '--screen', '^begun');
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    expect(await place.result(['run', 'sh', '--', 'echo on'])).toMatchObject({ stdout: 'on\n' });
    const { commands } = await place.json('commands', 'sh');
    expect(commands).toMatchObject([
      { number: 1, exit_code: 130 },
      { number: 2, exit_code: 0 },
    ]);
  });

  it('is cancelled by ctrl+c while it waits for the prompt, and leaves the command that runs', async () => {
    await bash();
    await place.ok('run', 'sh', '--detach', '--', 'sleep 60');
    const words = [vtrFile, 'run', 'sh', '--', 'echo never'];
    const child = spawn(process.execPath, words, { env: place.env, cwd: place.directory });
    const ended = new Promise((resolve) => child.once('close', resolve));
    let stderr = '';
    child.stderr.on('data', (bytes) => {
      stderr += bytes;
    });
    await expect
      .poll(() => stderr)
      .toBe('vtr: session sh: waiting for the prompt; sleep is running\n');
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    expect(stderr).toMatch(/session sh: cancelled; nothing was typed\n$/);
    const { commands } = await place.json('commands', 'sh');
    expect(commands).toMatchObject([{ line: 'sleep 60', state: 'running' }]);
  });

  const warning = 'vtr: warning: --timeout after -- went to';
  it.each<[string, string[], string | null]>([
    [
      'a flag that the program refuses',
      ['ls', '--timeout', '5s'],
      `${warning} ls; flags of vtr run stand before --\n`,
    ],
    [
      'one that only vtr has',
      ['echo', '--no-asks'],
      'vtr: warning: --no-asks after -- went to echo; flags of vtr run stand before --\n',
    ],
    ['one that the program takes', ['echo', '--json', '--timeout', '5s'], null],
    ['a program that fails for another reason', ['ls', '--all', '/nowhere/--tail'], null],
    ['a word of a line', ["echo 'invalid --timeout'; false", 'x'], null],
  ])('warns of %s after --', async (_what, words, says) => {
    await bash();
    const { stderr } = await place.result(['run', 'sh', '--', ...words]);
    expect(stderr).toBe(says ?? '');
    const exec = await place.vtr(['exec', '--', ...words]);
    const isWarned = exec.stderr.includes('flags of vtr exec stand before --');
    if (!words.some((word) => word.includes(';'))) expect(isWarned).toBe(says !== null);
  });

  it.each<[string, string[], number, string]>([
    ['no line', ['sh'], 2, 'missing LINE after --'],
    ['an empty line', ['sh', '--', ' '], 2, 'LINE is empty; vtr key SESSION enter presses enter'],
    ['a line without --', ['sh', 'ls'], 2, 'unexpected argument "ls"; put LINE after --'],
    ['a program without a prompt', ['sh', '--timeout', '300ms', '--', 'ls'], 6, 'no prompt'],
    ['an unknown session', ['she', '--', 'ls'], 4, '"she"'],
  ])('refuses %s', async (_what, words, status, says) => {
    await place.ok('spawn', 'sh', '--', 'sleep', '60');
    const refused = await place.result(['run', ...words]);
    expect([refused.status, refused.stdout]).toEqual([status, '']);
    expect(refused.stderr).toContain(says);
  });
});

describe('vtr commands', () => {
  needs('bash')('lists the commands of the shell, as a table and as JSON', async () => {
    await bash('--cwd', '/');
    await place.ok('run', 'sh', '--', 'cd /tmp');
    await place.result(['run', 'sh', '--', 'false | false']);
    const [heads, ...rows] = (await place.ok('commands', 'sh')).trimEnd().split('\n');
    expect(heads).toMatch(/^NUMBER +STATUS +TIME +DIRECTORY +LINE$/);
    expect(rows).toEqual([
      expect.stringMatching(/^1 +0 +\S+ +\/ +cd \/tmp$/),
      expect.stringMatching(/^2 +1 +\S+ +\/tmp +false \| false$/),
    ]);
    const last = await place.json('commands', 'sh', '--last', '1');
    expect(last).toMatchObject({ name: 'sh', integration: 'integrated', dropped: 0 });
    expect(last.commands).toMatchObject([
      { number: 2, line: 'false | false', cwd: '/tmp', state: 'ended', exit_code: 1 },
    ]);
    expect(Date.parse(last.commands[0].started_at)).toBeLessThanOrEqual(
      Date.parse(last.commands[0].ended_at),
    );
  });

  needs('bash')(
    '--follow prints them as they begin and end, also across kill -9 of the daemon',
    async () => {
      const place = new Place();
      await place.ok('spawn', 'sh', '--cwd', '/', '--env', 'PS1=$ ', '--', 'bash');
      await place.ok('run', 'sh', '--', 'echo old');
      await place.ok('send', 'sh', 'read -r\r');
      const table = new Following(place, 'commands', 'sh', '--follow');
      const lines = new Following(place, 'commands', 'sh', '--follow', '--json', '--last', '5');
      await table.prints(/^2 +running +\/ +read -r\n/);
      await lines.prints('"line":"read -r"');
      await place.ok('send', 'sh', '\r', '--wait', '--prompt');
      process.kill((await place.json('serve', '--status')).pid, 'SIGKILL');
      await place.result(['run', 'sh', '--', '(exit 3)']);
      await table.prints(/^3 +3 /m);
      await lines.prints('"number":3,"line":"(exit 3)","cwd":"/","state":"ended","exit_code":3');
      await place.ok('send', 'sh', 'exit 4\r');
      expect(await Promise.all([table.ended, lines.ended])).toEqual([0, 0]);
      expect(
        table.stdout.split('\n').map((line) => line.split(/ +/).slice(0, 2).join(' ')),
      ).toEqual([...['2 running', '2 0', '3 running', '3 3', '4 running', '4 4', '']]);
      const events = lines.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(
        events.map(({ event, session, number, state }) => [event, session, number, state]),
      ).toEqual([
        ['command', 'sh', 1, 'ended'],
        ...[2, 3, 4].flatMap((number) => [
          ['command', 'sh', number, 'running'],
          ['command', 'sh', number, 'ended'],
        ]),
        ['exit', 'sh', undefined, undefined],
      ]);
      expect(events.at(-1)).toMatchObject({ exit_code: 4 });
    },
  );

  it('reports that the shell marks no commands', async () => {
    await place.ok('spawn', 'cat', '--', 'cat');
    const none = await place.result(['commands', 'cat']);
    expect(none).toMatchObject({ status: 0, stdout: '' });
    expect(none.stderr).toContain('the shell does not mark them');
    expect((await place.result(['commands', 'cat', '--last', '0'])).status).toBe(2);
  });
});

describe('a line that runs no command', () => {
  for (const [shell, code] of [
    ['bash', 2],
    ['zsh', 1],
    ['fish', 127],
  ] as const) {
    needs(shell)(`has the status of ${shell} for a syntax error`, async () => {
      await place.ok('spawn', 'k', '--', shell);
      for (const line of ['echo )', ')']) {
        const { status, stdout, stderr } = await place.result(['run', 'k', '--', line]);
        expect([line, status, stderr]).toEqual([line, code, '']);
        expect(stdout).toMatch(/syntax error|parse error|Unexpected/);
      }
      expect(await place.ok('run', 'k', '--', 'echo next')).toBe('next\n');
    });
  }

  needs('bash')('has no status if it is a comment', async () => {
    await place.ok('spawn', 'k', '--', 'bash');
    await place.result(['run', 'k', '--', 'false']);
    for (const line of ['# a comment', '  # one\n# two']) {
      expect(await place.result(['run', 'k', '--', line])).toMatchObject({
        status: 12,
        stderr: 'vtr: session k: exit status unknown: the line ran no command\n',
      });
    }
    expect(await place.ok('run', 'k', '--', 'echo next')).toBe('next\n');
  });
});

describe('a shell that another program starts', () => {
  it.each([
    ['env', ['A=1', 'bash', '--norc']],
    ['nice', ['-n', '1', 'bash', '--noprofile', '--norc']],
    ['timeout', ['60', 'bash']],
    ['stdbuf', ['-oL', 'bash', '-l']],
    ['sh', ['-c', 'exec env B=2 bash -i']],
    ['bash', ['-c', 'exec -a other bash --norc']],
  ])('is integrated: %s %j', async (program, args) => {
    await place.ok('spawn', 'k', '--', program, ...args);
    const { status, stdout } = await place.result(['run', 'k', '--', 'echo "$A$B"; (exit 3)']);
    expect([status, stdout]).toEqual([3, `${/(?<=[AB]=)\d/.exec(args.join(' ')) ?? ''}\n`]);
    expect(await place.json('info', 'k')).toMatchObject({
      shell_integration: 'integrated',
      integration_reason: null,
    });
  });

  it.each([
    [['sh'], 'sh is not bash, zsh or fish'],
    [['env', '-i', 'bash'], 'env was started with -i'],
    [['bash', '--posix'], 'bash was started with --posix'],
  ])('is not integrated, with the reason: %j', async (words, reason) => {
    await place.ok('spawn', 'k', '--', ...words);
    expect((await place.result(['run', 'k', '--no-query', '--', 'true'])).stderr).toBe(
      `vtr: session k: exit status unknown: no shell integration: ${reason}\n`,
    );
    expect(await place.json('info', 'k')).toMatchObject({
      shell_integration: 'none',
      integration_reason: reason,
    });
    expect(await place.ok('info', 'k')).toMatch(
      new RegExp(`^shell +commands are not marked: ${reason}$`, 'm'),
    );
    expect((await place.result(['commands', 'k'])).stderr).toBe(
      `vtr: session k: no commands; the shell does not mark them: ${reason}\n`,
    );
    expect((await place.json('commands', 'k')).integration_reason).toBe(reason);
  });

  it('is not integrated if that is turned off', async () => {
    await place.ok('spawn', 'k', '--no-shell-integration', '--', 'bash');
    expect((await place.json('info', 'k')).integration_reason).toBe('it is turned off');
  });
});

describe('vtr output', () => {
  needs('bash')('prints what a command wrote after the screen was cleared', async () => {
    await bash();
    await place.ok('run', 'sh', '--', 'echo keep1');
    await place.ok('run', 'sh', '--', 'clear');
    const painted = await place.ok('run', 'sh', '--', 'tput cup 3 3; echo here');
    expect(painted).toBe('here\n');
    expect(await place.ok('run', 'sh', '--', 'echo x; clear; echo y')).toBe('x\ny\n');
    await place.ok('key', 'sh', 'ctrl+l');
    expect(await place.ok('output', 'sh', '--command', '1')).toBe('keep1\n');
    expect(await place.ok('output', 'sh', '--command', '2')).toBe('');
    expect(await place.ok('grep', 'sh', '.', '--command', '1')).toBe('output:0: keep1\n');
    expect(await place.json('grep', 'sh', 'keep', '--command', '1')).toMatchObject({
      matches: [{ line_number: 0, line_id: null, in_output: true, line: 'keep1' }],
    });
  });

  needs('bash')('keeps the tabs of a file', async () => {
    await bash();
    const text = 'all: a.o\n\tcc -o all\ta.o\n\nclean:\n\trm -f *.o\t# x\n';
    writeFileSync(join(place.directory, 'Makefile'), text);
    expect(await place.ok('run', 'sh', '--', `cat ${place.directory}/Makefile`)).toBe(text);
    expect(await place.ok('output', 'sh')).toBe(text);
    expect((await place.result(['read', 'sh', '--tail', '6'])).stdout).toContain(text);
    expect(await place.ok('exec', '--', 'cat', join(place.directory, 'Makefile'))).toBe(text);
    expect(await place.ok('grep', 'sh', '  cc', '--command', '1')).toMatch(/: {9}cc -o all/);
  });

  needs('bash')('prints the bytes that a command wrote', async () => {
    await bash();
    const line = "printf '\\033[31ma\\tb\\n'";
    const bytes = '\x1b[31ma\tb\r\n';
    expect(await place.ok('run', 'sh', '--raw', '--', line)).toBe(bytes);
    expect(await place.ok('output', 'sh', '--raw')).toBe(bytes);
    expect(await place.json('output', 'sh', '--raw')).toMatchObject({
      raw: { base64: Buffer.from(bytes).toString('base64'), omitted_bytes: 0 },
    });
    const both = await place.result(['output', 'sh', '--raw', '--ansi']);
    expect([both.status, both.stderr]).toEqual([2, expect.stringContaining('cannot be used')]);
  });

  needs('bash')('keeps and reports invisible characters, also between colours', async () => {
    await bash();
    await place.result(['run', 'sh', '--', 'printf "a\\u200bb\\n"']);
    for (const flags of [[], ['--ansi']]) {
      const { stdout, stderr } = await place.result(['output', 'sh', ...flags]);
      expect(stdout).toContain('a\u200bb');
      expect(stderr).toBe('vtr: 1 invisible character in the output\n');
    }
  });

  needs('bash')('prints the output of one command', async () => {
    await bash();
    await place.ok('run', 'sh', '--', 'printf "\\033[31mred\\033[m\\n"');
    await place.ok('run', 'sh', '--', 'seq 5');
    expect(await place.ok('output', 'sh')).toBe('1\n2\n3\n4\n5\n');
    expect(await place.ok('output', 'sh', '--command', '1')).toBe('red\n');
    const ansi = await place.ok('output', 'sh', '--command', '1', '--ansi');
    expect(ansi).toMatch(/^\x1b\[(0;)?31mred/);
    const tail = await place.result(['output', 'sh', '--command', 'last', '--tail', '2']);
    expect(tail.stdout).toBe('4\n5\n');
    expect(tail.stderr).toContain('omitted: 3 lines');
    for (const budget of [
      ['--tail', '0'],
      ['--head', '0'],
      ['--both', '0'],
      ['--max-bytes', '0'],
    ]) {
      const nothing = await place.result(['output', 'sh', ...budget]);
      expect([budget, nothing.stdout]).toEqual([budget, '']);
      expect(nothing.stderr).toContain('omitted: 5 lines');
    }
    const tailOf = async (lines: string, line: string) =>
      (await place.result(['run', 'sh', '--tail', lines, '--', line])).stdout;
    expect(await tailOf('0', 'seq 3')).toBe('');
    await place.ok('run', 'sh', '--', 'echo a; echo');
    await place.ok('run', 'sh', '--', 'seq 5');
    const blank = await place.result(['output', 'sh', '--command', '4', '--tail', '1']);
    expect(blank.stdout).toBe('\n');
    expect(await place.json('output', 'sh', '--head', '1')).toMatchObject({
      name: 'sh',
      command: { number: 5, line: 'seq 5' },
      output: { head: '1', tail: '', omitted: { lines: 4 } },
      open_end: false,
    });
    const none = await place.result(['output', 'sh', '--command', '9']);
    expect(none).toMatchObject({ status: 4, stdout: '' });
    expect((await place.result(['output', 'sh', '--command', '0'])).status).toBe(2);
  });

  needs('bash')('says that a command left rows on the alternate screen', async () => {
    await place.ok('spawn', 'left', '--', 'bash', '--norc');
    const run = await place.result(['run', 'left', '--', "printf '\\033[?1049hhello'"]);
    expect(run).toMatchObject({ status: 0, stdout: '' });
    expect(run.stderr).toContain(
      'not printed: 1 row that the command left on the alternate screen',
    );
    expect((await place.json('output', 'left')).gap).toEqual({ lines: 0, bytes: 0, rows: 1 });
    const then = await place.result(['screen', 'left', '--at', 'command:1']);
    expect(then.stdout).toContain('hello');
    expect(await place.ok('exec', '--', 'printf', '\\033[?1049hhello')).toContain('hello');
  });
});

describe('the output of a long command', () => {
  needs('bash')('is whole, also after the daemon was replaced', async () => {
    await place.ok('spawn', 'long', '--', 'bash');
    const all = Array.from({ length: 50_000 }, (_, index) => `${index + 1}\n`).join('');
    expect(await place.ok('run', 'long', '--', 'seq 50000')).toBe(all);
    await place.vtr(['serve', '--restart']);
    expect(await place.ok('output', 'long', '--command', 'last')).toBe(all);
    expect(await place.ok('grep', 'long', '^7$', '--command', 'last')).toContain(': 7\n');
  });
});
