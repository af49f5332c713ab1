import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { LocalCoordinator } from '#coordinator';
import type { RunRequest } from '#model';
import { needs, provided } from '../../../test/support/run/needs.ts';
import { hasSshd, Sshd } from '../../../test/support/sshd/sshd.ts';

const canServe = hasSshd && process.platform === 'linux';
const overSsh = (...programs: string[]) =>
  canServe ? needs(...programs) : provided(false, 'needs sshd, on Linux');

/** Only Linux reports which program reads the terminal. */
const using = (...programs: string[]) =>
  process.platform === 'linux' ? needs(...programs) : provided(false, 'only on Linux: reads /proc');

let coordinator: LocalCoordinator;
let home = '';
let client = '';
const ends: (() => void | Promise<void>)[] = [];

beforeAll(async () => {
  coordinator = new LocalCoordinator();
  home = mkdtempSync(join(tmpdir(), 'vtr-relayed-'));
  if (!canServe) return;
  const server = await Sshd.start({ LANG: 'C.UTF-8' }, (end) => ends.unshift(end));
  client = `${server.bin}/ssh -t ${server.address}`;
});
afterAll(async () => {
  await coordinator.close();
  for (const end of ends) await end();
  rmSync(home, { recursive: true, force: true });
});

const run = (name: string, line: string, more: Partial<RunRequest> = {}) =>
  coordinator.run(name, { line, timeoutMs: 60_000, ...more });

let scripts = 0;

/** Starts a shell at the other end of ssh, from a shell that marks its commands. */
async function there(command: string): Promise<string> {
  const script = join(home, `start${scripts++}`);
  writeFileSync(
    script,
    `cd /; HOME=${home}; PS1='there$ '; ENV=; export HOME PS1 ENV\n${command}\n`,
  );
  const env = { HOME: home, HISTFILE: '/dev/null' };
  const { name } = await coordinator.spawn({ program: 'bash', args: ['--norc'], cwd: home, env });
  const first = await run(name, `${client} 'sh ${script}'`);
  expect(first).toMatchObject({ outcome: 'awaiting_input', guess: true });
  return name;
}

const shells = [
  ['bash', 'exec bash --norc -i'],
  ['dash', 'exec dash -i'],
] as const;

describe.each(shells)('run in %s over ssh', (program, command) => {
  overSsh('ssh', program)('does not end at output that looks like a prompt', async () => {
    const name = await there(command);
    const line = 'printf "Checking host $ "; sleep 2; echo ok';
    expect(await run(name, line)).toMatchObject({
      outcome: 'prompt',
      output: { tail: 'Checking host $ ok' },
    });
    expect(await run(name, 'echo next')).toMatchObject({
      outcome: 'prompt',
      output: { tail: 'next' },
    });
  });

  overSsh('ssh', program)('finds the prompt behind output, and in another directory', async () => {
    const name = await there(command);
    expect(await run(name, 'printf abc')).toMatchObject({
      outcome: 'prompt',
      output: { tail: 'abc' },
    });
    expect(await run(name, 'cd /usr')).toMatchObject({ outcome: 'prompt', output: { tail: '' } });
    expect(await run(name, 'pwd')).toMatchObject({ outcome: 'prompt', output: { tail: '/usr' } });
  });

  overSsh(
    'ssh',
    program,
    'vim',
  )('says at once that an editor waits for keys', async () => {
    const name = await there(command);
    expect(await run(name, 'vim -u NONE f')).toMatchObject({
      outcome: 'awaiting_input',
      guess: true,
    });
  });
});

