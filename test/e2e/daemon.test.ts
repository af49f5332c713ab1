import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { identityOf } from '../../src/app/daemon/start/process-identity.ts';
import { exitOf, served } from '../support/command/running-daemon.ts';
import { Place, vtrFile } from '../support/command/vtr-command.ts';
import {
  hasProc,
  isAlive,
  processesWith,
  ptyHostOf,
  ptyHostsIn,
} from '../support/pty/process-facts.ts';
import { provided } from '../support/run/needs.ts';
import { tree } from '../support/tree.ts';

const mode = (path: string) => (lstatSync(path).mode & 0o7777).toString(8);

describe('the socket of a daemon', () => {
  it('[S3.30] and its directory are private, whatever the umask', async () => {
    const place = new Place();
    const socket = join(place.directory, 'deep/er/vtr.sock');
    const umask = process.umask(0);
    const started = place.vtr(['serve', '--daemon', '--socket', socket]);
    process.umask(umask);
    expect((await started).status).toBe(0);
    expect([mode(join(place.directory, 'deep/er')), mode(socket)]).toEqual(['700', '600']);
    const names = readdirSync(join(place.directory, 'deep/er'));
    // That of reports has a directory of its own.
    expect(names.map((name) => mode(join(place.directory, 'deep/er', name)))).toEqual(
      names.map((name) => (name.endsWith('.report') ? '700' : '600')),
    );
    await place.vtr(['serve', '--stop', '--socket', socket]);
  });

  it('[S3.30] is open to the group only if the configuration says so', async () => {
    const place = new Place();
    const config = join(place.directory, 'server.toml');
    writeFileSync(config, `socket_path = "${place.socket}"\nsocket_mode = "0660"\n`);
    await place.vtr(['serve', '--daemon', '--config', config]);
    expect(mode(place.socket)).toBe('660');
  });

  it.each([
    [
      'a directory that others can access',
      (directory: string) => chmodSync(directory, 0o777),
      'chmod 700',
    ],
    [
      'a directory that is a link',
      (directory: string) => {
        rmSync(directory, { recursive: true });
        symlinkSync('/tmp', directory);
      },
      'symbolic link',
    ],
    [
      'a path that is a file',
      (directory: string) => writeFileSync(join(directory, 'vtr.sock'), 'mine'),
      'not a socket',
    ],
  ])('is refused for %s, with the fix', async (_what, spoil, hint) => {
    const place = new Place();
    const directory = join(place.directory, 'run');
    mkdirSync(directory, { mode: 0o700 });
    spoil(directory);
    for (const flags of [[], ['--daemon']]) {
      const run = await place.vtr(['serve', '--socket', join(directory, 'vtr.sock'), ...flags]);
      expect(run.status).toBe(3);
      expect(run.stderr).toContain(hint);
      expect(run.stderr).not.toContain('exited');
    }
  });

  provided(process.getuid?.() === 0, 'only as root: changes the owner of a directory')(
    'is refused in a directory of another user',
    async () => {
      const place = new Place();
      const directory = join(place.directory, 'run');
      mkdirSync(directory, { mode: 0o700 });
      chownSync(directory, 12345, 12345);
      const { status, stderr } = await place.vtr(['serve', '--socket', `${directory}/vtr.sock`]);
      expect(status).toBe(3);
      expect(stderr).toContain('belongs to user 12345');
    },
  );

  it('is refused if its path is too long for the system', async () => {
    const place = new Place();
    const socket = join(place.directory, 'x'.repeat(120));
    const { status, stderr } = await place.vtr(['serve', '--socket', socket]);
    expect(status).toBe(2);
    expect(stderr).toContain('103');
    expect(readdirSync(place.directory)).toEqual([]);
  });

  it('is taken over from a daemon that was killed', async () => {
    const place = new Place();
    const first = await served(place);
    first.kill('SIGKILL');
    await exitOf(first);
    expect(existsSync(place.socket)).toBe(true);
    const { status } = await place.vtr(['serve', '--daemon']);
    expect(status).toBe(0);
    expect(readdirSync(place.directory).filter((name) => name.endsWith('.claim'))).toHaveLength(1);
  });

  it('is taken over from a process that ends while it is asked', async () => {
    const place = new Place();
    let connections = 0;
    const ending = createServer((connection) => {
      connections += 1;
      connection
        .on('error', () => {})
        .once('data', () => {
          ending.close();
          connection.destroy();
        });
    });
    await new Promise<void>((resolve) => ending.listen(place.socket, resolve));
    expect((await place.vtr(['serve', '--daemon'])).stderr).toContain('serving at');
    expect(connections).toBeGreaterThan(0);
  });

  it('is not taken from a listening process that is not a daemon', async () => {
    const place = new Place();
    // Not silent, so that nothing waits for its answer.
    const stranger = createServer((connection) => {
      connection.once('data', () => connection.destroy());
    }).listen(place.socket);
    onTestFinished(() => void stranger.close());
    await once(stranger, 'listening');
    const { status, stderr } = await place.vtr(['serve']);
    expect(status).toBe(3);
    expect(stderr).toContain('already running');
    expect(stranger.listening).toBe(true);
  });

  it('is created again soon after it was removed', async () => {
    const place = new Place();
    await place.shell('one');
    rmSync(place.socket);
    await expect.poll(() => existsSync(place.socket)).toBe(true);
    expect(mode(place.socket)).toBe('600');
    expect((await place.json('ls')).sessions).toHaveLength(1);
  });

  it('is created again with its claim file soon after its directory was removed', async () => {
    const place = new Place();
    const directory = join(place.directory, 'run');
    const at = ['--socket', join(directory, 'vtr.sock')];
    const daemon = await served(place, ...at);
    rmSync(directory, { recursive: true });
    await expect.poll(() => existsSync(at[1] ?? '')).toBe(true);
    expect(mode(directory)).toBe('700');
    expect((await place.vtr(['serve', ...at])).stderr).toContain(`already running`);
    expect((await place.vtr(['serve', '--stop', ...at])).status).toBe(0);
    expect(await exitOf(daemon)).toBe(0);
  });

  it('that another process replaced ends the daemon in an orderly way', async () => {
    const place = new Place();
    const daemon = await served(place);
    await place.ok('spawn', 'one', '--', 'cat');
    const { pid } = await place.json('info', 'one');
    const stranger = createServer().listen(join(place.directory, 'other'));
    onTestFinished(() => void stranger.close());
    await once(stranger, 'listening');
    renameSync(join(place.directory, 'other'), place.socket);
    expect(await exitOf(daemon)).toBe(0);
    expect(isAlive(pid)).toBe(false);
    expect(readdirSync(place.directory)).toEqual(['default.sock']);
  });
});

