import { execFileSync, spawn as startProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LocalCoordinator } from '#coordinator';
import type { RunRequest } from '#model';
import { needs, provided } from '../../../test/support/run/needs.ts';

const onLinux = process.platform === 'linux';
/** Only Linux reports which program reads the terminal. */
const using = (...programs: string[]) =>
  onLinux ? needs(...programs) : provided(false, 'only on Linux: reads /proc');

/** Lines to run, and the parts of the result that are expected. */
type Step = readonly [line: string, output: string, more?: object];

let home = '';
let coordinator: LocalCoordinator;

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'vtr-run-'));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));
beforeEach(() => {
  coordinator = new LocalCoordinator();
});
afterEach(() => coordinator.close());

async function start(program: string, args: readonly string[] = [], marked = false) {
  const { name } = await coordinator.spawn({
    program,
    args,
    cwd: home,
    shellIntegration: marked,
    env: { PS1: '$ ', HISTFILE: '/dev/null', HOME: home, PROMPT_COMMAND: '' },
  });
  return name;
}

/** Waits longer for a prompt than `run` itself does, so that a slow machine fails no test. */
const untilPrompt = (name: string) => coordinator.wait(name, atPrompt);
const atPrompt = { prompt: true, timeoutMs: 60_000 } as const;

/** Starts a program that shows a prompt. */
async function startAtPrompt(program: string, ...args: readonly string[]): Promise<string> {
  const name = await start(program, args);
  await untilPrompt(name);
  return name;
}

/** Starts a program by a line of a shell, and waits for its prompt. */
async function inShell(line: string, marked: boolean, promptPattern?: string): Promise<string> {
  const name = await start('bash', marked ? [] : ['--norc', '--noprofile'], marked);
  await untilPrompt(name);
  await run(name, 'PS1="$ "');
  await untilPrompt(name);
  const wait = promptPattern === undefined ? atPrompt : { ...atPrompt, promptPattern };
  await coordinator.sendText(name, `${line}\r`, { wait });
  return name;
}

const run = (name: string, line: string, more: Partial<RunRequest> = {}) =>
  coordinator.run(name, { line, timeoutMs: 60_000, ...more });

async function expectRuns(name: string, steps: readonly Step[]): Promise<void> {
  for (const [line, output, more = { outcome: 'prompt' }] of steps) {
    // A program may work on behind its prompt, longer than `run` waits.
    await untilPrompt(name);
    const result = await run(name, line);
    // Only a shell tells its status.
    const { outcome, program } = result;
    const noStatus = outcome === 'prompt' && program !== undefined ? { exitCode: null } : {};
    expect({ line, ...result, output: result.output.tail }).toMatchObject({
      line,
      output,
      ...noStatus,
      ...more,
    });
  }
}

/** At the prompt of a program that is not a shell. */
const inRepl = (name: string) => ({
  outcome: 'prompt',
  exitCode: null,
  program: expect.stringMatching(`^${name}`),
});
/** The shell was asked for the exit status. */
const resultOf = (exitCode: number) => ({ outcome: 'prompt', exitCode, statusFrom: 'query' });