describe('a label at the other side of ssh', () => {
  overSsh('ssh')('is a question, and a guess', async () => {
    const script = join(home, 'label');
    writeFileSync(script, 'printf "name: "; read -r name; echo "hello $name"; read -r end');
    const { name } = await coordinator.spawn({
      program: 'sh',
      args: ['-c', `exec ${client} 'sh ${script}'`],
    });
    const result = await coordinator.wait(name, { asks: true, timeoutMs: 60_000 });
    expect(result).toMatchObject({ outcome: 'awaiting_input', question: 'name:', guess: true });
    const listed = async () =>
      (await coordinator.list({ activity: true })).find((each) => each.name === name);
    const attention = async () => (await listed())?.attention;
    await expect.poll(attention).toMatchObject({ kind: 'input', evidence: 'name:', guess: true });
    const wait = { match: ['hello me'], timeoutMs: 60_000 };
    const answered = await coordinator.sendText(name, 'me\r', { wait });
    expect(answered.wait?.outcome).toBe('matched');
  });
});

/** Runs lines that end with a status, which the shell is asked for, and looks at the screen. */
async function expectStatuses(name: string): Promise<void> {
  await coordinator.wait(name, { prompt: true, timeoutMs: 60_000 });
  const before = (await coordinator.screen(name)).text.filter((row) => row !== '');
  for (const code of [0, 7, 1]) {
    const result = await run(name, `sh -c 'echo out; exit ${code}'`);
    expect(result).toMatchObject({
      outcome: 'prompt',
      exitCode: code,
      statusFrom: 'query',
      output: { tail: 'out' },
    });
    expect(result.incomplete).toBeUndefined();
  }
  const { text } = await coordinator.screen(name);
  const rows = text.filter((row) => row !== '').slice(before.length);
  // Nothing is seen of the questions.
  expect(rows.filter((row) => !row.includes('exit')).length).toBe(rows.length - 2);
  expect(rows.join('\n')).not.toContain('eval');
}

const cases = [
  ['bash', 'bash --norc -i'],
  ['dash', 'dash -i'],
  ['zsh', 'zsh -f -i'],
  ['fish', 'fish --no-config'],
  ['busybox', 'busybox sh -i'],
] as const;

describe.each(cases)('the exit status of a line in %s', (program, command) => {
  overSsh('ssh', program)('is known over ssh', async () => {
    await expectStatuses(await there(`exec ${command}`));
  });

  overSsh('ssh', program)('has output without a line end as it was written', async () => {
    const name = await there(`exec ${command}`);
    // zsh and fish end the row, and mark that.
    const marks = program === 'zsh' || program === 'fish';
    const widths = marks ? [79, 80, 81] : [];
    for (const text of ['abc', ...widths.map((width) => 'x'.repeat(width))]) {
      await run(name, 'true');
      const { output } = await run(name, `printf %s ${text}`);
      expect(output.tail).toBe(text);
    }
  });

  using(program)('is known in a shell inside a shell', async () => {
    const env = { HOME: home, ENV: '', HISTFILE: '/dev/null' };
    const { name } = await coordinator.spawn({ program: 'bash', args: ['--norc'], cwd: home, env });
    await run(name, command);
    await expectStatuses(name);
  });
});

describe.each(cases)('in %s, output without a line end', (program, command) => {
  for (const relay of ["script -qc 'sh START' /dev/null", 'sh START']) {
    using(program, 'script')(`is not the prompt of the next line: ${relay}`, async () => {
      const start = join(home, `start${scripts++}`);
      writeFileSync(start, `cd /; PS1='there$ '; ENV=; export PS1 ENV\nexec ${command}\n`);
      const env = { HOME: home, HISTFILE: '/dev/null' };
      const { name } = await coordinator.spawn({ program: 'bash', args: ['--norc'], env });
      await run(name, relay.replace('START', start));
      const widths = [79, 72, 74, 80, 81, 160].map((width) => 'x'.repeat(width));
      for (const text of ['abc', ...widths, 'bc', 'a%', 'c']) {
        const { outcome, output } = await run(name, `printf %s ${text}`);
        expect([outcome, output.tail]).toEqual(['prompt', text]);
      }
    });
  }
});

