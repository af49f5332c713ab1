import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { allVerbs } from '#app/cli';
import { Place } from '../support/command/vtr-command.ts';

/** A coordinator puts an escape sequence in its place: of the same length, so that no other byte changes. */
const marker = 'hostilehostile16';
/** In the frames of long-lived clients, and in the JSON of others. */
const inFrames = '\x1b]0;pwnedpwned\x07x';
const inJson = '\\u001b]0;p\\u0007';

/** What acts on a terminal. */
const controls = /[\0-\x08\x0b-\x1f\x7f-\x9f]/;

/** A socket that forwards to a coordinator, and rewrites its answers. */
async function rewriting(socket: string): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'vtr-hostile-'));
  chmodSync(directory, 0o700);
  const open = new Set<Socket>();
  const server: Server = createServer((client) => {
    const daemon = connect(socket);
    let isJson: boolean | null = null;
    client.on('data', (data: Buffer) => {
      isJson ??= data.toString('latin1').startsWith('POST ');
      daemon.write(data);
    });
    let rest = '';
    daemon.on('data', (data: Buffer) => {
      const text = (rest + data.toString('latin1')).replaceAll(marker, isJson ? inJson : inFrames);
      // A marker may go on in the next part.
      const cut = Array.from({ length: marker.length - 1 }, (_, at) => marker.length - 1 - at);
      const tail = cut.find((length) => text.endsWith(marker.slice(0, length))) ?? 0;
      rest = text.slice(text.length - tail);
      client.write(Buffer.from(text.slice(0, text.length - tail), 'latin1'));
    });
    for (const [one, other] of [
      [client, daemon],
      [daemon, client],
    ] as const) {
      open.add(one);
      one.on('end', () => other.end());
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  const path = join(directory, 'h.sock');
  await new Promise<void>((resolve) => server.listen(path, resolve));
  chmodSync(path, 0o600);
  onTestFinished(() => {
    server.close();
    for (const each of open) each.destroy();
    rmSync(directory, { recursive: true, force: true });
  });
  return path;
}

const drawn = 'draws cells, without sequences of others';
const own = 'prints nothing of a coordinator';

/** What each verb is tried with, or why it is not. `#` is the name of the session. */
const tries: Readonly<Record<string, readonly (readonly string[])[] | string>> = {
  spawn: [['spawn', 'other', '--label', `a=${marker}`, '--', 'sleep', '9']],
  new: [['new', '-d', 'fresh', '--', 'sleep', '9']],
  ls: [['ls'], ['ls', '--names'], ['ls', '--json']],
  agents: [['agents'], ['agents', '--json']],
  'agents explain': [
    ['agents', 'explain', '#'],
    ['agents', 'explain', '#', '--json'],
  ],
  'agents update': 'asks no coordinator',
  'agents save': [['agents', 'save', '#', 'report']],
  watch: [['watch', '#']],
  notify: [['notify', '--osc'], ['notify']],
  info: [
    ['info', '#'],
    ['info', '#', '--json'],
  ],
  rename: [['rename', 'other', 'else']],
  attach: drawn,
  ui: drawn,
  revive: [['revive', 'ended']],
  fork: [['fork', 'ended']],
  report: [['report', '#', '--state', 'busy']],
  'agents install': 'it changes a file and makes no call',
  'mcp install': 'it changes a file and makes no call',
  'agents status': 'it reads files and makes no call',
  label: [['label', '#']],
  screen: [
    ['screen', '#'],
    ['screen', '#', '--scrollback', '5'],
    ['screen', '#', '--json'],
  ],
  read: [
    ['read', '#'],
    ['read', '#', '--json'],
  ],
  'record save': [['record', 'save', '#', '-o', '-', '--format', 'text']],
  'record start': [['record', 'start', '#']],
  'record stop': [['record', 'stop', '#']],
  marker: [['marker', '#', 'here']],
  'record ls': [['record', 'ls']],
  'record rename': [['record', 'rename', marker, 'other']],
  'record rm': [['record', 'rm', marker]],
  grep: [
    ['grep', '#', 'hostile', '-C', '2'],
    ['grep', '--all', 'x'],
  ],
  send: [['send', '#', 'true', '--enter', '--wait', 'x']],
  prompt: [['prompt', '#', marker]],
  answer: [['answer', '#', marker]],
  start: [['start', 'codex', '--timeout', '100ms']],
  key: [['key', '#', 'enter', '--wait', '--prompt']],
  mouse: [['mouse', '#', 'click', '--text', marker]],
  raw: [['raw', '#', '0d']],
  wait: [
    ['wait', '#', 'x', '--since', 'start'],
    ['wait', '#', marker, '--timeout', '100ms'],
  ],
  idle: [['idle', '#', '--idle', '10ms']],
  run: [
    ['run', '#', '--', `echo a ${marker}`],
    ['run', '#', '--json', '--', `echo ${marker}`],
  ],
  commands: [['commands', '#']],
  output: [
    ['output', '#'],
    ['output', '#', '--json'],
  ],
  exec: [['exec', '--', 'echo', marker]],
  resize: [['resize', '#', '90x20']],
  take: [['take', '#', '--note', marker]],
  give: [['give', '#', '--note', marker]],
  kill: [['kill', 'other']],
  rm: [['rm', 'else']],
  screenshot: [['screenshot', '#', '-o', '-', '--format', 'svg']],
  test: own,
  play: [['play', '#']],
  export: [['export', '#', '-o', '-', '--format', 'txt']],
  redact: own,
  web: [['web', '--port', '0']],
  'web stop': [['web', 'stop']],
  'web status': [['web', 'status']],
  'web share': [['web', 'share', '#']],
  'web shares': [['web', 'shares']],
  'web unshare': [['web', 'unshare', marker]],
  'web logins': [['web', 'logins']],
  'web logout': [['web', 'logout', marker]],
  log: own,
  publish: [['publish', 'published']],
  serve: [['serve', '--status']],
  metrics: [['metrics'], ['metrics', '--prometheus']],
  connect: 'passes bytes on to another vtr',
  install: own,
  mcp: 'answers a model, in JSON',
  acp: 'answers an editor, in JSON',
  tmux: [
    ['tmux', 'list-sessions'],
    ['tmux', 'new-session', '-d', '-s', 'work'],
  ],
  'shim install': own,
  'quick install': own,
  'config ls': own,
  'config add': own,
  'config rm': own,
  'config resolve': own,
  skill: own,
  doctor: [['doctor']],
  completion: own,
  'completion install': 'it changes a file and makes no call',
};

/** A shell whose texts a coordinator rewrites, and a session that has ended. */
async function hostile(name = 'shell') {
  const place = new Place();
  await place.ok('spawn', name, '--label', `key=${marker}`, '--', 'bash', '--norc');
  await place.ok('spawn', 'ended', '--', 'true');
  await place.vtr(['wait', 'ended', '--exit']);
  const shown = `printf '\\033]0;title ${marker}\\007'; echo x ${marker}`;
  await place.ok('run', name, '--', shown);
  return { place, socket: await rewriting(place.socket) };
}

describe('a coordinator that puts escape sequences into its answers', () => {
  it('is tried with every verb', async () => {
    const names = (await allVerbs()).map(({ name }) => name);
    expect(Object.keys(tries).sort()).toEqual(names.sort());
  });

  it('reaches the terminal with none of them, in any verb', async () => {
    const { place, socket } = await hostile();
    const env = { VTR_SOCKET: socket };
    let quoted = 0;
    for (const [verb, lines] of Object.entries(tries)) {
      for (const line of typeof lines === 'string' ? [] : lines) {
        const words = line.map((word) => (word === '#' ? 'shell' : word));
        const endless = verb === 'notify' || verb === 'publish';
        const { stdout, stderr } = await place.vtr(words, {
          env,
          ...(endless && { killAfterMs: 1500 }),
        });
        const text = verb === 'notify' ? withoutOsc(stdout + stderr) : stdout + stderr;
        expect(controls.exec(text), `${line.join(' ')}: ${JSON.stringify(text)}`).toBeNull();
        if (text.includes(']0;p')) quoted++;
      }
    }
    // Otherwise nothing was rewritten.
    expect(quoted).toBeGreaterThan(8);
  }, 240_000);

  it('gives no name that is not one', async () => {
    const { place, socket } = await hostile(marker);
    const env = { VTR_SOCKET: socket };
    const lines = [['ls'], ['ls', '--names'], ['notify'], ['rm', '*']];
    for (const words of lines) {
      const endless = words[0] === 'notify';
      const run = await place.vtr(words, { env, ...(endless && { killAfterMs: 3000 }) });
      const text = run.stdout + run.stderr;
      expect(controls.exec(text), `${words}: ${JSON.stringify(text)}`).toBeNull();
      expect(run.status, `${words}: ${text}`).not.toBe(0);
      // It goes on to try.
      if (!endless) expect(run.stderr).toContain('as the name of a session');
    }
  }, 60_000);
});

/** Notifications of the terminal are vtr's own sequences. */
const withoutOsc = (text: string): string =>
  text.replace(/\x1b\]777;notify;[^\0-\x1f\x7f-\x9f]*\x1b\\/g, '');

describe('a coordinator whose answers have other types', () => {
  it.each([
    ['{"sessions": {"name": 1}}'],
    ['{"sessions": [7]}'],
    ['{"sessions": [{"name": "shell", "cols": "many"}]}'],
    ['{"sessions": [{"name": "shell", "args": "x"}]}'],
    ['{"sessions": [{"name": "shell", "labels": {"a": 5}}]}'],
    ['{"sessions": "none"}'],
  ])('is an error: %s', async (body) => {
    const directory = mkdtempSync(join(tmpdir(), 'vtr-hostile-'));
    chmodSync(directory, 0o700);
    const socket = join(directory, 'h.sock');
    const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
    const server = createServer((client) => {
      client.on('error', () => {});
      client.once('data', () => client.end(head + body));
    });
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    chmodSync(socket, 0o600);
    onTestFinished(() => {
      server.close();
      rmSync(directory, { recursive: true, force: true });
    });
    const place = new Place();
    for (const words of [['screen', 'shell'], ['ls'], ['info', 'shell'], ['read', 'shell']]) {
      const { status, stdout } = await place.vtr(words, { env: { VTR_SOCKET: socket } });
      expect([words, status, stdout]).toEqual([words, 3, '']);
    }
  });
});