describe('run at a prompt without marks', () => {
  using('dash')('ends when the shell reads, not when output looks like its prompt', async () => {
    await expectRuns(await startAtPrompt('dash'), [
      ['printf "x\\$ "; sleep 1; echo late', 'x$ late'],
    ]);
  });

  using('python3')('ends when Python reads, not when output looks like its prompt', async () => {
    const line = 'import time; print(">>> ", end="", flush=True); time.sleep(1)';
    await expectRuns(await startAtPrompt('python3', '-q'), [
      [line, '>>> '],
      ['1+1', '2'],
    ]);
  });

  using('dash')('returns output left of the prompt', async () => {
    await expectRuns(await startAtPrompt('dash'), [
      ['printf nonl', 'nonl', { outcome: 'prompt', openEnd: true }],
      ['echo next', 'next', { outcome: 'prompt', openEnd: false }],
    ]);
  });

  using('dash')('returns the output of several lines, not their echo', async () => {
    await expectRuns(await startAtPrompt('dash'), [
      ['echo one\necho two', 'one\ntwo'],
      ['for i in 1 2; do\necho $i\ndone', '1\n2'],
      ['cat <<E\nhello\nE', 'hello'],
      ['clear; echo top', 'top'],
    ]);
  });

  using('dash')('ends at an incomplete line and at a question', async () => {
    const name = await startAtPrompt('dash');
    await expectRuns(name, [['echo "a', '> ', { outcome: 'awaiting_input', question: '>' }]]);
    await coordinator.sendText(name, 'b"\r', { wait: { prompt: true } });
    const asking = { outcome: 'awaiting_input', question: 'name?' };
    await expectRuns(name, [['printf "name? "; read x', 'name? ', asking]]);
  });

  using('dash', 'less')('ends at a pager, with its screen', async () => {
    const result = await run(await startAtPrompt('dash'), 'seq 100 | less');
    expect(result).toMatchObject({ outcome: 'awaiting_input', source: 'screen' });
    expect(result.output.tail).toMatch(/^1\n2\n/);
  });

  using('bash', 'less')('ends at a pager of a shell with marks, with its screen', async () => {
    const name = await start('bash', ['--norc', '--noprofile'], true);
    await untilPrompt(name);
    const result = await run(name, 'seq 100 | less');
    const shown = { source: 'screen', incomplete: true, program: 'less' };
    expect(result).toMatchObject({ outcome: 'awaiting_input', ...shown });
    expect(result.output.tail).toMatch(/^1\n2\n[\s\S]*\n23\n:$/);
    await coordinator.sendText(name, 'q', { wait: atPrompt });
    expect((await run(name, 'echo on; seq 100 | less')).output.tail).toBe('on');
  });

  using('bash')(
    'works at the prompt that the caller gives, in spite of an older mark',
    async () => {
      const name = await startAtPrompt('bash', '--norc', '--noprofile');
      await run(name, 'PS1="$ "');
      const stale = `printf '\\033]133;A\\a$ \\033]133;B\\a'; while read -r -p 'ready: ' l; do $l; done`;
      await coordinator.sendText(name, `${stale}\r`, { wait: { screen: ['ready: $'] } });
      const result = await run(name, 'echo done', { promptPattern: 'ready: $' });
      expect(result).toMatchObject({ outcome: 'prompt', output: { tail: 'done' } });
    },
  );

  using('dash')('does not end at a question if that is not wanted', async () => {
    const name = await startAtPrompt('dash');
    const result = await run(name, 'cat', { asks: false, timeoutMs: 1_500 });
    expect(result.outcome).toBe('timed_out');
  });

  using('dash')('types the rest of the lines also after a timeout', async () => {
    const name = await startAtPrompt('dash');
    const result = await run(name, 'sleep 1\necho later', { timeoutMs: 300 });
    expect(result.outcome).toBe('timed_out');
    const { outcome } = await coordinator.wait(name, {
      screen: ['^\\$ later$'],
      timeoutMs: 60_000,
    });
    expect(outcome).toBe('matched');
  });

  it('starts a line and returns', async () => {
    const name = await startAtPrompt('sh');
    const result = await run(name, 'sleep 1; echo later', { detach: true });
    expect(result).toMatchObject({ outcome: 'detached', command: null, output: { tail: '' } });
    await coordinator.wait(name, { match: ['^later$'], since: result.mark, timeoutMs: 60_000 });
  });

  using('cat')('refuses to type into a program that reads and shows no prompt', async () => {
    const refused = run(await start('cat'), 'hello');
    await expect(refused).rejects.toMatchObject({
      code: 'NOT_AT_PROMPT',
      message: expect.stringMatching(/cat waits for input and shows no prompt.*--prompt-pattern/),
    });
  });

  using('dash')('refuses if text is typed at the prompt', async () => {
    const name = await startAtPrompt('dash');
    await coordinator.sendText(name, 'half', { wait: { screen: ['half'] } });
    await expect(run(name, 'ls')).rejects.toMatchObject({
      code: 'NOT_AT_PROMPT',
      message: expect.stringContaining('typed'),
    });
  });
});