describe('a shell is not asked', () => {
  const router = `while printf '%s' "$1" && read -r line; do echo "$line" >>"$2"; echo ok; done`;

  for (const prompt of ['edge-1# ', 'edge-1> ', 'Router(config)#', 'db=# ']) {
    overSsh('ssh')(`if the prompt is ${prompt}`, async () => {
      const heard = join(home, `heard${scripts}`);
      writeFileSync(join(home, 'router'), router);
      const name = await there(`exec sh ${home}/router '${prompt}' ${heard}`);
      for (const line of ['show version', 'show interfaces']) {
        const result = await run(name, line);
        expect(result).toMatchObject({ outcome: 'prompt', exitCode: null });
        expect(result.statusFrom).toBeUndefined();
      }
      expect(readFileSync(heard, 'utf8')).toBe('show version\nshow interfaces\n');
    });
  }

  using('python3')('if the program that reads is none', async () => {
    const env = { HOME: home, PYTHON_HISTORY: '/dev/null' };
    const args = ['-q', '-c', 'import code, sys; sys.ps1 = "root@vm:~# "; code.interact("")'];
    const { name } = await coordinator.spawn({ program: 'python3', args, cwd: home, env });
    expect(await run(name, '1+1')).toMatchObject({
      outcome: 'prompt',
      exitCode: null,
      output: { tail: '2' },
    });
    expect((await coordinator.screen(name)).text.join('\n')).not.toContain('eval');
  });

  using('dash')('if the caller forbids it, and after a comment', async () => {
    const env = { PS1: '$ ', ENV: '' };
    const { name } = await coordinator.spawn({ program: 'dash', cwd: home, env });
    expect((await run(name, 'false', { query: false })).exitCode).toBeNull();
    expect((await run(name, '# false')).exitCode).toBeNull();
    expect((await run(name, 'false')).exitCode).toBe(1);
  });
});

describe('a prompt of two rows', () => {
  using('dash')('is erased with the question, and is not output', async () => {
    const env = { PS1: '--head--\n$ ', ENV: '' };
    const { name } = await coordinator.spawn({ program: 'dash', cwd: home, env });
    for (const code of [3, 4]) {
      const result = await run(name, `echo out; (exit ${code})`);
      expect(result).toMatchObject({ exitCode: code, output: { tail: 'out' } });
    }
    const { text } = await coordinator.screen(name);
    expect(text.filter((row) => row === '--head--')).toHaveLength(3);
  });

  const inners = [
    ...['\\u@here\\n$ ', '\\n\\u@here \\w\\n$ ', '\\n$ ', '\\n\\n\\w $ ', '--a--\\n\\t\\n$ '].map(
      (prompt) => ['bash', 'bash --norc', `PS1='${prompt}'`] as const,
    ),
    ...['%~ %T\\n❯ ', '\\n%~\\n$ '].map(
      (prompt) => ['zsh', 'zsh -f', `PROMPT=$'${prompt}'`] as const,
    ),
  ];
  const printed = [
    ['true', 0, ''],
    ['seq 2; (exit 4)', 4, '1\n2'],
    ['printf "no newline"', 0, 'no newline'],
    ['echo out; printf "日本 "; (exit 3)', 3, 'out\n日本 '],
    ['echo; echo; cd /usr', 0, '\n'],
    ['cd /; echo moved', 0, 'moved'],
    ['# nothing', null, ''],
    ['cat <<E\na\tb\n\tc\nE', 0, 'a\tb\n\tc'],
  ] as const;
  for (const [program, command, prompt] of inners) {
    using(program)(`that a line sets is not output: ${prompt} in ${program}`, async () => {
      const env = { HOME: home, HISTFILE: '/dev/null' };
      const size = { cols: 80, rows: 60 };
      const { name } = await coordinator.spawn({ program: 'bash', args: ['--norc'], env, size });
      await run(name, command);
      const comments = 'setopt interactivecomments 2>/dev/null';
      for (const line of [comments, prompt]) await run(name, line);
      const results: unknown[] = [];
      for (const [line] of printed) {
        const { exitCode, output, incomplete } = await run(name, line);
        results.push([line, exitCode, output.tail.trimEnd(), incomplete]);
      }
      expect(results).toEqual(
        printed.map(([line, exitCode, tail]) => [line, exitCode, tail.trimEnd(), undefined]),
      );
      const screen = (await coordinator.screen(name)).text.join('\n');
      expect(screen).toContain('no newline');
      expect(screen).not.toContain('eval');
    });
  }
});