describe('twenty daemons that start at the same time', () => {
  it('become one, and the others report it', async () => {
    const place = new Place();
    const starts = Array.from({ length: 20 }, () => place.vtr(['serve', '--daemon']));
    const runs = await Promise.all(starts);
    const pids = runs.map(({ stderr }) => /\(process (\d+)\)/.exec(stderr)?.[1]);
    expect(runs.map(({ status }) => status)).toEqual(runs.map(() => 0));
    expect(runs.filter(({ stderr }) => stderr.includes('serving at'))).toHaveLength(1);
    expect(new Set(pids).size).toBe(1);
    // The others have reported and may still be exiting.
    const host = () => ptyHostOf(Number(pids[0]));
    const left = () => processesWith(`VTR_SOCKET=${place.socket}`).filter((pid) => pid !== host());
    if (hasProc) await expect.poll(left).toEqual([Number(pids[0])]);
  });
});

describe('a daemon whose code is missing', () => {
  it('does not wait for its PTY host', async () => {
    const place = new Place();
    const directory = tree({});
    const programs = ['vtr.cjs', 'vtr-command.cjs', 'vtr-ptyd.cjs', 'vtr-ptyhost.cjs'];
    for (const each of programs) {
      copyFileSync(join(dirname(vtrFile), each), join(directory, each));
    }
    const { env } = place;
    const child = spawn(process.execPath, [join(directory, 'vtr.cjs'), 'serve'], { env });
    onTestFinished(() => void child.kill('SIGKILL'));
    const said = text(child.stderr);
    expect(await exitOf(child)).not.toBe(0);
    expect(await said).toContain('vtr-daemon.cjs');
    await expect.poll(() => ptyHostsIn(place.directory)).toEqual([]);
  });
});