describe.each([
  ['a shell', false],
  ['a shell that marks its commands', true],
])('run at the prompt of a program in %s', (_, marked) => {
  const inside = (line: string, steps: readonly Step[]) => async () => {
    const name = await inShell(line, marked);
    await expectRuns(name, steps);
  };

  using('python3')('pdb', async () => {
    writeFileSync(join(home, 'p.py'), 'def f(a):\n    b = a + 1\n    return b\nf(3)\n');
    await inside('python3 -m pdb p.py', [
      ['b 2', `Breakpoint 1 at ${join(home, 'p.py')}:2`],
      ['c', `> ${join(home, 'p.py')}(2)f()\n-> b = a + 1`],
      ['p a', '3', inRepl('python')],
      ['n', `> ${join(home, 'p.py')}(3)f()\n-> return b`],
      ['p b', '4'],
      ['q', '', marked ? { outcome: 'finished', exitCode: 0 } : { outcome: 'prompt' }],
    ])();
  });
  using('gdb')(
    'gdb',
    inside('gdb -q -nx', [
      ['p 6*7', '$1 = 42', inRepl('gdb')],
      ['echo hello\\n', 'hello'],
    ]),
  );
  using('lldb')('lldb', inside('lldb', [['p 6*7', '(int) $0 = 42']]));
  using('python3')(
    'python3',
    inside('python3 -q', [
      ['6*7', '42', inRepl('python')],
      ['def f():\n    return 41\n', ''],
      ['f()', '41'],
      ['input("name? ")', 'name? ', { outcome: 'awaiting_input', question: 'name?' }],
    ]),
  );
  using('ipython')(
    'ipython',
    inside('ipython --no-banner --colors=NoColor', [
      ['6*7', 'Out[1]: 42\n'],
      ['print("x")', 'x\n'],
    ]),
  );
  using('node')(
    'node',
    inside(`'${process.execPath}'`, [
      ['6*7', '42', inRepl('node')],
      ['console.log("a")', 'a\nundefined'],
    ]),
  );
  using('irb')('irb', inside('irb -f', [['6*7', '=> 42']]));
  using('sqlite3')(
    'sqlite3',
    inside('sqlite3', [
      ['create table t(a);\ninsert into t values(5);\nselect * from t;', '5'],
      ['select', '   ...> ', { outcome: 'awaiting_input', question: '   ...>' }],
    ]),
  );
  using('ghci')('ghci', inside('ghci', [['6*7', '42']]));
  using('jdb')(
    'jdb',
    inside('jdb', [
      ['monitor', expect.stringMatching(/^Command 'monitor' is not valid/) as unknown as string],
    ]),
  );
  using('bash')(
    'bash',
    inside('bash --norc', [
      ['echo hello; false', 'hello', resultOf(1)],
      ['exit', 'exit', marked ? { outcome: 'finished', exitCode: 1 } : { outcome: 'prompt' }],
    ]),
  );
  using('bash')(
    'a shell that replaced the shell',
    inside('exec bash --norc', [['echo hello', 'hello']]),
  );
  using('script')(
    'a shell in another terminal',
    inside('script -q /dev/null', [['echo hello; (exit 4)', 'hello', resultOf(4)]]),
  );

  using('python3')('a program whose prompt the caller gives', async () => {
    const script = `while True: input('ready: '); print('done')`;
    const promptPattern = 'ready: $';
    const name = await inShell(`python3 -c "${script}"`, marked, promptPattern);
    const result = await run(name, 'go', { promptPattern });
    expect(result).toMatchObject({ outcome: 'prompt', output: { tail: 'done' }, command: null });
  });
});