const posix = cases.filter(([program]) => program !== 'fish');

describe('a line with !', () => {
  for (const [program, command] of cases) {
    overSsh('ssh', program)(`is not expanded in ${program} over ssh`, async () => {
      const name = await there(`exec ${command}`);
      await coordinator.wait(name, { prompt: true, timeoutMs: 60_000 });
      await run(name, 'echo before');
      const fails = program === 'fish' ? 'sh -c "exit 3"' : '(exit 3)';
      const lines: [string, number, string][] = [
        ['echo "a!rm" 5%', 0, 'a!rm 5%'],
        [`echo "!!"; ${fails}`, 3, '!!'],
        ...(program === 'fish' ? [] : [['echo "$? !"', 0, '3 !'] as [string, number, string]]),
      ];
      for (const [line, exitCode, tail] of lines) {
        const result = await run(name, line);
        expect([line, result]).toMatchObject([line, { exitCode, output: { tail } }]);
      }
    });
  }

  overSsh('ssh', 'bash')('has no status where the program is unknown', async () => {
    const name = await there("export PS1='mine> '; exec bash --norc -i");
    await run(name, 'true');
    expect(await run(name, 'echo "done!rm"')).toMatchObject({ exitCode: null });
  });
});

describe('a line over the limit of a terminal in canonical mode', () => {
  const long = `: ${'x'.repeat(5_000)}; echo VISIBLE; (exit 3)`;

  using('dash')('is refused in dash before anything is sent', async () => {
    const { name } = await coordinator.spawn({ program: 'dash', env: { PS1: '$ ', ENV: '' } });
    for (const detach of [false, true]) {
      await expect(run(name, long, { detach })).rejects.toMatchObject({ code: 'INPUT_TOO_LARGE' });
    }
    expect(await run(name, `: ${'x'.repeat(4_000)}\necho a; (exit 3)`)).toMatchObject({
      exitCode: 3,
      output: { tail: 'a' },
    });
  });

  overSsh(
    'ssh',
    'dash',
    'bash',
  )('is refused in dash over ssh, and runs in bash', async () => {
    const dash = await there('exec dash -i');
    await expect(run(dash, long)).rejects.toMatchObject({ code: 'INPUT_TOO_LARGE' });
    const bash = await there('exec bash --norc -i');
    expect(await run(bash, long)).toMatchObject({ exitCode: 3, output: { tail: 'VISIBLE' } });
  });
});

describe('a line that ends a shell inside the shell', () => {
  for (const [program, command] of posix) {
    using(program)(`has its output only in ${program}`, async () => {
      const env = { HOME: home, ENV: '', HISTFILE: '/dev/null', PROMPT_COMMAND: '' };
      const args = ['--norc'];
      for (const PS1 of ['root@vm:/tmp# ', 'two\\nroot@vm:/tmp# ']) {
        const spawned = { program: 'bash', args, cwd: home, env: { ...env, PS1 } };
        const { name } = await coordinator.spawn(spawned);
        for (const [line, tail] of [
          ['exit 3', ''],
          ['echo out; exit 3', 'out'],
        ] as const) {
          await run(name, `PS1='# ' ${command}`);
          const result = await run(name, line);
          const printed = result.output.tail.replace(/\n?exit$/, '');
          expect([result.exitCode, printed]).toEqual([3, tail]);
        }
      }
    });
  }
});

describe('run of a line that starts a shell', () => {
  for (const outer of ['in the session', 'behind a relay']) {
    using(
      'bash',
      'dash',
      'zsh',
      'script',
    )(`ends at its prompt ${outer}, as it waits for input`, async () => {
      const env = { ENV: '', HISTFILE: '/dev/null', ZDOTDIR: home };
      const { name } = await coordinator.spawn({
        program: 'bash',
        args: ['--norc'],
        cwd: '/',
        env,
      });
      if (outer === 'behind a relay') {
        await run(name, 'script -qc "bash --norc" /dev/null');
      }
      for (const line of ['bash --norc', 'dash', 'zsh -f', 'exec bash --norc', 'sh']) {
        expect([line, (await run(name, line)).outcome]).toEqual([line, 'awaiting_input']);
      }
      expect(await run(name, 'echo on')).toMatchObject({
        outcome: 'prompt',
        output: { tail: 'on' },
      });
    });
  }
});

