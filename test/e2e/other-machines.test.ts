import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { connect } from '#app/client';
import type { Coordinator } from '#model';
import { JsonCoordinator } from '#wire/service/short';
import { AcpEditor } from '../support/acp/acp-editor.ts';
import { Following } from '../support/command/following.ts';
import { PersonTerminal } from '../support/command/person-terminal.ts';
import { Place, vtrFile } from '../support/command/vtr-command.ts';
import { McpHost } from '../support/mcp/mcp-client.ts';
import { childrenWith, commandOf } from '../support/pty/process-facts.ts';
import { needsSshd, provided } from '../support/run/needs.ts';
import { hasSshd, Sshd } from '../support/sshd/sshd.ts';
import { type OnEnd, tree } from '../support/tree.ts';

const script = 'stty -echo; echo ready; while read -r x; do echo "got $x"; done';
const program = ['--', 'sh', '-c', script] as const;

/** What ends with this file, the last begun first: hooks cannot be added in a hook. */
const ends: (() => void | Promise<void>)[] = [];
const onFileEnd: OnEnd = (end) => void ends.unshift(end);
afterAll(async () => {
  for (const end of ends) await end();
});

/** A directory with `vtr`, for PATH. */
function programs(onEnd: OnEnd = onFileEnd): string {
  const bin = tree({}, onEnd);
  symlinkSync(vtrFile, join(bin, 'vtr'));
  return bin;
}