describe('run in a shell that marks its commands', () => {
  for (const [what, program, line, expected] of [
    ['a question', 'bash', 'read -p "name? " x', { outcome: 'awaiting_input', question: 'name?' }],
    ['a password', 'bash', 'read -s -p "code: " x', { outcome: 'password', question: 'code:' }],
    ['an incomplete line', 'bash', 'echo "a', { outcome: 'awaiting_input' }],
    ['a REPL', 'python3', 'python3 -q', { outcome: 'awaiting_input', question: '>>>' }],
  ] as const) {
    using(program)(`ends at ${what}, with the output so far`, async () => {
      const name = await start('bash', [], true);
      expect(await run(name, line)).toMatchObject(expected);
    });
  }

  it('returns the number of a line that it starts', async () => {
    const name = await start('bash', [], true);
    const result = await run(name, 'sleep 1; echo later', { detach: true });
    expect(result).toMatchObject({ outcome: 'detached', command: { number: 1, state: 'running' } });
    const { command } = await coordinator.wait(name, { finished: true, since: result.mark });
    expect(command).toMatchObject({ number: 1, exitCode: 0 });
  });

  using('bash')('refuses to type into a question', async () => {
    const name = await start('bash', [], true);
    await run(name, "read -p '> ' x");
    await expect(run(name, 'ls')).rejects.toMatchObject({ code: 'NOT_AT_PROMPT' });
  });
});

const waitsForRest = {
  code: 'NOT_AT_PROMPT',
  message: expect.stringContaining('waits for the rest of a command'),
};
const notAtPrompt = { code: 'NOT_AT_PROMPT', message: expect.stringContaining('--prompt-pattern') };

describe.each([
  ['a shell', false],
  ['a shell that marks its commands', true],
])('run in a program that reads keys, in %s', (_, marked) => {
  for (const [what, line, program] of [
    ['less', 'seq 500 | less -X', 'less'],
    ['less, at the end', 'seq 50 | less -X +G', 'less'],
    ['less with a file', 'seq 500 > price.gz$; less -X price.gz$', 'less'],
    ['more', 'seq 200 | more', 'more'],
    ['fzf', `printf 'a\\nb\\n' | fzf --height 6 --prompt 'pick: '`, 'fzf'],
    ['fzf behind a program that still writes', '(echo a; sleep 100) | fzf --height 6', 'fzf'],
  ] as const) {
    using(program)(`${what}: refuses to type`, async () => {
      const name = await start('bash', marked ? [] : ['--norc', '--noprofile'], marked);
      await untilPrompt(name);
      expect(await run(name, line)).toMatchObject({ outcome: 'awaiting_input' });
      await expect(run(name, 'select')).rejects.toMatchObject(notAtPrompt);
      const wait = await coordinator.wait(name, { prompt: true, timeoutMs: 1_500 });
      expect(wait.outcome).toBe('timed_out');
      expect((await coordinator.activity(name)).state).toBe('awaiting_input');
    });
  }
});

describe('run in a shell that is not marked', () => {
  for (const [line, question] of [
    ['if true; then', 'then>'],
    ['echo "abc', 'dquote>'],
  ] as const) {
    using('zsh')(`ends at the continuation prompt of zsh: ${line}`, async () => {
      const name = await startAtPrompt('zsh', '-f');
      expect(await run(name, line)).toMatchObject({ outcome: 'awaiting_input', question });
      await expect(run(name, 'ls')).rejects.toMatchObject(waitsForRest);
    });
  }

  using('zsh')('returns output without a line end, without the mark of zsh', async () => {
    const name = await startAtPrompt('zsh', '-f');
    await expectRuns(name, [
      ['printf nonl', 'nonl', { outcome: 'prompt', openEnd: true }],
      ['printf "a\\nb"', 'a\nb', { outcome: 'prompt', openEnd: true }],
      ['printf "50%%"', '50%', { outcome: 'prompt', openEnd: true }],
      ['echo x', 'x', { outcome: 'prompt', openEnd: false }],
    ]);
  });
});

