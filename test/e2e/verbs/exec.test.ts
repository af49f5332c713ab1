import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Place, type Run, vtrFile } from '../../support/command/vtr-command.ts';
import { isAlive } from '../../support/pty/process-facts.ts';
import { needs, provided } from '../../support/run/needs.ts';

const place = Place.forAll();

type Ended = Omit<Run, 'signal'>;

/** Makes a call with growing timeouts until the program has printed something before. */
async function timedOut(call: (timeout: string) => Promise<Ended>): Promise<Ended> {
  for (let ms = 300; ; ms *= 2) {
    const run = await call(`${ms}ms`);
    if (run.stdout !== '') return run;
  }
}

const onLinux = provided(process.platform === 'linux', 'only on Linux: reads /proc');
describe('vtr exec', () => {
  const sessions = async (): Promise<string[]> =>
    (await place.json('ls')).sessions.map(({ name }: { name: string }) => name);

  it('prints the output of a program, exits with its status and leaves no session', async () => {
    const exec = (...words: string[]) => place.vtr(['exec', ...words]);
    const script = 'test -t 1 && seq 100; pwd; tput cols; printf "$WORD"; exit 3';
    mkdirSync(join(place.directory, 'in here'));
    const flags = [
      '--cwd',
      'in here',
      '--env',
      'WORD=one',
      '--env',
      'TERM=xterm',
      '--size',
      '50x9',
    ];
    const { status, stdout, stderr } = await exec(...flags, '--', 'sh', '-c', script);
    const numbers = Array.from({ length: 100 }, (_, index) => `${index + 1}\n`).join('');
    expect([status, stderr]).toEqual([3, '']);
    expect(stdout).toBe(`${numbers}${join(place.directory, 'in here')}\n50\none`);
    expect(await exec('--', 'true')).toMatchObject({ status: 0, stdout: '', stderr: '' });
    expect((await exec('--', 'stty', 'size')).stdout).toBe('24 120\n');
    expect(await sessions()).toEqual([]);
  });

  it('leaves no session where nobody reads the output', async () => {
    // More than a pipe takes.
    const { stdout } = await place.shellLine(
      `"${process.execPath}" "${vtrFile}" exec -- seq -f %040g 5000 | head -n 1`,
    );
    expect([Number(stdout), await sessions()]).toEqual([1, []]);
  });

  it.each(['exec', 'spawn'])(
    'explains how to give arguments or a shell line if one word holds both: %s',
    async (verb) => {
      const { status, stderr } = await place.vtr([verb, '--', 'echo hi']);
      expect(status).toBe(8);
      expect(stderr).toContain(
        'program "echo hi" was not found in PATH; give its arguments separately: -- echo hi\n' +
          "or give a shell line: --cmd 'echo hi'\n",
      );
      const { stderr: other } = await place.vtr([verb, '--', 'no-such-program'], {
        env: { PATH: '/usr/bin:/some/where' },
      });
      expect(other).toContain('program "no-such-program" was not found in PATH; check the name');
      expect(other).toContain('; PATH is /usr/bin:/some/where\n');
      expect(other).not.toContain('--cmd');
    },
  );

  it('runs a shell line with --cmd', async () => {
    const words = ['exec', '--cmd', 'echo a; echo b | tr b c; exit 5'];
    expect(await place.vtr(words)).toMatchObject({ status: 5, stdout: 'a\nc\n' });
    expect((await place.vtr(['exec'])).stderr).toContain('missing PROGRAM after --, or --cmd LINE');
    expect((await place.vtr(['exec', '--cmd', 'true', '--', 'true'])).status).toBe(2);
  });

  it('prints all of the output, however long it is and few lines are kept', async () => {
    const all = Array.from({ length: 100_000 }, (_, index) => `${index + 1}\n`).join('');
    for (const flags of [[], ['--scrollback', '10']]) {
      const exec = ['exec', ...flags, '--', 'seq', '100000'];
      expect(await place.vtr(exec)).toMatchObject({ status: 0, stderr: '', stdout: all });
    }
    const { stdout } = await place.vtr(['exec', '--json', '--', 'seq', '100000']);
    expect(JSON.parse(stdout)).toMatchObject({ output: all, dropped_lines: 0 });
  });

  it('prints the output as it comes', async () => {
    const script = 'echo one; while [ ! -e go ]; do sleep 0.05; done; echo two';
    const line = `"${process.execPath}" "${vtrFile}" exec -- sh -c '${script}'`;
    // The program goes on when its first line has been printed.
    const { stdout } = await place.shellLine(
      `${line} | { read first; touch go; echo $first; cat; }`,
    );
    expect(stdout).toBe('one\ntwo\n');
  });

  it('ends the program when the reader of the output has gone', async () => {
    const line = `"${process.execPath}" "${vtrFile}" exec -- yes`;
    const { stdout: status } = await place.shellLine(
      `{ { ${line}; echo "status $?" >&3; } | head -n 1; } 3>&1`,
    );
    expect(status.split('\n').sort()).toEqual(['', 'status 141', 'y']);
    expect(await sessions()).toEqual([]);
  });

  provided(process.platform === 'linux', 'only on Linux')(
    'names the program that asks',
    async () => {
      const stderrOf = async (...words: readonly string[]) => {
        const { status, stderr } = await place.vtr(['exec', '--name', 'job', ...words]);
        expect(status).toBe(13);
        return stderr;
      };
      expect(await stderrOf('--', 'cat')).toContain('session job: cat waits for input\n');
      const message = await stderrOf('--keep', '--', 'cat');
      expect(message).toContain('session job: cat waits for input; to see it: vtr screen job\n');
      expect(await place.json('wait', 'job', '--asks')).toMatchObject({ program: 'cat' });
      await place.ok('rm', 'job');
      const result = JSON.parse((await place.vtr(['exec', '--json', '--', 'cat'])).stdout);
      expect(result).toMatchObject({ awaiting_input: true, program: 'cat', guess: false });
    },
  );

  needs('nano')('names the key that leaves an editor', async () => {
    const { status, stderr } = await place.vtr(['exec', '--name', 'job', '--', 'nano']);
    expect(status).toBe(13);
    expect(stderr).toContain('session job: nano waits for input (leave it with the key ctrl+x)\n');
  });

  it('ends with the question when the program asks, unless --no-asks is given', async () => {
    const script = 'printf "Name? "; read x; echo "hello $x"';
    const result = await place.vtr(['exec', '--name', 'job', '--', 'sh', '-c', script]);
    expect(result).toMatchObject({ status: 13, stdout: 'Name? ' });
    expect(result.stderr).toContain('session job: the program waits for input: Name?');
    expect(await sessions()).toEqual([]);
    const json = await place.vtr(['exec', '--json', '--', 'sh', '-c', script]);
    expect(JSON.parse(json.stdout)).toMatchObject({ awaiting_input: true, question: 'Name?' });
    const words = ['exec', '--no-asks', '--name', 'job', '--', 'sh', '-c', script];
    const { ended } = await place.calling('Wait', words);
    await place.sees('job', 'Name');
    await place.ok('send', 'job', 'you', '--enter');
    expect(await ended).toMatchObject({ status: 0, stdout: 'Name? you\nhello you\n' });
  });

  it('types stdin into the program, without echo, up to the end of file', async () => {
    const exec = async (input: string, ...words: readonly string[]) => {
      const { status, stdout } = await place.vtr(['exec', ...words], { input });
      return [status, stdout];
    };
    expect(await exec('foo\n', '--', 'cat')).toEqual([0, 'foo\n']);
    // Neither an interrupt, nor an erased character, nor the end of a line.
    expect(await exec('a\u0003b\u007fc\rd', '--', 'od', '-An', '-c')).toEqual([
      ...[0, '   a 003   b 177   c  \\r   d\n'],
    ]);
    const script = 'read x; echo "got $x"; exit 3';
    expect(await exec('one\n', '--', 'sh', '-c', script)).toEqual([3, 'got one\n']);
    expect(await exec('1\n2\n', '--cmd', 'wc -l | tr -d " "')).toEqual([0, '2\n']);
    expect(await exec('', '--stdin', '--', 'cat')).toEqual([0, '']);
  });

  it('has one status for a missing program, with stdin and without', async () => {
    for (const words of [
      ['--', 'no-such-program', 'x'],
      ['--cmd', 'no-such-program'],
    ]) {
      for (const options of [{}, { input: 'data\n' }]) {
        const missing = await place.vtr(['exec', ...words], options);
        expect([missing.status, missing.stdout]).toEqual([8, '']);
        expect(missing.stderr).toContain('program "no-such-program" was not found in PATH');
      }
    }
  });

  it('says that the terminal cut a line of stdin', async () => {
    const line = `head -c 5000 /dev/zero | tr '\\0' x | '${process.execPath}' '${vtrFile}' exec -- wc -c`;
    const cut = await place.result(['exec', '--cmd', line]);
    expect(cut.stdout).toContain('4095\n');
    expect(cut.stdout.replaceAll('\n', ' ')).toContain(
      '1 line of stdin: the terminal passed on only the first 4095 bytes',
    );
  });

  onLinux(
    'waits for a slow command of its pipeline, and not for a silent pipe of a host',
    async () => {
      const vtr = `'${process.execPath}' '${vtrFile}'`;
      const slow = await place.shellLine(
        `(sleep 1; echo foo) | ${vtr} exec -- cat; echo "status $?"`,
      );
      expect(slow.stdout).toBe('foo\nstatus 0\n');
      const none = await place.shellLine(`(sleep 1; true) | ${vtr} exec -- cat; echo "status $?"`);
      expect(none.stdout).toBe('status 0\n');
      for (const words of [
        [process.execPath, vtrFile, 'exec', '--', 'cat'],
        ['sh', '-c', `${vtr} exec -- cat; exit $?`],
      ]) {
        const [program = '', ...args] = words;
        const child = spawn(program, args, { env: place.env, cwd: place.directory });
        expect(await new Promise((resolve) => child.once('close', resolve))).toBe(13);
      }
    },
  );

  it('prints empty lines at the end, as the program wrote them', async () => {
    const scripts = [
      'echo',
      'echo; echo',
      "printf 'a\\n\\n\\n'",
      "printf 'a'",
      'seq 30; echo; echo',
      "printf '\\n\\n  '",
    ];
    for (const script of [...scripts, 'echo; sleep 0.6; echo; sleep 0.6; echo b; echo']) {
      const plain = await place.shellLine(script);
      const { stdout } = await place.vtr(['exec', '--', 'sh', '-c', script]);
      expect([script, stdout]).toEqual([script, plain.stdout]);
    }
  });

  needs('git', 'less')('shows a long log of git without a pager', async () => {
    const git = 'git -c user.name=n -c user.email=e';
    const message = Array.from({ length: 60 }, (_, index) => `line ${index}`).join('\n');
    await place.shellLine(`git init -q . && ${git} commit -q --allow-empty -m '${message}'`);
    const { status, stdout } = await place.vtr(['exec', '--', 'git', 'log', '-3']);
    expect([status, stdout.includes('line 0\n'), stdout.includes('line 59')]).toEqual([
      0,
      true,
      true,
    ]);
  });

  it('reports signals, the last alternate screen, and the whole result as JSON', async () => {
    const killed = await place.vtr(['exec', '--name', 'job', '--', 'sh', '-c', 'kill -9 $$']);
    expect(killed.status).toBe(137);
    expect(killed.stderr).toBe('vtr: session job: the program was killed by SIGKILL\n');
    const script = `echo before; printf '\\033[?1049h\\033[2;2Hmenu'; exit 2`;
    expect(await place.vtr(['exec', '--', 'sh', '-c', script])).toMatchObject({
      status: 2,
      stdout: 'before\n\n menu',
    });
    const json = await place.vtr(['exec', '--json', '--', 'sh', '-c', 'echo hi; exit 4']);
    expect(json.status).toBe(4);
    expect(JSON.parse(json.stdout)).toMatchObject({
      exit_code: 4,
      signal: null,
      timed_out: false,
      output: 'hi\n',
      dropped_lines: 0,
    });
  });

  it('removes the session after a timeout, except with --keep', async () => {
    const words = ['--', 'sh', '-c', 'echo on; exec sleep 60'];
    const late = await timedOut((timeout) =>
      place.vtr(['exec', '--name', 'late', '--timeout', timeout, ...words]),
    );
    expect(late).toMatchObject({ status: 9, stdout: 'on\n' });
    expect(late.stderr).toMatch(/^vtr: session late: timed out after [\d.]+m?s\n$/);
    expect(await sessions()).toEqual([]);
    const keep = ['exec', '--keep', '--name', 'kept', '--timeout', '50ms'];
    const result = await place.vtr([...keep, ...words]);
    expect(result.status).toBe(9);
    expect(result.stderr).toContain('kept session kept');
    expect(await sessions()).toEqual(['kept']);
  });

  it.each([
    ['', []],
    [' that types stdin', ['--stdin']],
  ] as const)('leaves no session and no program if vtr%s is killed', async (_what, flags) => {
    await place.ok('spawn', 'first', '--', 'cat');
    const words = [
      vtrFile,
      'exec',
      '--name',
      'job',
      ...flags,
      '--',
      'sh',
      '-c',
      'echo on; sleep 600',
    ];
    const child = spawn(process.execPath, words, { env: place.env, cwd: place.directory });
    await expect.poll(() => sessions()).toContain('job');
    const { pid } = await place.json('info', 'job');
    child.kill('SIGKILL');
    await expect.poll(() => sessions(), { timeout: 40_000, interval: 500 }).toEqual(['first']);
    expect(isAlive(pid)).toBe(false);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('removes the session on %s', async (signal) => {
    await place.ok('spawn', 'first', '--', 'cat');
    const words = [vtrFile, 'exec', '--name', 'job', '--', 'sh', '-c', 'echo on; sleep 60'];
    const child = spawn(process.execPath, words, { env: place.env, cwd: place.directory });
    const ended = new Promise((resolve) => child.once('close', resolve));
    await expect.poll(() => sessions()).toContain('job');
    await place.result(['wait', 'job', '--screen', 'on']);
    child.kill(signal);
    expect(await ended).toBe(signal === 'SIGINT' ? 130 : 143);
    expect(await sessions()).toEqual(['first']);
  });

  it.each<[string, string[], number, string]>([
    ['no program', [], 2, 'missing PROGRAM after --'],
    ['an unknown program', ['--', 'no-such-program'], 8, 'no-such-program'],
    ['an unknown directory', ['--cwd', 'nowhere', '--', 'true'], 8, 'nowhere'],
    ['a name in use', ['--name', 'one', '--', 'true'], 5, 'one'],
  ])('refuses %s', async (_what, words, status, says) => {
    await place.ok('spawn', 'one', '--', 'cat');
    const refused = await place.vtr(['exec', ...words]);
    expect([refused.status, refused.stdout]).toEqual([status, '']);
    expect(refused.stderr).toContain(says);
    expect(await sessions()).toEqual(['one']);
  });
});
