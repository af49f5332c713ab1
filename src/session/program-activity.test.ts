import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ActivityState, SpawnRequest } from '#model';
import { createPtyHost } from '#pty';
import { makeFishHome } from '../../test/support/pty/fish-home.ts';
import { freshId } from '../../test/support/pty/pty-request.ts';
import { needs, provided } from '../../test/support/run/needs.ts';
import { VirtualClock } from '../../test/support/virtual-clock.ts';
import type { Session } from './session.ts';
import { SessionFactory } from './session-factory.ts';

const onLinux = process.platform === 'linux';
/** Only Linux reports whether a program reads the terminal. */
const onLinuxOnly = provided(onLinux, 'only on Linux: reads /proc');

let home = '';
let factory: SessionFactory;

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'vtr-activity-'));
  makeFishHome(home);
  factory = new SessionFactory({
    ptyHost: createPtyHost(),
    clock: new VirtualClock(),
    defaults: { cwd: home },
    onFault: () => {},
  });
});
afterAll(async () => {
  await factory.close({ force: true });
  rmSync(home, { recursive: true });
});

function spawn(program: string, args: readonly string[], more: SpawnRequest = {}) {
  const env = { HOME: home, PS1: '$ ', LESS: '', ...more.env };
  return factory.spawn({ program, args, ...more, env }, { name: 'activity', id: freshId() });
}

const sh = (script: string) => spawn('sh', ['-c', script]);

/** Starts an interactive shell and types lines. */
async function bash(...lines: string[]): Promise<Session> {
  const session = await spawn('bash', ['--norc', '--noprofile', '-i']);
  for (const line of lines) await session.sendText(`${line}\r`, {});
  return session;
}

/** Polls, because a program begins to wait a moment after its output. */
async function expectState(session: Session, state: ActivityState, evidence: object = {}) {
  await vi.waitFor(async () =>
    expect(await session.activity()).toMatchObject({ state, evidence: { ...evidence } }),
  );
}

describe('activity of a shell', () => {
  it('is at_prompt at its prompt, though ECHO is off there', async () => {
    const session = await bash();
    await expectState(session, 'at_prompt', {
      echo: false,
      canonical: false,
      leaderInForeground: true,
      foreground: { name: 'bash' },
    });
  });

  needs('zsh')('is at_prompt in zsh', async () => {
    await expectState(await spawn('zsh', ['-f'], { env: { PS1: 'zsh> ' } }), 'at_prompt');
  });

  needs('fish')('is at_prompt in fish', async () => {
    await expectState(await spawn('fish', ['--no-config']), 'at_prompt');
  });

  it('is at_prompt without line editing', async () => {
    await expectState(await spawn('sh', ['-i']), 'at_prompt', { canonical: true, echo: true });
  });

  it('is at_prompt by the shell’s mark, whatever its prompt looks like', async () => {
    const session = await spawn('bash', ['--norc', '-i'], { env: { PS1: ': ' } });
    await expectState(session, 'at_prompt', { shellMark: 'prompt', promptPattern: false });
    await session.sendText(`read -p '> '\r`, {});
    await expectState(session, onLinux ? 'awaiting_input' : 'running', {
      shellMark: 'command',
      promptPattern: true,
    });
    await session.sendText('\r', {});
    await expectState(session, 'at_prompt', { shellMark: 'prompt' });
  });

  it('is at_prompt by a mark without the nonce only where the shell reads behind it', async () => {
    const marks = { PS1: '\\[\\e]133;A\\a\\]: \\[\\e]133;B\\a\\]', PS0: '\\e]133;C\\a' };
    const session = await spawn('bash', ['--norc', '--noprofile', '-i'], {
      env: marks,
      shellIntegration: false,
    });
    await expectState(session, 'at_prompt', { shellMark: null, promptPattern: false });
    const forged = '\\033]133;A\\a: \\033]133;B\\a';
    await session.sendText(`printf 'begun\\n${forged}'; sleep 1000\r`, {});
    await vi.waitFor(() => expect(session.screen().text.join('\n')).toMatch(/^begun\n: *$/m));
    await expectState(session, 'running', { leaderInForeground: false });
  });

  it('is running while a job has the terminal', async () => {
    await expectState(await bash('sleep 1000'), 'running', {
      foreground: { name: 'sleep' },
      leaderInForeground: false,
    });
  });

  it('is running in a job that printed a possible prompt', async () => {
    const session = await bash(`sh -c 'printf "\\n> "; exec sleep 1000'`);
    await expectState(session, 'running', { promptPattern: true, leaderInForeground: false });
  });

  it('is at_prompt with a job in the background', async () => {
    const session = await bash('sleep 1000 &');
    await vi.waitFor(() => expect(session.screen().text.join('\n')).toMatch(/\[1\] \d/));
    await expectState(session, 'at_prompt', { leaderInForeground: true });
  });

  it('is at_prompt when its job has been stopped', async () => {
    const session = await bash('sleep 1000');
    await expectState(session, 'running', { foreground: { name: 'sleep' } });
    await session.sendBytes(Buffer.from('\x1a'), {});
    await expectState(session, 'at_prompt', { foreground: { name: 'bash' } });
  });

  const fish = async () => {
    const session = await spawn('fish', [], { shellIntegration: true, env: { HOME: home } });
    await expectState(session, 'at_prompt', { shellMark: 'prompt' });
    return session;
  };
  needs('fish')('is awaiting_input in a line of fish that is not finished', async () => {
    const session = await fish();
    await session.sendText('echo "a\r', {});
    await expectState(session, 'awaiting_input', { shellMark: 'command' });
    await session.sendText('b"\r', {});
    await expectState(session, 'at_prompt', { shellMark: 'prompt' });
  });

  needs('fish')('is awaiting_input in a question of fish', async () => {
    const session = await fish();
    await session.sendText('read\r', {});
    await expectState(session, onLinux ? 'awaiting_input' : 'running', { shellMark: 'command' });
  });

  needs('fish')('is at_prompt in fish below the output of a job', async () => {
    const session = await fish();
    await session.sendText('sh -c "sleep 1; echo lat\\er" &\r', {});
    await vi.waitFor(() => expect(session.screen().text.join('\n')).toContain('later'));
    await expectState(session, 'at_prompt', { shellMark: 'prompt' });
  });

  onLinuxOnly('is awaiting_input when a job reads', async () => {
    await expectState(await bash('cat'), 'awaiting_input', {
      foreground: { name: 'cat' },
      readingTerminal: true,
      canonical: true,
      echo: true,
    });
  });

  onLinuxOnly('is awaiting_input in a question of the shell', async () => {
    const session = await bash('read -p "Really? "');
    await expectState(session, 'awaiting_input', { foreground: { name: 'bash' } });
  });

  onLinuxOnly('is running when its job has been stopped by force in a read', async () => {
    // The shell does not notice the stop, so the job stays in the foreground.
    const session = await sh('cat; :');
    await expectState(session, 'awaiting_input');
    await session.kill('STOP');
    await expectState(session, 'running', { readingTerminal: false });
  });
});