describe('run in a program with an event loop', () => {
  const computes = (inside: boolean) => async () => {
    const node = process.execPath;
    const name = inside ? await start('bash', [], true) : await start(node);
    if (inside) await run(name, `'${node}'`);
    await untilPrompt(name);
    const line = `await new Promise(r=>setTimeout(r,2000,"done"))`;
    const result = await run(name, line);
    expect(result).toMatchObject({ outcome: 'prompt', output: { tail: "'done'" } });
    const wait = { asks: true, timeoutMs: 60_000 };
    const answer = await coordinator.sendText(name, `${line}\r`, { wait });
    expect(answer.wait?.elapsedMs).toBeGreaterThan(2_000);
  };
  using('node')('waits for an answer that is computed', computes(false));
  using('node')(
    'waits for an answer that is computed, inside a shell that marks its commands',
    computes(true),
  );
});

describe('run of npm init', () => {
  using('npm')('ends at its question, also while it looks for an update of itself', async () => {
    // It accepts the request for the newest version, and never answers.
    const registry = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => registry.once('listening', resolve));
    const { port } = registry.address() as { port: number };
    try {
      const name = await start('bash', [], true);
      const url = `http://127.0.0.1:${port}`;
      const env = `env -i PATH="$PATH" TERM=xterm HOME=../fresh npm_config_registry=${url}`;
      const result = await run(name, `mkdir -p fresh new && cd new; ${env} npm init`);
      expect(result).toMatchObject({
        outcome: 'awaiting_input',
        question: expect.stringMatching(/^package name: \(new\)/),
      });
      const { evidence } = await coordinator.activity(name);
      expect(evidence).toMatchObject({ readingTerminal: null, alsoWaits: true });
    } finally {
      registry.close();
    }
  });
});

describe('run in a program that repaints', () => {
  const repaints = (line: string) => async () => {
    const name = await inShell(line, false);
    await run(name, 'PS1="% "; clear', { promptPattern: '[$#] $|% $' });
    const painted = { promptPattern: '% $' };
    const result = await run(name, 'echo one; echo two', painted);
    expect(result).toMatchObject({
      outcome: 'prompt',
      source: 'screen',
      incomplete: true,
      command: null,
      output: { tail: 'one\ntwo' },
    });
    const long = await run(name, 'seq 200', painted);
    expect(long.output.tail).toMatch(/\n198\n199\n200$/);
  };

  using('tmux')('tmux', async () => {
    const socket = join(home, 'tmux.sock');
    try {
      await repaints(`tmux -S ${socket} -f /dev/null new-session bash --norc`)();
    } finally {
      execFileSync('tmux', ['-S', socket, 'kill-server']);
    }
  });

  using('tmux')('tmux, which a line starts', async () => {
    const socket = join(home, 'tmux2.sock');
    try {
      const name = await start('bash', [], true);
      const started = await run(name, `tmux -S ${socket} -f /dev/null new-session bash --norc`);
      expect(started).toMatchObject({ outcome: 'awaiting_input' });
      const question = await run(name, 'read -p "sure? " a');
      expect(question).toMatchObject({ outcome: 'awaiting_input', question: 'sure?' });
      const wait = { asks: true, timeoutMs: 60_000 };
      const answer = await coordinator.sendText(name, `y\rclear; read -p "again? " b\r`, { wait });
      expect(answer.wait).toMatchObject({ outcome: 'awaiting_input', question: 'again?' });
      await expect(run(name, 'ls')).rejects.toMatchObject({ code: 'NOT_AT_PROMPT' });
    } finally {
      execFileSync('tmux', ['-S', socket, 'kill-server']);
    }
  });

  using('tmux')('tmux, which a line ends', async () => {
    const name = await start('bash', [], true);
    const socket = join(home, 'tmux3.sock');
    await run(name, `tmux -S ${socket} -f /dev/null new-session bash --norc`);
    const ended = await run(name, 'exit');
    expect(ended).toMatchObject({
      outcome: 'finished',
      exitCode: 0,
      output: { tail: '[exited]' },
      incomplete: true,
    });
  });

  using('vim')('a terminal in vim', repaints(`vim -u NONE -c 'terminal bash --norc'`));

  using('less')('refuses to type into a pager', async () => {
    const name = await start('less', ['/etc/services']);
    await coordinator.wait(name, { quietMs: 200 });
    await expect(run(name, 'ls')).rejects.toMatchObject({
      code: 'NOT_AT_PROMPT',
      message: expect.stringMatching(/less uses the whole screen/),
    });
  });
});

