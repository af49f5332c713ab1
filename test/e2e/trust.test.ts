import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { root } from '../../scripts/root.mjs';
import { loadBinding } from '../../src/pty/start/load-binding.ts';
import { publicVtrFile } from '../support/command/public-vtr.ts';
import { Place, vtrFile } from '../support/command/vtr-command.ts';
import { isAlive } from '../support/pty/process-facts.ts';
import { provided } from '../support/run/needs.ts';
import { tree } from '../support/tree.ts';

/** Two users, who have nothing on this machine. */
const [victim, attacker] = [61_301, 61_302];

/** Runs a program as a user. */
function runAs(uid: number, words: readonly string[], env: Readonly<Record<string, string>>) {
  const [setpriv = '', ...args] = `setpriv --reuid=${uid} --regid=${uid} --clear-groups`.split(' ');
  const { PATH = '' } = process.env;
  const options = { env: { PATH, ...env }, encoding: 'utf8', timeout: 30_000 } as const;
  return spawnSync(setpriv, [...args, ...words], options);
}

const canSwitch =
  process.getuid?.() === 0 && runAs(victim, [process.execPath, '-v'], {}).status === 0;
const withUsers = provided(canSwitch, 'only as root with setpriv, and a public node');

let copied = '';
/** The command, for every user. */
function publicVtr(): string {
  copied ||= publicVtrFile([], afterAll);
  return copied;
}

describe("another user's socket", () => {
  /** A socket of the attacker in a directory that all users share, and what it received. */
  async function trap() {
    const shared = tree();
    chmodSync(shared, 0o1777);
    const directory = join(shared, 'vtr');
    mkdirSync(directory, { mode: 0o755 });
    const socket = join(directory, 'default.sock');
    const received: string[] = [];
    const server = createServer((connection) => void received.push(String(connection)));
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    onTestFinished(() => void server.close());
    chmodSync(socket, 0o777);
    for (const each of [directory, socket]) chownSync(each, attacker, attacker);
    return { shared, socket, received };
  }

  withUsers('is never used, neither by default nor by its name', async () => {
    const { shared, socket, received } = await trap();
    const vtr = [process.execPath, publicVtr()];
    const home = tree();
    chownSync(home, victim, victim);
    const env = { HOME: home, XDG_CONFIG_HOME: join(home, 'config') };
    const byDefault = runAs(victim, [...vtr, 'ls'], { ...env, XDG_RUNTIME_DIR: shared });
    expect([byDefault.status, byDefault.stderr]).toEqual([
      0,
      `vtr: warning: XDG_RUNTIME_DIR is not used: ${shared} belongs to user 0\n`,
    ]);
    for (const words of [['ls'], ['spawn', 'x', '--', 'cat']]) {
      const named = runAs(victim, [...vtr, ...words], { ...env, VTR_SOCKET: socket });
      expect(named.status, named.stderr).toBe(3);
      expect(named.stderr).toContain(`${socket} belongs to user ${attacker}`);
    }
    expect(received).toEqual([]);
  });
});

/** A directory that all users share, and that the attacker may own. */
function sharedDirectory(owner: number): string {
  const shared = join(tree(), 'shared');
  mkdirSync(shared);
  chmodSync(shared, 0o1777);
  chownSync(shared, owner, owner);
  return shared;
}