const changes = [
  ["PS1='x$ '", '', 'x$ '],
  ['printf abc', 'abc', 'x$ '],
  ["echo hi; PS1='y x$ '", 'hi', 'y x$ '],
  ["printf 'y '; PS1='x$ '", 'y ', 'x$ '],
  ["printf abc; PS1='zx$ '", 'abc', 'zx$ '],
  ["PS1='top\nzzx$ '", '', 'zzx$ '],
  ["printf abc; PS1='$ '", 'abc', '$ '],
  ['echo hi', 'hi', '$ '],
  ["PS1='12$ '", '', '12$ '],
  ['printf 7', '7', '12$ '],
] as const;

/** Runs lines that change the prompt, so that it ends as before, and print without a line end. */
async function expectChanges(name: string): Promise<void> {
  await run(name, "PS1='$ '");
  for (const [line, tail, prompt] of changes) {
    // A real line end: dash and busybox know no $'...'.
    const result = await run(name, line.replace('\\n', '\n'));
    expect([line, result.outcome, result.output.tail]).toEqual([line, 'prompt', tail]);
    expect([line, result.exitCode, result.incomplete ?? false]).toEqual([line, 0, false]);
    const { text, cursor } = await coordinator.screen(name);
    const shown = text[cursor.row] ?? '';
    expect([line, shown.endsWith(prompt.trimEnd())]).toEqual([line, true]);
  }
}

describe('run of a line that changes the prompt', () => {
  for (const command of ['bash --norc', 'dash', 'ksh']) {
    const [program = ''] = command.split(' ');
    using('bash', program)(`tells it from output in ${command} inside of the shell`, async () => {
      const env = { HOME: home, HISTFILE: '/dev/null', ENV: '' };
      const { name } = await coordinator.spawn({
        program: 'bash',
        args: ['--norc'],
        cwd: '/',
        env,
      });
      await run(name, command);
      await expectChanges(name);
    });
  }

  overSsh('ssh', 'bash')('tells it from output over ssh', async () => {
    const name = await there('exec bash --norc -i');
    for (const [line, tail] of [
      ["PS1='(env) there$ '", ''],
      ['printf abc', 'abc'],
    ] as const) {
      const { output, incomplete } = await run(name, line);
      expect([line, output.tail, incomplete ?? false]).toEqual([line, tail, false]);
    }
  });

  for (const [program, command] of shells) {
    overSsh('ssh', program)(`tells any prompt from output in ${program} over ssh`, async () => {
      await expectChanges(await there(command));
    });
  }

  for (const command of ['mksh', 'busybox sh']) {
    const [program = ''] = command.split(' ');
    using('bash', program)(`says that the end is unknown in ${command}`, async () => {
      const env = { HOME: home, HISTFILE: '/dev/null', ENV: '' };
      const { name } = await coordinator.spawn({
        program: 'bash',
        args: ['--norc'],
        cwd: '/',
        env,
      });
      await run(name, command);
      await run(name, "PS1='$ '");
      expect(await run(name, "PS1='x$ '")).toMatchObject({ outcome: 'prompt', incomplete: true });
      expect(await run(name, 'echo hi')).toMatchObject({ exitCode: 0, output: { tail: 'hi' } });
    });
  }

  using('bash')('says that the end is unknown where the shell is not asked', async () => {
    const env = { HOME: home, HISTFILE: '/dev/null', PS1: '$ ' };
    const { name } = await coordinator.spawn({ program: 'bash', args: ['--norc'], cwd: '/', env });
    await run(name, 'bash --norc');
    const result = await run(name, "PS1='x$ '", { query: false });
    expect(result).toMatchObject({ outcome: 'prompt', incomplete: true });
  });
});
