import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect } from 'vitest';
import { seal, unseal } from '../../src/store/sealed-file.ts';
import { exitOf, served, servedBy } from '../support/command/running-daemon.ts';
import { Place, vtrFile } from '../support/command/vtr-command.ts';
import { canMount, withMounts } from '../support/pty/mount-namespace.ts';
import { hasProc, isAlive, marked } from '../support/pty/process-facts.ts';
import { needs, provided } from '../support/run/needs.ts';

const withProc = provided(hasProc, 'only on Linux: kills a process by its id');

const stateHome = (place: Place): string => place.env['XDG_STATE_HOME'] ?? '';

/** The directories of saved sessions; the audit trail is beside them. */
function savedIn(place: Place): string[] {
  const directories = (path: string) =>
    readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== 'audit')
      .map(({ name }) => join(path, name));
  try {
    return directories(join(stateHome(place), 'vtr')).flatMap(directories);
  } catch {
    return [];
  }
}

/** Kills the PTY host and the daemon. */
async function killBoth(place: Place): Promise<void> {
  const { pid, host_pid: host } = await place.json('serve', '--status');
  const both = [host, pid];
  for (const each of both) process.kill(each, 'SIGKILL');
  await expect.poll(() => both.some(isAlive)).toBe(false);
}

const program = ['sh', '-c', 'seq 1 60; echo "$GREETING ready"; exec cat'];

/** Spawns a session with scrollback, and waits until all of it is saved. */
async function saved(place: Place): Promise<void> {
  const flags = ['--env', 'GREETING=hello', '--label', 'team=x', '--size', '70x12'];
  await place.ok('spawn', 'work', ...flags, '--', ...program);
  await place.sees('work', 'hello ready');
  const isSaved = () => savedIn(place).some((path) => hasRow(join(path, 'state'), 'hello ready'));
  await expect.poll(isSaved).toBe(true);
  const hasLines = () =>
    savedIn(place).some((path) => readdirSync(path).some((name) => name.startsWith('segments')));
  await expect.poll(hasLines).toBe(true);
}

function hasRow(file: string, text: string): boolean {
  try {
    return readFileSync(file, 'latin1').includes(text);
  } catch {
    return false;
  }
}

/** The lines of a session, without the note on stderr that there is no more output. */
const linesOf = async (place: Place): Promise<string[]> =>
  (await place.result(['read', 'work'])).stdout.trimEnd().split('\n');

const numbers = Array.from({ length: 60 }, (_, at) => String(at + 1));

describe('a session whose host is lost', () => {
  withProc('is listed with its screen and scrollback, and revived', async () => {
    const place = new Place();
    await saved(place);
    const before = await place.json('info', 'work');
    await killBoth(place);
    const after = await place.json('info', 'work');
    expect(after).toMatchObject({
      status: 'exited',
      signal: 'SIGHUP',
      ended_by: { reason: 'host_lost' },
      id: before.id,
      labels: { team: 'x' },
      cols: 70,
      rows: 12,
      args: before.args,
    });
    expect(await linesOf(place)).toEqual([...numbers, 'hello ready']);
    expect((await place.result(['send', 'work', 'x'])).status).toBe(6);
    expect((await place.result(['grep', 'work', '^59$'])).status).toBe(0);

    const { status, stdout, stderr } = await place.result(['revive', 'work']);
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'work\n' });
    expect(stderr).toContain('without GREETING');
    await place.sees('work', ' ready');
    const revived = await place.json('info', 'work');
    expect(revived).toMatchObject({ status: 'running', cols: 70, rows: 12, labels: { team: 'x' } });
    expect(revived.id).not.toBe(before.id);
    const note = expect.stringMatching(/^\[revived .*; ended: host lost\]$/);
    expect(await linesOf(place)).toEqual([...numbers, 'hello ready', note, ...numbers, ' ready']);
    const own = await place.result(['read', 'work', '--since', 'start']);
    expect(own.stdout).toBe([...numbers, ' ready', ''].join('\n'));
    expect((await place.result(['revive', 'work'])).status).toBe(5);

    await place.ok('rm', 'work', '--force');
    await expect.poll(() => savedIn(place)).toEqual([]);
    expect((await place.vtr(['serve', '--stop'])).status).toBe(0);
    expect(readdirSync(join(stateHome(place), 'vtr'))).toEqual(['audit']);
  });

  withProc('is ended with the programs that outlive the host', async () => {
    const place = new Place();
    const script = "trap '' HUP TERM; echo ready; while :; do sleep 0.1; done";
    const spawnStubborn = async (name: string) => {
      await place.ok('spawn', name, '--', 'sh', '-c', script);
      await place.sees(name, 'ready');
      return (await place.json('info', name)).id;
    };
    const first = await spawnStubborn('first');
    const isSaved = () => savedIn(place).some((path) => hasRow(join(path, 'state'), 'ready'));
    await expect.poll(isSaved).toBe(true);
    await killBoth(place);
    expect(marked(first)).not.toEqual([]);
    expect((await place.vtr(['serve', '--stop'])).status).toBe(0);
    expect(marked(first)).toEqual([]);
    const second = await spawnStubborn('second');
    process.kill((await place.json('serve', '--status')).host_pid, 'SIGKILL');
    await place.result(['wait', 'second', '--exit']);
    expect((await place.vtr(['serve', '--stop'])).status).toBe(0);
    expect(marked(second)).toEqual([]);
  });

  withProc('ended by a restart of the machine if that was in between', async () => {
    const place = new Place();
    await saved(place);
    await killBoth(place);
    for (const path of savedIn(place)) otherBoot(path);
    const { ended_by: endedBy } = await place.json('info', 'work');
    expect(endedBy).toMatchObject({ reason: 'reboot' });
    const args = ['--env', 'GREETING=again', '--json', '--', ...program];
    const { stdout, stderr } = await place.result(['revive', 'work', ...args]);
    expect(JSON.parse(stdout)).toMatchObject({ name: 'work', missing_env: [] });
    expect(stderr).toBe('');
    await place.sees('work', 'again ready');
  });

  needs('bash')('was stopped if the daemon was told to stop; its commands are kept', async () => {
    const place = new Place();
    const daemon = await served(place);
    await saved(place);
    await place.ok('spawn', 'shell', '--', 'bash', '--norc');
    await place.ok('run', 'shell', '--', 'echo one; echo two');
    daemon.kill('SIGTERM');
    await exitOf(daemon);
    expect((await place.result(['output', 'shell', '--command', '1'])).stdout).toBe('one\ntwo\n');
    const after = await place.json('info', 'work');
    expect(after).toMatchObject({ status: 'exited', ended_by: { reason: 'stopped' } });
    expect((await linesOf(place)).slice(0, 61)).toEqual([...numbers, 'hello ready']);
  });
});