describe("another user's directory", () => {
  withUsers(
    'has none of our files, and each command says so once, also where a daemon runs',
    async () => {
      const place = new Place();
      const shared = sharedDirectory(attacker);
      const env = { XDG_STATE_HOME: join(shared, 'state'), TMPDIR: shared };
      const first = await place.vtr(['spawn', 'one', '--', 'bash'], { env });
      const why = `${shared} belongs to user ${attacker}, who could replace what is in it`;
      const warnings = ['XDG_STATE_HOME', 'TMPDIR'].map(
        (name) => `vtr: warning: ${name} is not used: ${why}\n`,
      );
      expect([first.status, first.stdout, first.stderr]).toEqual([0, 'one\n', warnings.join('')]);
      for (const words of [
        'ls',
        'ls --names',
        'screen one',
        'wait one --idle 1ms',
        'serve --status',
      ]) {
        const { status, stderr } = await place.vtr(words.split(' '), { env });
        expect({ words, status, stderr }).toEqual({ words, status: 0, stderr: warnings.join('') });
      }
      const { findings } = JSON.parse((await place.vtr(['doctor', '--json'], { env })).stdout);
      expect(findings).toContainEqual(
        expect.objectContaining({ subject: 'configuration', text: expect.stringContaining(why) }),
      );
      // The key of a shell is not in TMPDIR, either.
      expect((await place.vtr(['run', 'one', '--', 'echo', 'hi'])).stdout).toBe('hi\n');
      expect(readdirSync(shared)).toEqual([]);
      expect(readdirSync(join(place.directory, '.local/state/vtr'))).not.toEqual([]);
    },
  );

  withUsers(
    'has none of our files where they made it first, in a directory that all share',
    async () => {
      const place = new Place();
      const shared = sharedDirectory(0);
      const theirs = join(shared, 'vtr');
      mkdirSync(theirs);
      chmodSync(theirs, 0o777);
      chownSync(theirs, attacker, attacker);
      const env = { XDG_STATE_HOME: shared };
      const { status, stderr } = await place.vtr(['spawn', 'one', '--', 'bash'], { env });
      const why = `${theirs} belongs to user ${attacker}, who could replace what is in it`;
      expect([status, stderr]).toEqual([0, `vtr: warning: XDG_STATE_HOME is not used: ${why}\n`]);
      await place.ok('record', 'start', 'one');
      expect(readdirSync(theirs)).toEqual([]);
      expect(readdirSync(join(place.directory, '.local/state/vtr'))).not.toEqual([]);
    },
  );

  withUsers('does not decide what a configuration says', async () => {
    const place = new Place();
    const shared = sharedDirectory(attacker);
    mkdirSync(join(shared, 'vtr'));
    writeFileSync(join(shared, 'vtr/config.toml'), '');
    const { status, stderr } = await place.vtr(['ls'], { env: { XDG_CONFIG_HOME: shared } });
    expect([status, stderr]).toEqual([
      2,
      expect.stringContaining(`${shared} belongs to user ${attacker}, who could replace`),
    ]);
  });
});

describe("another user's link in a directory that all users share", () => {
  const outputs: Readonly<Record<string, readonly string[]>> = {
    'record save': ['record', 'save', 'one', '--force', '-o'],
    'record start': ['record', 'start', 'one', '--force', '-o'],
    export: ['export', 'CAST', '--force', '-o'],
    redact: ['redact', 'CAST', '--force', '-o'],
    screenshot: ['screenshot', 'one', '--force', '-o'],
    'tmux save-buffer': ['tmux', 'save-buffer'],
    'shim install': ['shim', 'install'],
    'skill install': ['skill', 'install'],
  };

  withUsers('is followed by no verb that writes a file', async () => {
    const place = new Place();
    const shared = sharedDirectory(0);
    const cast = join(place.directory, 'own.cast');
    await place.ok('spawn', 'one', '--', 'cat');
    await place.vtr(['record', 'save', 'one', '-o', cast]);
    await place.ok('tmux', 'new-session', '-d', '-s', 'pane');
    await place.ok('tmux', 'set-buffer', 'text');
    const target = join(place.directory, 'target.svg');
    writeFileSync(target, 'before');
    const links = ['file.svg', 'directory'].map((name) => join(shared, name));
    for (const [at, to] of [target, place.directory].entries()) {
      symlinkSync(to, links[at] as string);
      lchownSync(links[at] as string, attacker, attacker);
    }
    const [toFile = '', toDirectory = ''] = links;
    for (const [about, words] of Object.entries(outputs)) {
      const args = words.map((word) => (word === 'CAST' ? cast : word));
      for (const path of [toFile, join(toDirectory, 'new.svg')]) {
        const { status, stderr } = await place.vtr([...args, path]);
        expect.soft(status, about).not.toBe(0);
        expect
          .soft(stderr, about)
          .toEqual(
            expect.stringMatching(
              /(file\.svg|directory) belongs to user \d+, in a directory that all/,
            ),
          );
      }
    }
    expect(readFileSync(target, 'utf8')).toBe('before');
    expect(existsSync(join(place.directory, 'new.svg'))).toBe(false);
  });

  withUsers('and their file there gets no buffer of tmux, which is written in place', async () => {
    const place = new Place();
    const theirs = join(sharedDirectory(0), 'theirs');
    writeFileSync(theirs, '');
    chmodSync(theirs, 0o666);
    chownSync(theirs, attacker, attacker);
    await place.ok('tmux', 'new-session', '-d', '-s', 'pane');
    await place.ok('tmux', 'set-buffer', 'text');
    for (const words of [['save-buffer'], ['save-buffer', '-a']]) {
      const { status, stderr } = await place.vtr(['tmux', ...words, theirs]);
      expect([status, stderr]).toEqual([1, expect.stringContaining('theirs belongs to user')]);
    }
    expect(readFileSync(theirs, 'utf8')).toBe('');
  });
});

