import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { Place, vtrFile } from '../support/command/vtr-command.ts';
import { childrenWith, processesWith } from '../support/pty/process-facts.ts';
import { needsSshd } from '../support/run/needs.ts';
import { Sshd } from '../support/sshd/sshd.ts';
import { tree } from '../support/tree.ts';

const script = 'stty -echo; echo ready; while read -r x; do echo "got $x"; done';

/** Two users, of whom one has the other's coordinator as the own, over ssh. */
async function machines(config: readonly string[] = []) {
  const far = new Place();
  const bin = tree();
  const log = join(bin, 'connects');
  writeFileSync(join(bin, 'vtr'), `#!/bin/sh\necho "$1" >>'${log}'\nexec '${vtrFile}' "$@"\n`);
  chmodSync(join(bin, 'vtr'), 0o755);
  const path = `${bin}:${process.env['PATH']}`;
  const sshd = await Sshd.start({ ...far.env, PATH: path }, onTestFinished, config);
  const near = new Place(undefined, { VTR_SOCKET: sshd.address, PATH: `${sshd.bin}:${path}` });
  onTestFinished(() => sshd.endShared(near.directory));
  const directory = join(near.directory, '.vtr/ssh');
  const sockets = () =>
    existsSync(directory) ? readdirSync(directory).filter((name) => name.endsWith('.sock')) : [];
  const ok = async (...words: string[]) => {
    const { status, stdout, stderr } = await near.vtr(words);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return stdout;
  };
  await ok('spawn', 'one', '--wait', 'ready', '--', 'sh', '-c', script);
  return {
    far,
    near,
    /** Runs a command to its end, which is a success. */
    ok,
    /** From now on, no new connection can be made. */
    breakSsh: () =>
      writeFileSync(join(sshd.bin, 'ssh'), '#!/bin/sh\necho no route >&2\nexit 255\n'),
    /** Commands that ssh has run there. */
    connects: () => readFileSync(log, 'utf8').split('\n').length - 1,
    /** The socket here, once there is one. */
    forwarded: async () => {
      await expect.poll(sockets).toHaveLength(1);
      return join(directory, sockets()[0] ?? '');
    },
  };
}

/** Replaces the socket here by one of ours. */
async function replaceSocket(path: string, onConnection: (socket: Socket) => void): Promise<void> {
  rmSync(path);
  const server = createServer(onConnection).listen(path);
  onTestFinished(() => void server.close());
  await expect.poll(() => existsSync(path)).toBe(true);
}

/** The connection stays open: a coordinator ends the call of a client that has gone. */
function passOn(request: Buffer, path: string): Socket {
  const connection = connect(path).resume();
  connection.write(request);
  return connection;
}

describe('a short command at a machine to which one has connected before', () => {
  needsSshd('starts nothing there', async () => {
    const { ok, connects, forwarded } = await machines();
    await forwarded();
    const before = connects();
    expect(await ok('ls', '--names')).toBe('one\n');
    await ok('send', 'one', 'x\r');
    await ok('key', 'one', 'y', 'enter');
    expect(JSON.parse(await ok('info', 'one', '--json'))).toMatchObject({
      coordinator: '127.0.0.1',
    });
    expect(connects()).toBe(before);
    await ok('wait', 'one', 'got y', '--since', 'start');
    expect(connects()).toBe(before + 1);
    expect((await ok('screen', 'one')).trim()).toBe('ready\ngot x\ngot y');
  });

  needsSshd('does as before where sshd forbids it to forward', async () => {
    const { ok, connects, forwarded } = await machines(['AllowStreamLocalForwarding no']);
    const path = await forwarded();
    for (const word of ['a', 'b', 'c']) await ok('send', 'one', `${word}\r`);
    await ok('wait', 'one', 'got c', '--since', 'start');
    expect((await ok('screen', 'one')).trim()).toBe('ready\ngot a\ngot b\ngot c');
    // A file takes its place.
    expect(readFileSync(path, 'utf8')).toBe('');
    const before = connects();
    await ok('ls');
    expect(connects()).toBe(before + 1);
  });

  needsSshd('connects anew after the shared connection is killed', async () => {
    const { near, ok, connects, forwarded } = await machines();
    const path = await forwarded();
    for (const pid of processesWith(`HOME=${near.directory}`)) process.kill(pid, 'SIGKILL');
    expect(await ok('ls', '--names')).toBe('one\n');
    expect(await forwarded()).toBe(path);
    const before = connects();
    expect(await ok('ls', '--names')).toBe('one\n');
    expect(connects()).toBe(before);
  });

  needsSshd('says that no coordinator runs there, and starts one', async () => {
    const { far, near, ok, forwarded } = await machines();
    await forwarded();
    await far.vtr(['serve', '--stop']);
    expect((await near.vtr(['send', 'one', 'x'])).status).toBe(3);
    await ok('spawn', 'two', '--', 'cat');
    expect(await ok('ls', '--names')).toBe('two\n');
  });

  needsSshd('types its text once, although the answer is lost, or late', async () => {
    const { far, ok, forwarded } = await machines();
    const path = await forwarded();
    const requests: string[] = [];
    await replaceSocket(path, (socket) => {
      socket.on('data', (request) => {
        requests.push(request.toString());
        passOn(request, far.socket).on('close', () => socket.destroy());
      });
    });
    await ok('send', 'one', 'lost\r');
    await ok('wait', 'one', 'got lost', '--since', 'start');
    await replaceSocket(path, (socket) => {
      socket.on('error', () => {});
      socket.on('data', (request) => {
        requests.push(request.toString());
        passOn(request, far.socket);
      });
    });
    await ok('send', 'one', 'late\r');
    await ok('wait', 'one', 'got late', '--since', 'start');
    expect(requests.filter((each) => each.includes('SendText'))).toHaveLength(2);
    expect((await ok('screen', 'one')).trim()).toBe('ready\ngot lost\ngot late');
    expect(childrenWith('vtr connect')).toEqual([]);
  });

  needsSshd('does not say that nothing was sent when its text may have arrived', async () => {
    const { far, near, forwarded, breakSsh } = await machines();
    const path = await forwarded();
    await replaceSocket(path, (socket) => {
      socket.on('data', (request) => {
        passOn(request, far.socket).on('close', () => socket.destroy());
      });
    });
    breakSsh();
    const result = await near.vtr(['send', 'one', 'arrived\r']);
    expect(result).toMatchObject({
      status: 3,
      stderr: expect.stringMatching(/no route; whether the input was sent is unknown$/m),
    });
    const waiting = await far.vtr(['wait', 'one', 'got arrived', '--since', 'start']);
    expect(waiting.status).toBe(0);
  });
});
