import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isInstalled, provided } from '../../../../test/support/run/needs.ts';
import { tree } from '../../../../test/support/tree.ts';
import { claimHolder, claimSocket } from './claim.ts';
import { identityOf, isAlive, type ProcessIdentity, thisProcess } from './process-identity.ts';

const dead = async () => false;
const claims = (directory: string) =>
  readdirSync(directory).filter((name) => name.endsWith('.claim'));

describe('claimSocket', () => {
  it('lasts until released; its file names the process', async () => {
    const directory = tree();
    const socket = join(directory, 'a.sock');
    const claim = await claimSocket(socket, { isLive: dead });
    expect(claimHolder(socket)).toEqual(thisProcess());
    claim?.release();
    expect([claimHolder(socket), claims(directory)]).toEqual([null, []]);
  });

  it('is refused if a coordinator answers', async () => {
    const directory = tree();
    expect(await claimSocket(join(directory, 'a.sock'), { isLive: async () => true })).toBeNull();
    expect(claims(directory)).toEqual([]);
  });

  provided(existsSync('/proc/self'), 'only where /proc exists')(
    'reports a directory in which no file can be created',
    async () => {
      await expect(claimSocket('/proc/a.sock', { isLive: dead })).rejects.toMatchObject({
        code: 'UNAVAILABLE',
        message: expect.stringContaining('cannot create files in /proc (ENOENT)'),
      });
    },
  );

  it('removes files of dead processes, but not those of other sockets', async () => {
    const directory = tree();
    const { pid } = spawnSync('true');
    const { pid: own, start } = thisProcess();
    writeFileSync(join(directory, `a.sock.${pid}-1.claim`), '');
    // An earlier process with our pid.
    writeFileSync(join(directory, `a.sock.${own}-${start - 1}.claim`), '');
    writeFileSync(join(directory, `a.sock.sock.${pid}-1.claim`), '');
    await claimSocket(join(directory, 'a.sock'), { isLive: dead });
    expect(claims(directory).sort()).toEqual(
      [`a.sock.${own}-${start}.claim`, `a.sock.sock.${pid}-1.claim`].sort(),
    );
  });

  it('waits for a process that has the claim and does not answer yet', async () => {
    const directory = tree();
    const socket = join(directory, 'a.sock');
    const holder = thisProcess();
    const claim = await claimSocket(socket, { isLive: dead, self: holder });
    let answers = 0;
    const late = { isLive: async () => ++answers > 3, self: { pid: 1, start: -1 } };
    expect(await claimSocket(socket, late)).toBeNull();
    claim?.release();
    expect(claims(directory)).toEqual([]);
  });
});

it('a process is identified by its pid and start time', () => {
  const self = thisProcess();
  expect(isAlive(self)).toBe(true);
  expect(isAlive({ ...self, start: self.start + 1 })).toBe(false);
});

describe('a process whose main thread has ended', () => {
  const onLinux = provided(
    process.platform === 'linux' && isInstalled('python3'),
    'needs Linux and python3',
  );
  onLinux('is alive until its last thread has ended', async () => {
    const code = `import ctypes, os, threading
def run():
    while open('/proc/self/stat').read().split(') ')[1][0] != 'Z': pass
    os.write(1, b'ended')
    os.read(0, 1)
threading.Thread(target=run).start()
ctypes.CDLL(None).pthread_exit(None)`;
    const child = spawn('python3', ['-c', code], { stdio: ['pipe', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    const identity = identityOf(child.pid as number);
    expect(identity).not.toBeNull();
    expect(isAlive(identity as ProcessIdentity)).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(isAlive(identity as ProcessIdentity)).toBe(false);
  });
});