describe('a user whom the database of the system does not have, without HOME', () => {
  withUsers('is told where no directory can be made, and which socket it needs', () => {
    const run = (words: string, env = {}) =>
      runAs(victim, [process.execPath, publicVtr(), ...words.split(' ')], env);
    const { status, stderr } = run('spawn one -- cat', { HOME: 'relative' });
    expect([status, stderr]).toEqual([
      3,
      'vtr: cannot make the directory /.vtr: EACCES; choose another with --socket or VTR_SOCKET\n',
    ]);
    expect(run('doctor').stdout).not.toContain('internal error');
  });
});

describe('a login link that another user of the machine has', () => {
  /** Sends the token of a link, and prints the status of the answer. */
  const logsIn = `
    const { origin, hash } = new URL(process.argv[1]);
    const body = JSON.stringify({ token: hash.slice(3) });
    fetch(origin + '/login', { method: 'POST', headers: { origin }, body })
      .then(({ status }) => console.log(status));`;
  const logIn = (uid: number, url: string) =>
    runAs(uid, [process.execPath, '-e', logsIn, url], {}).stdout.trim();

  withUsers('is told to its owner, with the user, whoever is first', async () => {
    const place = new Place();
    const { url } = await place.json('web', '--port', '0');
    expect([logIn(0, url), logIn(attacker, url)]).toEqual(['204', '401']);
    const again = { at: expect.any(String), again: true, uid: attacker };
    expect((await place.json('web', 'status')).warnings).toEqual([again]);
    expect(logIn(attacker, (await place.json('web')).url)).toBe('204');
    const first = { ...again, again: false };
    expect((await place.json('web', 'status')).warnings).toEqual([again, first]);
    const { stderr } = await place.vtr(['web', 'status']);
    expect(stderr).toContain(
      `user ${attacker} of this machine logged in with a link to all sessions`,
    );
    const { entries } = await place.json('log');
    const details = { user: attacker };
    expect(entries).toMatchObject([
      { action: 'web' },
      { action: 'web login' },
      { action: 'web refused', details },
      { action: 'web' },
      { action: 'web login', details },
    ]);
  });
});

describe('a connection of another user', () => {
  /** Prints what the process that listens answers, until it closes the connection. */
  const ask = `
    const socket = require('node:net').connect(process.argv[1]);
    socket.on('error', ({ code }) => console.log(code));
    socket.on('data', (chunk) => { process.stdout.write(chunk.toString('latin1')); socket.end(); });
    socket.write('GET / HTTP/1.1\\r\\nhost: x\\r\\nconnection: close\\r\\n\\r\\n');`;
  const answerTo = (uid: number, socket: string) =>
    runAs(uid, [process.execPath, '-e', ask, socket], {}).stdout;

  withUsers(
    'is refused by the daemon and its PTY host, also if permissions let it in',
    async () => {
      const place = new Place();
      await place.ok('spawn', 'one', '--', 'cat');
      const hosts = readdirSync(place.directory)
        .filter((name) => name.endsWith('.ptyd'))
        .map((name) => join(place.directory, name));
      expect(hosts).toHaveLength(1);
      chmodSync(place.directory, 0o711);
      for (const socket of [place.socket, ...hosts]) {
        chmodSync(socket, 0o666);
        expect(answerTo(attacker, socket)).not.toMatch(/HTTP|vtrh/);
        expect(answerTo(0, socket)).toMatch(/HTTP|vtrh/);
      }
      const log = readFileSync(join(place.directory, 'default.log'), 'utf8');
      expect(log.match(new RegExp(`refused a connection of user ${attacker}`, 'g'))).toHaveLength(
        1,
      );
    },
  );

  withUsers(
    'is accepted from a member of the group to which the owner opened the socket',
    async () => {
      const place = new Place();
      const config = join(place.directory, 'server.toml');
      writeFileSync(config, `socket_path = "${place.socket}"\nsocket_mode = "0660"\n`);
      chownSync(place.directory, 0, victim);
      // Sockets get the group of the directory.
      chmodSync(place.directory, 0o2750);
      const { status, stderr } = await place.vtr(['serve', '--daemon', '--config', config]);
      expect(status, stderr).toBe(0);
      const run = (uid: number) =>
        runAs(uid, [process.execPath, publicVtr(), 'ls'], {
          HOME: '/',
          VTR_SOCKET: place.socket,
          XDG_CACHE_HOME: '/nowhere',
        });
      const member = run(victim);
      expect([member.status, member.stderr]).toEqual([0, '']);
      expect(run(attacker).status).toBe(3);
    },
  );
});