describe('run over ssh', () => {
  const sshd = '/usr/sbin/sshd';
  const canServe = onLinux && process.getuid?.() === 0;
  const needsServer = existsSync(sshd)
    ? needs('ssh', 'ssh-keygen')
    : provided(false, `needs ${sshd}`);
  const overSsh = canServe ? needsServer : provided(false, 'only as root on Linux: starts sshd');

  overSsh('returns the output and the status, and ends at a question', async () => {
    const server = await serveSsh(sshd);
    try {
      const name = await inShell(server.client, true);
      await expectRuns(name, [
        ['PS1="$ "', '', resultOf(0)],
        ['echo hello; false', 'hello', resultOf(1)],
        ['printf nonl', 'nonl', resultOf(0)],
        ['sleep 1; echo late', 'late', resultOf(0)],
      ]);
      const question = { outcome: 'awaiting_input', question: 'name?' };
      await expectRuns(name, [['read -p "name? " x', 'name? ', question]]);
      await coordinator.sendText(name, 'me\r', { wait: { prompt: true } });
      const logout = expect.stringContaining('logout') as unknown as string;
      await expectRuns(name, [['exit', logout, { outcome: 'finished', exitCode: 0 }]]);
      expect(await run(name, 'echo back')).toMatchObject({ outcome: 'finished', exitCode: 0 });
    } finally {
      server.stop();
    }
  });

  async function serveSsh(program: string) {
    const directory = join(home, 'ssh');
    mkdirSync(directory, { mode: 0o700 });
    mkdirSync('/run/sshd', { recursive: true });
    for (const key of ['host', 'id']) {
      execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(directory, key)]);
    }
    const port = await freePort();
    const options = ['ListenAddress=127.0.0.1', `AuthorizedKeysFile=${directory}/id.pub`];
    const more = ['PidFile=none', 'StrictModes=no', 'UsePAM=no', 'PermitRootLogin=yes'];
    const server = startProcess(
      program,
      [
        ...['-D', '-e', '-f', '/dev/null', '-p', String(port), '-h', `${directory}/host`],
        ...[...options, ...more].flatMap((option) => ['-o', option]),
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    await new Promise((resolve) => server.stderr?.once('data', resolve));
    const settings = ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'LogLevel=ERROR'];
    const words = ['ssh', '-F', 'none', '-p', port, '-i', `${directory}/id`];
    const client = [...words, ...settings.map((each) => `-o ${each}`), '127.0.0.1'].join(' ');
    return { client, stop: () => server.kill() };
  }

  function freePort(): Promise<number> {
    return new Promise((resolve) => {
      const server = createServer().listen(0, '127.0.0.1', () => {
        const address = server.address();
        server.close(() =>
          resolve(typeof address === 'object' && address !== null ? address.port : 0),
        );
      });
    });
  }
});