describe('a daemon that stops', () => {
  it('at SIGTERM ends its sessions, answers waiting clients, and leaves nothing', async () => {
    const place = new Place();
    const pidFile = join(place.directory, 'vtr.pid');
    const daemon = await served(place, '--pid-file', pidFile);
    expect(readFileSync(pidFile, 'utf8').split('\n')[0]).toBe(String(daemon.pid));
    await place.ok('spawn', 'one', '--', 'sh', '-c', 'sleep 60 & echo up; wait');
    await place.sees('one', 'up');
    const { pid } = await place.json('info', 'one');
    const { ended } = await place.calling('Wait', ['wait', 'one', 'never', '--json']);
    daemon.kill('SIGTERM');
    expect(JSON.parse((await ended).stdout)).toMatchObject({ outcome: 'exited' });
    expect(await exitOf(daemon)).toBe(0);
    expect(isAlive(pid)).toBe(false);
    expect(readdirSync(place.directory)).toEqual([]);
  });

  it('through its socket has exited when the command returns', async () => {
    const place = new Place();
    await place.shell('one');
    const { pid } = await place.json('info', 'one');
    const { stderr } = await place.vtr(['serve', '--daemon']);
    const daemon = Number(/process (\d+)/.exec(stderr)?.[1]);
    expect(isAlive(daemon)).toBe(true);
    expect((await place.vtr(['serve', '--stop'])).status).toBe(0);
    expect([pid, daemon].filter(isAlive)).toEqual([]);
    expect(readdirSync(place.directory).filter((name) => !name.endsWith('.log'))).toEqual([]);
    expect((await place.vtr(['serve', '--stop'])).status).toBe(3);
  });

  it('drops output that takes minutes to apply', async () => {
    const place = new Place();
    const daemon = await served(place);
    const size = ['--size', '1000x1000'];
    // DECRQCRA (VT420): each takes some milliseconds, and 64 KB of them can wait.
    const script = `stty raw -echo; exec perl -e 'print "ready\\n" . "\\e[1;1;1;1;1000;1000*y" x 8000; sleep'`;
    await place.ok('spawn', 'large', ...size, '--', 'sh', '-c', script);
    await place.ok('wait', 'large', '--match', 'ready', '--since', 'start');
    expect((await place.vtr(['serve', '--stop'])).status).toBe(0);
    expect(await exitOf(daemon)).toBe(0);
  });

  it('is orderly where a file cannot be removed', async () => {
    const place = new Place();
    const daemon = await served(place);
    await place.ok('spawn', 'one', '--', 'cat');
    const { pid } = await place.json('info', 'one');
    rmSync(`${place.socket}.daemon`);
    mkdirSync(`${place.socket}.daemon`);
    expect((await place.vtr(['serve', '--stop'])).status).toBe(0);
    expect([await exitOf(daemon), isAlive(pid)]).toEqual([0, false]);
    expect(readdirSync(place.directory)).toEqual([basename(`${place.socket}.daemon`)]);
  });

  it('by a pid file is never a process other than the daemon', async () => {
    const place = new Place();
    const sleeper = spawn('sleep', ['60']);
    onTestFinished(() => void sleeper.kill());
    const pidFile = join(place.directory, 'vtr.pid');
    const start = identityOf(sleeper.pid ?? 0)?.start;
    for (const text of ['', `\n1\n${place.socket}\nid`, `\n${start}\n${place.socket}\nid`]) {
      writeFileSync(pidFile, `${sleeper.pid}${text}\n`);
      const { status, stderr } = await place.vtr(['serve', '--stop', '--pid-file', pidFile]);
      expect(status).not.toBe(0);
      expect(stderr).not.toContain('has ended');
    }
    expect(isAlive(sleeper.pid ?? 0)).toBe(true);
  });

  it('by its pid file is found at another socket', async () => {
    const place = new Place();
    const pidFile = join(place.directory, 'vtr.pid');
    const socket = join(place.directory, 'other.sock');
    await place.vtr(['serve', '--daemon', '--socket', socket, '--pid-file', pidFile]);
    expect((await place.vtr(['serve', '--stop', '--pid-file', pidFile])).status).toBe(0);
    expect([existsSync(socket), existsSync(pidFile)]).toEqual([false, false]);
  });
});

