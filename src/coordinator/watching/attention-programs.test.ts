import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { LocalCoordinator } from '#coordinator';
import type { Attention, SessionInfo, SessionsWatch } from '#model';
import { needs, provided } from '../../../test/support/run/needs.ts';

/** Only Linux reports which program reads the terminal. */
const using = (...programs: string[]) =>
  process.platform === 'linux' ? needs(...programs) : provided(false, 'only on Linux: reads /proc');

const pdb = 'x = 1\nbreakpoint()\nprint(x)\n';
/** As coding agents ask: the program waits for a socket, too, and the cursor is hidden. */
const agent = `
  const net = require('node:net');
  net.createServer().listen(0);
  process.stdin.setRawMode(true);
  process.stdin.on('data', (key) => { if (key[0] === 13) process.stdout.write('\\x1b[2J\\x1b[Hworking…\\n> 1. an item\\n'); });
  process.stdout.write('\\x1b[?25l● Let me run this.\\n╭─────╮\\n│ rm -rf build │\\n│ Do you want to proceed? │\\n│ ❯ 1. Yes │\\n│   2. No │\\n╰─────╯\\n');
`;

/** Draws the field in which one types, between two rules, with the cursor in it. */
const composer = `
  const rule = '─'.repeat(40);
  process.stdin.setRawMode(true);
  process.stdin.on('data', () => {});
  process.stdout.write('\\x1b[2J\\x1b[H● Shall I delete it?\\n' + rule + '\\n❯ \\n' + rule + '\\n  ? for shortcuts\\x1b[3;3H');
`;

/** Lines that are typed one after the other, then a text that is shown, and what is expected. */
type Row = readonly [
  what: string,
  lines: readonly string[],
  shown: string,
  expected: Pick<Attention, 'kind' | 'evidence' | 'menu'> | null,
];

/** Ends when it may; see `runLong`. */
const longLine = 'until [ -e go ]; do sleep 0.1; done';

const table: readonly Row[] = [
  ['a shell at its prompt', [], '', null],
  ['a command that ended', ['echo done; true'], 'done', null],
  ['an editor', ['vim -u NONE notes.txt'], 'Delete this', null],
  ['a pager', ['less notes.txt'], 'Delete this', null],
  ['a monitor', ['top'], 'Tasks:', null],
  ['a REPL', ['python3 -q'], '>>> ', null],
  ['a REPL that was used', ['python3 -q', '1 + 41'], '42', null],
  ['a line half typed in a REPL', ['python3 -q', '1 + 41', 'prin\0'], 'prin', null],
  ['a program that computes', ['echo wait; sleep 100'], 'wait', null],
  ['a key without a meaning', ['\x7f\x7f\0'], '', null],
  ['a grep that finds nothing', ['cd .; grep nothing notes.txt; echo'], '', null],
  ['a program that reads what somebody may send', ['cat'], 'cat', null],
  ['the same after a line', ['cat', 'a line'], 'a line', null],
  ['an interrupted command', ['cat', '\x03\0'], '^C', null],
  [
    'a question',
    [`read -rp 'Overwrite notes.txt? ' answer`],
    'Overwrite',
    { kind: 'input', evidence: 'Overwrite notes.txt?' },
  ],
  [
    'a password prompt',
    [`bash -c "read -rsp '[sudo] password for me: ' _"`],
    'for me:',
    { kind: 'password', evidence: '[sudo] password for me:' },
  ],
  [
    'a breakpoint',
    ['python3 stop.py'],
    '(Pdb)',
    { kind: 'input', evidence: expect.stringMatching(/^\(Pdb\) .*stop\.py/) },
  ],
  ['a debugger in use', ['python3 stop.py', 'p x + 41'], '42', null],
  [
    'the menu of a coding agent',
    ['node agent.cjs'],
    'proceed',
    {
      kind: 'input',
      evidence: 'Do you want to proceed?',
      menu: expect.objectContaining({ title: 'Do you want to proceed?', selected: 0 }),
    },
  ],
  ['a coding agent at work', ['node agent.cjs', '\r\0'], 'working', null],
  ['a program that draws its field', ['node composer.cjs'], 'for shortcuts', null],
  [
    'a command that failed',
    ['bash -c "exit 3"'],
    '',
    { kind: 'failed', evidence: 'bash -c "exit 3": exited with status 3' },
  ],
  ['a command after one that failed', ['bash -c "exit 3"', 'echo better'], 'better', null],
  [
    'a bell of a command',
    [`printf '\\a'`],
    '',
    { kind: 'bell', evidence: `printf '\\a' rang the bell` },
  ],
  [
    'a notification',
    // One write, which is read as a whole.
    [`printf '\\033]777;notify;Build;is \\033]9;4;1;5\\007ready\\033\\\\\\033]9;all green\\007'`],
    '',
    { kind: 'notification', evidence: 'all green' },
  ],
  [
    'progress that is complete',
    [`printf '\\033]9;4;1;50\\007'; printf '\\033]9;4;0\\007'`],
    '',
    { kind: 'done', evidence: expect.stringContaining('is complete') },
  ],
  [
    'a long command',
    [longLine],
    '',
    { kind: 'prompt', evidence: `${longLine}: exited with status 0` },
  ],
];