describe('programs that outlive a killed PTY host', () => {
  const withMarks = provided(
    process.platform === 'linux' && loadBinding().canMark,
    'only on Linux, with koffi',
  );

  withMarks('are named by doctor, and ended by the next daemon', async () => {
    const place = new Place();
    const left = 'sh -c "echo pid=\\$\\$; exec sleep 1000" &';
    const script = `trap '' HUP; (setsid ${left}); (setsid env -i ${left}); echo pid=$$; sleep 1000`;
    await place.ok('spawn', 'one', '--', 'sh', '-c', script);
    const shown = async () => [...(await place.ok('screen', 'one')).matchAll(/pid=(\d+)/g)];
    await expect.poll(async () => (await shown()).length).toBe(3);
    const pids = (await shown()).map(([, pid]) => pid);
    const finding = async () => {
      const { findings } = JSON.parse((await place.vtr(['doctor', '--json'])).stdout);
      return findings.find(({ subject }: { subject: string }) => subject === 'leftovers');
    };
    const named = ({ text }: { text: string }) => pids.filter((pid) => text.includes(`${pid} (`));
    expect(named(await finding())).toEqual([]);
    const { pid, host_pid } = await place.json('serve', '--status');
    for (const each of [pid, host_pid]) process.kill(each, 'SIGKILL');
    await expect.poll(async () => named(await finding())).toEqual(pids);
    expect((await finding()).fix).toMatch(/^end them with kill \d+/);
    await place.ok('ls');
    const alive = () => pids.filter((each) => isAlive(Number(each)));
    await expect.poll(alive).toEqual([]);
  });
});

describe('a daemon in the background', () => {
  /** Starts `vtr serve` as a starter does, and is killed before the daemon can answer. */
  const starter = `
    const { spawn } = require('node:child_process');
    const [log, vtr] = process.argv.slice(1);
    const env = { ...process.env, VTR_IN_BACKGROUND: '1' };
    const stdio = ['ignore', 'ignore', require('node:fs').openSync(log, 'a'), 'ipc'];
    const child = spawn(process.execPath, [vtr, 'serve'], { detached: true, env, stdio });
    require('node:fs').writeSync(1, String(child.pid));
    process.kill(process.pid, 'SIGKILL');`;

  it('does not mind that its starter was killed, nor does a second one', async () => {
    const place = new Place();
    const log = join(place.directory, 'starter.log');
    const start = () => {
      const { stdout } = spawnSync(process.execPath, ['-e', starter, log, vtrFile], {
        env: place.env,
        encoding: 'utf8',
      });
      return Number(stdout);
    };
    const first = start();
    await expect.poll(() => existsSync(place.socket)).toBe(true);
    const second = start();
    await expect.poll(() => isAlive(second)).toBe(false);
    expect(isAlive(first)).toBe(true);
    expect((await place.vtr(['ls'])).status).toBe(0);
    expect(readFileSync(log, 'utf8')).not.toMatch(/fault|Error|\bat .*:\d+/);
  });
});

describe('docs/service.md', () => {
  it('begins with a command that serves', async () => {
    const place = new Place();
    const text = readFileSync(join(root, 'docs/service.md'), 'utf8');
    const [, line = ''] = /^```sh\n(vtr serve .*)$/m.exec(text) ?? [];
    const vtr = `"${process.execPath}" "${vtrFile}"`;
    const run = await place.shellLine(line.replace(/^vtr/, vtr));
    expect([run.status, run.stdout]).toEqual([0, '']);
    expect(run.stderr).toContain('serving at');
    const socket = /serving at (\S+)/.exec(run.stderr)?.[1] ?? '';
    expect((await place.vtr(['serve', '--stop', '--socket', socket])).status).toBe(0);
  });
});