/** Changes the files of a session to those of another start of the machine. */
function otherBoot(directory: string): void {
  for (const kind of ['facts', 'state'] as const) {
    const path = join(directory, kind);
    const { head, body } = unseal<object>(kind, readFileSync(path));
    writeFileSync(path, seal(kind, { ...head, bootId: 'another' }, body));
  }
}

describe('the state directory', () => {
  const persistOf = async (place: Place) => (await place.json('serve', '--status')).persist;

  withProc('is readable by the user alone, and has no values of the environment', async () => {
    const place = new Place();
    await place.ok('spawn', 'work', '--env', 'TOKEN=geheim', '--', 'sh', '-c', 'echo on; exec cat');
    await place.sees('work', 'on');
    await expect.poll(() => savedIn(place).length).toBe(1);
    const [directory = ''] = savedIn(place);
    await expect.poll(() => readdirSync(directory)).toContain('state');
    const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
    expect([dirname(directory), directory].map(mode)).toEqual(['700', '700']);
    for (const name of readdirSync(directory)) {
      const path = join(directory, name);
      expect([name, mode(path)]).toEqual([name, '600']);
      expect(readFileSync(path, 'latin1')).not.toContain('geheim');
    }
    await place.ok('spawn', 'secret', '--no-persist', '--', 'cat');
    await place.ok('spawn', 'third', '--', 'cat');
    await expect.poll(() => savedIn(place).length).toBe(2);
  });

  withProc('is checked by doctor, which names damaged files', async () => {
    const place = new Place();
    await saved(place);
    await killBoth(place);
    const [directory = ''] = savedIn(place);
    const path = join(directory, 'state');
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.with(-1, (bytes.at(-1) ?? 0) ^ 1));
    const { stdout } = await place.vtr(['doctor']);
    expect(stdout).toContain(`cannot be read: ${path}: it is damaged`);
    expect((await linesOf(place)).slice(0, 40)).toEqual(numbers.slice(0, 40));
    expect(await place.json('info', 'work')).toMatchObject({ restored: 'partly' });
  });

  withProc(
    'tells of a damaged session once, and rm --damaged removes it and nothing else',
    async () => {
      const place = new Place();
      for (const name of ['whole', 'partly', 'lost', 'newer', 'bare']) {
        await place.ok('spawn', name, '--', 'cat');
      }
      const ids = await place.json('ls');
      const directoryOf = (name: string) => {
        const { id } = ids.sessions.find((each: { name: string }) => each.name === name);
        return savedIn(place).find((path) => path.endsWith(id)) ?? '';
      };
      await expect
        .poll(() => savedIn(place).map((path) => readdirSync(path).includes('state')))
        .toEqual([true, true, true, true, true]);
      const [lost, newer, bare] = ['lost', 'newer', 'bare'].map(directoryOf) as [
        string,
        string,
        string,
      ];
      const partly = directoryOf('partly');
      await killBoth(place);
      const flip = (path: string, at: number) => {
        const bytes = readFileSync(path);
        writeFileSync(path, bytes.with(at, (bytes.at(at) ?? 0) ^ 2));
      };
      flip(join(lost, 'facts'), -1);
      flip(join(partly, 'state'), -1);
      flip(join(newer, 'facts'), 4);
      rmSync(join(bare, 'facts'));

      const listed = async () => {
        const { status, stdout, stderr } = await place.result(['ls', '--names']);
        return { status, names: stdout.trim().split('\n').sort(), stderr };
      };
      const left = { status: 0, names: ['partly', 'whole'] };
      const warning = [
        'vtr: 2 saved sessions are damaged and not listed; see vtr doctor\n',
        'vtr: a saved session cannot be read and is not listed (it has version 3 of the format, not 1); see vtr doctor\n',
      ].join('');
      expect(await listed()).toEqual({ ...left, stderr: warning });
      expect(await listed()).toEqual({ ...left, stderr: '' });
      // Also not by another daemon.
      await place.ok('spawn', 'running', '--', 'cat');
      expect((await place.result(['serve', '--restart'])).status).toBe(0);
      expect(await listed()).toMatchObject({ names: ['partly', 'running', 'whole'], stderr: '' });
      const damaged = async () => (await place.json('serve', '--status')).damaged;
      const both = [lost, bare].sort();
      const paths = (await damaged()).map(({ path }: { path: string }) => path);
      expect(paths.sort()).toEqual([...both, newer].sort());
      expect((await place.result(['serve', '--status'])).stdout).toContain(
        'damaged   3 saved sessions cannot be read and are not listed; see vtr doctor',
      );
      const doctor = (await place.vtr(['doctor'])).stdout;
      expect(doctor).toContain(`${lost}: it is damaged`);
      expect(doctor).toContain('vtr rm --damaged');

      const { status, stdout } = await place.vtr(['rm', '--damaged']);
      expect({ status, paths: stdout.trim().split('\n').sort() }).toEqual({
        status: 0,
        paths: both,
      });
      expect([lost, bare, newer, partly].map((path) => existsSync(path))).toEqual([
        ...[false, false, true, true],
      ]);
      const reason = 'it has version 3 of the format, not 1';
      expect(await damaged()).toEqual([{ path: newer, reason }]);
      const after = (await place.vtr(['doctor'])).stdout;
      expect(after).toContain(`${newer}: it has version 3 of the format, not 1`);
      // Neither vtr rm nor vtr rm --damaged removes it.
      expect(after).toMatch(/or remove .*cannot read with rm -r, if no other version does/);
      expect(await listed()).toMatchObject({ names: ['partly', 'running', 'whole'], stderr: '' });
      const again = await place.vtr(['rm', '--damaged', '--json']);
      expect(again).toMatchObject({
        status: 0,
        stderr: '{"note":"no saved session is damaged"}\n',
      });
      expect(JSON.parse(again.stdout)).toEqual({ removed: [] });
      expect(await place.vtr(['rm', '--damaged', '--all'])).toMatchObject({ status: 2 });
    },
  );

  withProc('rm --damaged works where killed processes have left their sockets', async () => {
    const place = new Place();
    await place.ok('spawn', 'work', '--', 'cat');
    await place.ok('rm', 'work');
    await killBoth(place);
    expect(await place.vtr(['rm', '--damaged'])).toMatchObject({
      status: 0,
      stdout: '',
      stderr: 'vtr: no saved session is damaged\n',
    });
  });

  withProc('keeps the damaged files of a session that runs', async () => {
    const place = new Place();
    await saved(place);
    const [directory = ''] = savedIn(place);
    writeFileSync(join(directory, 'facts'), 'damaged');
    const { status, stdout } = await place.vtr(['rm', '--damaged']);
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
    expect(existsSync(directory)).toBe(true);
    expect(await place.json('info', 'work')).toMatchObject({ status: 'running' });
  });

  withProc('cannot be written: sessions run on, and the status says why', async () => {
    const place = new Place();
    mkdirSync(stateHome(place), { recursive: true });
    writeFileSync(join(stateHome(place), 'vtr'), 'a file');
    await place.ok('spawn', 'work', '--', 'sh', '-c', 'echo on; exec cat');
    await place.sees('work', 'on');
    await expect
      .poll(() => persistOf(place))
      .toEqual({ state: 'stopped', reason: expect.stringContaining('is not a directory') });
    const { persist } = await place.json('info', 'work');
    expect(persist.state).toBe('stopped');
  });

  const fullDisk = (path: string) => `mount -t tmpfs -o size=32k tmpfs ${path}`;

  provided(hasProc && canMount(fullDisk('/mnt')), 'only where tmpfs can be mounted')(
    'is on a full disk: sessions run on, and the status says why',
    async () => {
      const place = new Place();
      const words = [process.execPath, vtrFile, 'serve'];
      const daemon = await servedBy(place, withMounts(fullDisk(stateHome(place)), ...words));
      await place.ok('spawn', 'work', '--', 'sh', '-c', 'seq 1 20000; echo on; exec cat');
      await place.sees('work', 'on');
      await expect
        .poll(() => persistOf(place))
        .toEqual({ state: 'stopped', reason: expect.stringContaining('ENOSPC') });
      await place.ok('send', 'work', 'still\n');
      await place.sees('work', 'still');
      daemon.kill('SIGTERM');
      await exitOf(daemon);
    },
  );
});