describe('another machine', () => {
  /** The other side, with its own user. */
  let far: Place;
  /** A user on this side, whose own coordinator is the one over there. */
  let near: Place;
  let address: string;
  let client: Coordinator;

  const killSsh = () => {
    const pids = childrenWith('vtr connect');
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    return pids.length;
  };

  beforeAll(async () => {
    if (!hasSshd) return;
    far = new Place(onFileEnd);
    const path = `${programs()}:${process.env['PATH']}`;
    const sshd = await Sshd.start({ ...far.env, PATH: path }, onFileEnd);
    address = sshd.address;
    near = new Place(onFileEnd, { VTR_SOCKET: address, PATH: `${sshd.bin}:${path}` });
    onFileEnd(() => sshd.endShared(near.directory));
    // For the verbs that run in this process.
    vi.stubEnv('PATH', near.env['PATH'] ?? '');
    vi.stubEnv('HOME', near.directory);
    await near.ok('spawn', 'one', '--wait', 'ready', ...program);
    client = await connect({ address });
    onFileEnd(() => client.close());
    onFileEnd(() => void vi.unstubAllEnvs());
  });

  needsSshd(
    'a session there is named by the address and its name, without a configuration',
    async () => {
      const env = { VTR_SOCKET: join(near.directory, 'own.sock') };
      const ok = async (...words: readonly string[]) => {
        const { status, stdout, stderr } = await near.vtr(words, { env });
        expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
        return stdout;
      };
      expect(await ok('screen', `${address}:one`)).toContain('ready');
      await ok('spawn', `${address}:named-there`, ...program);
      expect(await ok('ls', `${address}:named-*`)).toContain('named-there');
      const own = { directory: near.directory, env: { ...near.env, ...env } };
      const words = ['attach', `${address}:named-there`];
      const person = await PersonTerminal.run(own, words, { cols: 80, rows: 24 });
      await person.types('hello\r');
      await person.shows('got hello');
      await ok('rm', '--force', `${address}:named-*`);
    },
  );

  needsSshd('all verbs work there', async () => {
    const ok = near.ok.bind(near);
    await ok('spawn', 'verbs', '--env', 'PS1=$ ', '--', 'sh');
    const session = await near.json('info', 'verbs');
    expect(session).toMatchObject({ coordinator: '127.0.0.1', cwd: far.directory });
    await ok('wait', 'verbs', '--prompt');
    await ok('send', 'verbs', 'echo a$((1+1))b\r', '--wait', 'a2b');
    expect((await near.vtr(['read', 'verbs'])).stdout).toContain('a2b');
    expect(await ok('screen', 'verbs')).toContain('a2b');
    expect(await ok('grep', 'verbs', '^a2b')).toContain('a2b');
    await ok('key', 'verbs', 'x', 'ctrl+u');
    await ok('raw', 'verbs', '0c');
    await ok('resize', 'verbs', '90', '30');
    await ok('label', 'verbs', 'k=v');
    expect(await near.json('info', 'verbs')).toMatchObject({ cols: 90, labels: { k: 'v' } });
    expect(await ok('ls')).toContain('verbs');
    await ok('rename', 'verbs', 'named');
    await ok('idle', 'named');
    const files = ['record.cast', 'a.svg'].map((name) => join(near.directory, name));
    expect((await near.vtr(['record', 'save', 'named', '-o', files[0] ?? ''])).status).toBe(0);
    await ok('screenshot', 'named', '-o', files[1] ?? '');
    expect(files.map((file) => readFileSync(file, 'utf8').length > 100)).toEqual([true, true]);
    await ok('kill', 'named', '--signal', 'HUP');
    await ok('rm', 'named');
    expect(await ok('exec', '--', 'sh', '-c', 'pwd')).toBe(`${far.directory}\n`);
    const published = await near.vtr(['publish', 'text'], { input: 'from here\n' });
    expect(published).toMatchObject({ status: 0, stdout: 'text\n' });
    expect((await near.vtr(['read', 'text'])).stdout).toContain('from here');
    await ok('rm', 'text');
    const page = await near.vtr(['web', '--port', '0', '--open'], { env: { BROWSER: 'false' } });
    expect(page.stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#t=/);
    expect(page.stderr).toMatch(/run ssh -N -L (\d+):127\.0\.0\.1:\1 -p \d+ /);
    await ok('web', 'stop');
    expect(await ok('log', 'named')).toMatch(/ spawn +verbs +program=sh/);
    expect((await near.json('serve', '--status')).socket).toBe(address);
  });

  needsSshd('a wait goes on after kill -9 of ssh, and misses nothing', async () => {
    const waiting = client.wait('one', { match: ['got missed'], timeoutMs: 60_000 });
    // Accepted after the wait.
    await client.info('one');
    expect(killSsh()).toBe(1);
    await far.ok('send', 'one', 'missed\r');
    expect(await waiting).toMatchObject({ outcome: 'matched', match: { matched: 'got missed' } });
  });

  needsSshd('a wait and later calls go on when the daemon there is replaced', async () => {
    const waiting = client.wait('one', { match: ['got later'], timeoutMs: 60_000 });
    await client.info('one');
    expect((await far.vtr(['serve', '--restart'])).status).toBe(0);
    await client.sendText('one', 'later\r');
    expect(await waiting).toMatchObject({ outcome: 'matched' });
  });

  needsSshd('input is typed once, and in order, over many kill -9 of ssh', async () => {
    const since = await client.mark('one');
    const words = Array.from({ length: 12 }, (_, index) => `w${index}`);
    for (const [index, word] of words.entries()) {
      const sending = client.sendText('one', `${word}\r`);
      if (index % 3 === 1) killSsh();
      await sending;
    }
    await client.wait('one', { match: [`got ${words.at(-1)}`], since });
    const { text } = await client.read('one', { since });
    expect(text.tail.trim().split('\n')).toEqual(words.map((word) => `got ${word}`));
  });

  needsSshd(
    'a subscription survives kill -9 of ssh in a flood, and ends with the same screen',
    async () => {
      await client.spawn({
        name: 'flood',
        program: 'sh',
        args: ['-c', 'read x; seq 200000; echo end'],
      });
      const events = await client.subscribe('flood');
      await client.sendText('flood', '\r');
      let isKilled = false;
      const types: string[] = [];
      for await (const { type } of events) {
        if (type === 'snapshot' || type === 'exit') types.push(type);
        if (type === 'output' && !isKilled) isKilled = killSsh() > 0;
        if (type === 'exit') break;
      }
      expect([isKilled, types.slice(0, 1), types.at(-1)]).toEqual([true, ['snapshot'], 'exit']);
      const [here, there] = [await client.screen('flood'), await far.ok('screen', 'flood')];
      expect(here.text.join('\n').trim()).toBe(there.trim());
      await client.remove('flood');
    },
  );

  needsSshd('vtr attach shows the session again after kill -9 of ssh', async () => {
    const flag = join(far.directory, 'flag');
    const lines = `echo ready; read x; echo "got $x"; until [ -e ${flag} ]; do sleep 0.1; done; echo later; cat`;
    await far.ok('spawn', 'shown', '--wait', 'ready', '--', 'sh', '-c', lines);
    const person = await PersonTerminal.run(near, ['attach', 'shown'], { cols: 100, rows: 24 });
    await person.shows('ready');
    await person.types('hello\r');
    await person.shows('got hello');
    // Those of the person's command, whose parent is not this process.
    const pids = readdirSync('/proc').filter((pid) => {
      const line = /^\d+$/.test(pid) ? commandOf(Number(pid)) : '';
      return (
        line.includes(near.directory) && line.includes('vtr connect') && !line.includes('[mux]')
      );
    });
    const own = new Set(childrenWith('vtr connect'));
    for (const pid of pids) if (!own.has(Number(pid))) process.kill(Number(pid), 'SIGKILL');
    writeFileSync(flag, '');
    await person.shows('later');
    await person.keys('ctrl+b', 'd');
    expect(await person.ended()).toMatchObject({ code: 0 });
  });

  needsSshd('an agent has terminals there, by vtr mcp and vtr acp', async () => {
    const host = await McpHost.start(near, { flags: ['--coordinator', address] });
    const session_id = await host.shell();
    const read = { view: 'new', wait_for_prompt: true };
    const result = await host.call('send', { session_id, text: 'pwd\n', read });
    expect(result.read_result.content).toContain(`${far.directory}\n`);
    expect((await far.json('ls', session_id)).sessions).toHaveLength(1);
    const editor = await AcpEditor.start(near, { flags: ['--socket', address] });
    const of = { terminalId: '$0.terminalId' };
    const [created, exit, answer] = await editor.prompt(
      { request: 'terminal/create', params: { command: 'sh', args: ['-c', 'echo acp; exit 3'] } },
      { request: 'terminal/wait_for_exit', params: of },
      { request: 'terminal/output', params: of },
    );
    expect([exit.exitCode, answer.output]).toEqual([3, 'acp\n']);
    expect((await far.result(['read', created.terminalId])).stdout).toContain('acp\n');
  });

  needsSshd(
    'a person finds and answers sessions there, by vtr ui, and takes them over',
    async () => {
      const asks = 'printf "Overwrite? [y/N] "; read x; echo "got $x"; cat';
      await near.ok('spawn', 'asks', '--', 'sh', '-c', asks);
      const person = await PersonTerminal.run(near, ['ui'], { cols: 100, rows: 24 });
      await person.shows('asks .*Overwrite', 'one');
      await person.keys('/');
      await person.types('asks');
      await person.shows('^> . asks');
      // One that has just come is answered by a line, not by a key.
      await person.keys('enter', 'i');
      await person.types('y');
      await person.keys('enter');
      await far.ok('wait', 'asks', 'got y', '--since', 'start');
      await person.keys('q');
      expect(await person.ended()).toMatchObject({ code: 0 });
      const epoch = (await near.ok('take', 'asks', '--note', 'mine')).trim();
      expect(await far.result(['send', 'asks', 'no'])).toMatchObject({
        status: 14,
        stderr: expect.stringContaining('mine'),
      });
      await near.ok('send', 'asks', 'yes\r', '--epoch', epoch);
      await near.ok('give', 'asks');
      await far.ok('wait', 'asks', '^yes', '--since', 'start');
      await near.ok('rm', 'asks');
    },
  );

  needsSshd('a list is followed there, commands run, and are recorded there', async () => {
    const list = new Following(near, 'ls', '--watch', 'shell');
    await near.ok('spawn', 'shell', '--env', 'PS1=$ ', '--', 'bash', '--norc');
    await list.prints(/"event":"session".*"name":"shell"/);
    const file = (await near.ok('record', 'start', 'shell')).trim();
    expect(file.startsWith(far.state)).toBe(true);
    const [{ id }] = (await near.json('record', 'ls')).recordings;
    const ran = await near.result(['run', 'shell', '--', 'echo $((6*7)); (exit 3)']);
    expect(ran).toMatchObject({ status: 3, stdout: '42\n' });
    await near.ok('record', 'stop', 'shell');
    expect(readFileSync(file, 'utf8')).toContain('42');
    expect((await near.json('record', 'ls')).recordings).toMatchObject([
      { session: 'shell', file },
    ]);
    expect(await near.ok('export', id, '-o', '-', '--format', 'txt')).toContain('42');
    await near.ok('rm', 'shell');
    await list.prints('"event":"removed"');
    await list.stop();
  });

  needsSshd('the first of several sessions there ends a wait', async () => {
    for (const name of ['any-1', 'any-2']) {
      await near.ok('spawn', name, '--wait', 'ready', ...program);
    }
    await far.ok('send', 'any-2', 'second\r');
    const waited = await near.json('wait', 'any-*', 'got second', '--any', '--since', 'start');
    expect(waited).toMatchObject({ coordinator: '127.0.0.1', name: 'any-2', outcome: 'matched' });
    const late = await near.result(['wait', 'any-*', 'never', '--any', '--timeout', '10ms']);
    expect(late).toMatchObject({ status: 9, stderr: 'vtr: timed out after 10ms in 2 sessions\n' });
    await far.ok('kill', 'any-1');
    const exited = await near.result(['wait', 'any-*', '--any', '--include-ended']);
    expect(exited).toMatchObject({ status: 0, stdout: '127.0.0.1:any-1\n' });
    await near.ok('rm', 'any-*');
  });

  needsSshd('coordinators that are dead are named, and hide no other', async () => {
    const user = new Place(undefined, { PATH: near.env['PATH'] ?? '' });
    const silent = `${address.replace('127.0.0.1', 'silent.invalid')}`;
    const bin = tree();
    const ssh = (process.env['PATH'] ?? '').split(':')[0];
    // Ends when vtr does.
    writeFileSync(
      join(bin, 'ssh'),
      `#!/bin/sh\ncase "$*" in *silent.invalid*) exec cat;; esac\nexec ${ssh}/ssh "$@"\n`,
    );
    chmodSync(join(bin, 'ssh'), 0o755);
    const file = join(user.directory, 'config/vtr/config.toml');
    mkdirSync(dirname(file), { recursive: true });
    const addresses = [
      ['gone', 'ssh://127.0.0.1:1'],
      ['silent', silent],
      ['far', address],
      // A machine without a daemon has no sessions, which is nothing to tell.
      ['empty', `${address}/nonexistent/s.sock`],
    ];
    writeFileSync(
      file,
      addresses.map(([n, a]) => `[[coordinators]]\nname = "${n}"\naddress = "${a}"\n`).join('\n'),
    );
    const env = { PATH: `${bin}:${user.env['PATH']}`, HOME: near.directory };
    await user.ok('spawn', 'mine', '--', 'cat');
    const { status, stdout, stderr } = await user.vtr(['ls', '--names'], { env });
    expect([status, stdout.split('\n')]).toEqual([0, expect.arrayContaining(['mine', 'one'])]);
    expect(stderr).toContain('skipped: ssh://127.0.0.1:1 cannot be reached: ssh: connect to host');
    expect(stderr).toContain(`skipped: ${silent} has not answered within`);
    expect(stderr).not.toContain('nonexistent');
    const read = await user.vtr(['read', 'far:one', '--tail', '1'], { env });
    expect(read).toMatchObject({ status: 0, stdout: expect.stringContaining('got') });
  });

  needsSshd('says what ssh says', async () => {
    const closed = await near.vtr(['ls', '--coordinator', 'ssh://127.0.0.1:1']);
    expect(closed).toMatchObject({
      status: 3,
      stderr:
        'vtr: ssh://127.0.0.1:1 cannot be reached: ssh: connect to host 127.0.0.1 port 1: Connection refused\n',
    });
    const none = await near.vtr(['ls', '--coordinator', `${address}/nonexistent/s.sock`]);
    expect(none).toMatchObject({
      status: 3,
      stderr: expect.stringContaining(`no coordinator runs at ${address}/nonexistent/s.sock`),
    });
  });
});

const mayUnshare = spawnSync('unshare', ['--mount', 'true']).status === 0;

provided(mayUnshare, 'needs unshare --mount, which only root may use')(
  'a coordinator in other namespaces, whose socket is not visible here',
  async () => {
    const place = new Place();
    const hidden = join(place.directory, 'hidden');
    mkdirSync(hidden);
    const serve = `mount -t tmpfs -o mode=700 none "$0" && exec vtr serve --socket "$0/s.sock"`;
    const env = { ...place.env, PATH: `${programs(onTestFinished)}:${process.env['PATH']}` };
    const unshare = ['--mount', '--pid', '--fork', '--mount-proc', 'sh', '-c', serve, hidden];
    const outer = spawn('unshare', unshare, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    const ended = once(outer, 'exit');
    onTestFinished(() => ended.then(() => {}));
    let said = '';
    for await (const chunk of outer.stderr) {
      said += chunk;
      if (said.includes('serving at')) break;
    }
    const inner = readFileSync(`/proc/${outer.pid}/task/${outer.pid}/children`, 'utf8').trim();
    onTestFinished(() => void process.kill(Number(inner), 'SIGTERM'));
    const enter = `nsenter --target ${inner} --mount --pid`;
    const address = `exec:${enter} env VTR_SOCKET=${hidden}/s.sock`;
    const here = { env: { PATH: env.PATH, VTR_SOCKET: address } };
    const spawned = await place.vtr(['exec', '--', 'sh', '-c', 'echo $PPID'], here);
    expect(spawned).toMatchObject({ status: 0, stdout: expect.stringMatching(/^\d{1,3}\n$/) });
    expect(existsSync(join(hidden, 's.sock'))).toBe(false);
  },
);

describe('a connection that breaks', () => {
  const toolOf = (lines: string) => `exec:sh -c '${lines}' -`;
  const greeting = `echo "vtr-connect {\\"version\\":\\"0.1.0\\"}"`;

  it.each([
    ['before the coordinator is reached: nothing was sent', 'echo no >&2; exit 255', 'no'],
    [
      'later: it is unknown what was sent',
      `${greeting}; read x; echo lost >&2; exit 255`,
      'unknown',
    ],
    ['by a kill', `${greeting}; read x; kill -9 $$`.replace('$$', '"$$"'), 'unknown'],
  ])('%s', async (_title, lines, certainty) => {
    const error = await new JsonCoordinator(toolOf(lines))
      .sendText('one', 'x')
      .catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'UNAVAILABLE', details: { sent: certainty } });
  });

  it('has another version of vtr on the other side', async () => {
    const other = 'echo "vtr-connect {\\"version\\":\\"7.3.1\\"}"; cat';
    await expect(new JsonCoordinator(toolOf(other)).list()).rejects.toThrow(
      /has vtr 7\.3\.1, and this is vtr 0\./,
    );
  });

  it('has something else on the other side', async () => {
    await expect(new JsonCoordinator(toolOf('echo hello')).list()).rejects.toThrow(
      'vtr connect does not answer there; sh printed "hello"',
    );
    const long = `exec:true ${'x'.repeat(1_000_000)}`;
    await expect(new JsonCoordinator(long).list()).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('E2BIG'),
    });
    await expect(new JsonCoordinator('exec:no-such-tool-vtr').list()).rejects.toThrow(
      'no-such-tool-vtr is not installed',
    );
  });
});