describe('a daemon that is started from inside a session', () => {
  it('is not a program of that session', async () => {
    const [outer, inner] = [new Place(), new Place()];
    const start = `"${process.execPath}" "${vtrFile}" spawn child -- cat; sleep 60`;
    await outer.ok(
      'spawn',
      'parent',
      '--env',
      `VTR_SOCKET=${inner.socket}`,
      '--',
      'sh',
      '-c',
      start,
    );
    await outer.sees('parent', 'child');
    await outer.ok('rm', 'parent');
    expect((await inner.json('ls')).sessions).toMatchObject([{ name: 'child', status: 'running' }]);
  });
});

describe('socket_path of server.toml', () => {
  it('is the socket of the daemon and of all verbs', async () => {
    const place = new Place();
    const socket = join(place.directory, 'elsewhere.sock');
    mkdirSync(join(place.directory, 'config/vtr'), { recursive: true });
    writeFileSync(join(place.directory, 'config/vtr/server.toml'), `socket_path = "${socket}"\n`);
    const vtr = (...words: string[]) => place.vtr(words, { env: { VTR_SOCKET: '' } });
    expect((await vtr('serve', '--daemon')).stderr).toContain(`serving at ${socket}`);
    expect((await vtr('spawn', 'one', '--no-start', '--', 'cat')).status).toBe(0);
    expect((await vtr('ls', '--names')).stdout).toBe('one\n');
    expect((await vtr('serve', '--stop')).status).toBe(0);
    expect(existsSync(socket)).toBe(false);
  });
});

describe('a daemon with an invalid configuration', () => {
  it('does not start, and reports line and column', async () => {
    const place = new Place();
    const config = join(place.directory, 'server.toml');
    writeFileSync(config, 'scrollback_limit = 10\nscrolback = 3\n');
    for (const flags of [[], ['--daemon']]) {
      const { status, stderr } = await place.vtr(['serve', '--config', config, ...flags]);
      expect(status).toBe(2);
      expect(stderr).toContain(`${config}:2:1: unknown key scrolback`);
    }
  });

  it('that became invalid after its start keeps serving; the next start reports the error', async () => {
    const place = new Place();
    const config = join(place.directory, 'server.toml');
    writeFileSync(config, 'scrollback_limit = 10\n');
    await place.vtr(['serve', '--daemon', '--config', config]);
    await place.ok('spawn', 'one', '--', 'cat');
    writeFileSync(config, 'scrollback_limit = [\n');
    const { status, stderr } = await place.vtr(['serve', '--daemon', '--config', config]);
    expect(status).toBe(2);
    expect(stderr).toContain(`${config}:`);
    expect((await place.json('ls')).sessions).toMatchObject([{ name: 'one', status: 'running' }]);
  });
});