describe('activity of a password prompt', () => {
  it('is password in read -s', async () => {
    const session = await bash('read -s -p "Password: "');
    await expectState(session, 'password', { echo: false, canonical: true });
    await session.sendText('secret\r', {});
    await expectState(session, 'at_prompt');
  });

  needs('python3')('is password in getpass', async () => {
    const script = 'import getpass; getpass.getpass()';
    await expectState(await spawn('python3', ['-c', script]), 'password');
  });

  needs('ssh-keygen')('is password in ssh-keygen', async () => {
    const session = await spawn('ssh-keygen', ['-q', '-f', join(home, 'key')]);
    await expectState(session, 'password', { foreground: { name: 'ssh-keygen' } });
  });

  it('is password in a script that turns ECHO off', async () => {
    const session = await sh(`printf '[sudo] password: '; stty -echo; read -r _; stty echo; cat`);
    await expectState(session, 'password');
    await session.sendText('secret\r', {});
    await expectState(session, onLinux ? 'awaiting_input' : 'running', { echo: true });
  });

  onLinuxOnly('is running if ECHO is off and no program reads', async () => {
    const session = await sh('stty -echo; exec sleep 1000');
    await expectState(session, 'running', { echo: false, canonical: true });
  });

  onLinuxOnly('is awaiting_input if the program reads single keys', async () => {
    const session = await sh('stty raw -echo; exec cat');
    await expectState(session, 'awaiting_input', { echo: false, canonical: false });
  });
});