describe('the attention of', () => {
  let home = '';
  let coordinator: LocalCoordinator;
  let watch: SessionsWatch;
  const infos = new Map<string, SessionInfo>();

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'vtr-attention-'));
    writeFileSync(
      join(home, 'notes.txt'),
      'Delete this\n? Do you want to (y/n)\n> 1. Yes\n  2. No\n',
    );
    writeFileSync(join(home, 'stop.py'), pdb);
    writeFileSync(join(home, 'agent.cjs'), agent);
    writeFileSync(join(home, 'composer.cjs'), composer);
    coordinator = new LocalCoordinator({ defaults: { environment: process.env } });
    watch = await coordinator.watchSessions();
    void (async () => {
      for await (const event of watch) {
        if (event.type === 'session') infos.set(event.session.name, event.session);
      }
    })();
  });
  afterAll(async () => {
    await coordinator.close();
    rmSync(home, { recursive: true, force: true });
  });

  /** Runs a command for longer than one is seen to its end, by the clock that decides this. */
  const runLong = async (name: string) => {
    await coordinator.sendText(name, `${longLine}\r`);
    const newest = async () => (await coordinator.commands(name, { last: 1 })).commands[0];
    await expect.poll(newest).toMatchObject({ line: longLine, state: 'running' });
    await coordinator.wait(name, { match: ['never'], timeoutMs: 5_500 });
    writeFileSync(join(home, 'go'), '');
    onTestFinished(() => rmSync(join(home, 'go')));
  };

  const check = async ([what, lines, shown, expected]: Row) => {
    const { name } = await coordinator.spawn({
      program: 'bash',
      cwd: home,
      env: { PS1: '$ ', HISTFILE: '/dev/null', HOME: home, PYTHON_BASIC_REPL: '1' },
    });
    onTestFinished(async () => void (await coordinator.remove(name, { force: true })));
    await coordinator.wait(name, { prompt: true });
    for (const [at, line] of lines.entries()) {
      if (line === longLine) {
        await runLong(name);
        continue;
      }
      const text = line.endsWith('\0') ? line.slice(0, -1) : `${line}\r`;
      // A line that another one follows ends at a prompt or a menu, or asks; the last one may run on.
      const timeoutMs = at < lines.length - 1 ? 30_000 : 3_000;
      const wait = { asks: true, prompt: true, screen: ['2\\. No'], timeoutMs };
      await coordinator.sendText(name, text, { wait });
    }
    const escaped = shown.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
    if (shown !== '') await coordinator.wait(name, { screen: [escaped], timeoutMs: 20_000 });
    const attention = () => infos.get(name)?.attention;
    const listed = async () => {
      const all = await coordinator.list({ activity: true });
      return all.find((each) => each.name === name)?.attention ?? null;
    };
    if (expected === null) {
      await coordinator.wait(name, { quietMs: 2_500, timeoutMs: 4_000 });
      const watched = attention() ?? null;
      expect({ what, watched, listed: await listed() }).toEqual({
        what,
        watched: null,
        listed: null,
      });
      return;
    }
    const want = expect.objectContaining(expected);
    await expect.poll(attention, { message: what }).toEqual(want);
    // The list follows later: a program that has drawn its question may compute for a moment.
    await expect.poll(listed, { message: what, interval: 500 }).toEqual(want);
    // Input clears it at once.
    await coordinator.sendText(name, 'x');
    await expect.poll(attention, { message: what }).toBeUndefined();
  };

  using(
    'vim',
    'less',
    'top',
    'python3',
    'node',
  )('real programs, with and without a watcher', async () => {
    const checked = await Promise.allSettled(table.map(check));
    expect(checked.flatMap((each) => (each.status === 'rejected' ? each.reason : []))).toEqual([]);
  });
});