describe('activity of other programs', () => {
  needs('vim')('is full_screen in vim, and at_prompt again behind it', async () => {
    const session = await bash('vim -u NONE');
    await expectState(session, 'full_screen', {
      alternateScreen: true,
      foreground: { name: 'vim' },
    });
    await session.sendText(':q!\r', {});
    await expectState(session, 'at_prompt', { alternateScreen: false });
  });

  needs('less')('is full_screen in less', async () => {
    await expectState(await spawn('less', ['/etc/services']), 'full_screen');
  });

  needs('python3')('is at_prompt in a REPL that leads the session', async () => {
    const session = await spawn('python3', ['-q']);
    await expectState(session, 'at_prompt', {
      foreground: { name: expect.stringMatching(/python/) },
    });
    await session.sendText('import time; time.sleep(1000)\r', {});
    await expectState(session, 'running');
  });

  onLinuxOnly('is at_prompt in a REPL that a shell has started', async () => {
    const session = await bash(`'${process.execPath}' -i`);
    await expectState(session, 'at_prompt', {
      promptPattern: true,
      leaderInForeground: false,
    });
  });

  onLinuxOnly('is awaiting_input in a question of a Node program', async () => {
    const script = `require('readline').createInterface({ input: process.stdin, output: process.stdout }).question('name? ', () => {})`;
    await expectState(await spawn(process.execPath, ['-e', script]), 'awaiting_input');
  });

  // npm init, while it looks for an update of itself.
  onLinuxOnly('is awaiting_input in a question beside an open socket', async () => {
    const listening = `require('net').createServer().listen(0, '127.0.0.1')`;
    const question = `require('readline').createInterface({ input: process.stdin, output: process.stdout }).question('name? ', () => console.log('thanks'))`;
    const session = await spawn(process.execPath, ['-e', `${listening}; ${question}`]);
    await expectState(session, 'awaiting_input', {
      readingTerminal: null,
      alsoWaits: true,
      unfinishedLine: true,
    });
    await session.sendText('me\r', {});
    await vi.waitFor(() => expect(session.screen().text).toContain('thanks'));
    await expectState(session, 'running', { alsoWaits: true, unfinishedLine: false });
  });

  onLinuxOnly('is running in a server that accepts keys and has left no question', async () => {
    const script = `process.stdin.resume(); require('net').createServer().listen(0, '127.0.0.1', () => console.log('ready'))`;
    const session = await spawn(process.execPath, ['-e', script]);
    await vi.waitFor(() => expect(session.screen().text).toContain('ready'));
    await expectState(session, 'running', { alsoWaits: true, unfinishedLine: false });
  });

  onLinuxOnly('is awaiting_input in a question before a child has ended', async () => {
    const script = `read -r -p 'name? ' < /dev/tty | sleep 1000`;
    const session = await spawn('bash', ['-c', script]);
    await expectState(session, 'awaiting_input', { readingTerminal: true });
  });

  // asyncio wakes itself up through a pair of sockets.
  const asyncio = `import asyncio, sys
loop = asyncio.new_event_loop()
loop.add_reader(0, lambda: None)
print('In [1]: ', end='', flush=True)
loop.run_forever()`;
  needs('python3')('is at_prompt in a program that waits by asyncio', async () => {
    const session = await spawn('python3', ['-c', asyncio]);
    const state = onLinux ? 'at_prompt' : 'running';
    await expectState(session, state, { readingTerminal: onLinux ? true : null });
  });

  /** Reads keys, and draws what is given: `~` is a rule of the whole width. */
  const drawing = (drawn: string) => {
    const text = JSON.stringify(drawn.replaceAll('~', '─'.repeat(80)));
    const keys = `process.stdin.setRawMode(true); process.stdin.on('data', () => {});`;
    return spawn(process.execPath, ['-e', `${keys} process.stdout.write(${text})`]);
  };

  for (const [what, drawn, state] of [
    ['between rules', 'a\r\n~❯ \r\n~? for shortcuts\x1b[3;3H', 'awaiting_input'],
    ['below a rule', 'a\r\n~> ', 'awaiting_input'],
    ['in a box', 'a\r\n╭──────────╮\r\n│ > \r\n╰──────────╯\x1b[3;5H', 'awaiting_input'],
    ['of a program that asked for keyboard flags', '\x1b[>1u> ', 'awaiting_input'],
    ['of a REPL', '> ', 'at_prompt'],
    ['of a REPL below a table', '└──────────┘\r\n> ', 'at_prompt'],
  ] as const) {
    onLinuxOnly(`is ${state} in a field ${what}`, async () => {
      const session = await drawing(drawn);
      await vi.waitFor(() => expect(session.screen().text.join('')).toMatch(/[>❯]/));
      await expectState(session, state, { canonical: false });
    });
  }

  needs('tmux')('is full_screen in tmux', async () => {
    const socket = join(home, 'tmux');
    const session = await bash(`tmux -S '${socket}' -f /dev/null new-session 'sleep 1000'`);
    await expectState(session, 'full_screen', { leaderInForeground: false });
    await bash(`tmux -S '${socket}' kill-server`);
    await expectState(session, 'at_prompt');
  });

  it('is running in a program that only prints', async () => {
    await expectState(await spawn('yes', []), 'running');
  });

  it('is exited after the exit, without evidence of the terminal', async () => {
    await expectState(await sh('exit 3'), 'exited', {
      foreground: null,
      leaderInForeground: null,
      echo: null,
      canonical: null,
      readingTerminal: null,
    });
  });
});
