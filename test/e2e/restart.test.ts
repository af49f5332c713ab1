import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exitOf, served } from '../support/command/running-daemon.ts';
import { Place } from '../support/command/vtr-command.ts';
import { hasProc, isAlive, processesWith } from '../support/pty/process-facts.ts';
import { needs, provided } from '../support/run/needs.ts';

const withProc = provided(hasProc, 'only on Linux: reads /proc');

const statusOf = (place: Place) => place.json('serve', '--status');

interface Match {
  readonly line: string;
  readonly line_id: number;
}

/** Kills the daemon with SIGKILL; its status before. */
async function killDaemon(place: Place) {
  const status = await statusOf(place);
  process.kill(status.pid, 'SIGKILL');
  await expect.poll(() => isAlive(status.pid)).toBe(false);
  return status;
}

/** A shell that marks its commands. */
async function markedShell(place: Place, name: string): Promise<void> {
  await place.ok('spawn', name, '--label', 'team=web', '--', 'bash', '--norc');
  await place.ok('wait', name, '--prompt');
  await place.ok('run', name, '--', 'seq 30');
  await place.result(['run', name, '--', 'echo failing; false']);
}

const linesOf = async (place: Place, name: string, since = 'start') =>
  (await place.result(['read', name, '--since', since])).stdout;

/** What must be the same after a restart. */
async function factsOf(place: Place, name: string) {
  const { restored: _restored, persist: _persist, ...info } = await place.json('info', name);
  const { activity: _activity, revision: _revision, ...facts } = info;
  const { commands } = await place.json('commands', name);
  return { facts, commands, lines: await linesOf(place, name) };
}

describe('sessions of a daemon that is killed', () => {
  const place = Place.forAll();

  it('continue: screens, scrollback, marks, commands, names, labels and the driver', async () => {
    await markedShell(place, 'shell');
    await place.ok('rename', 'shell', 'work');
    await place.ok('spawn', 'gone', '--', 'sh', '-c', 'echo bye; exit 3');
    await place.result(['wait', 'gone', '--exit']);
    await place.ok('take', 'work');
    const { mark } = await place.json('read', 'work');
    const names = ['work', 'gone'];
    const before = await Promise.all(names.map((name) => factsOf(place, name)));
    const { pid } = await killDaemon(place);
    expect(await Promise.all(names.map((name) => factsOf(place, name)))).toEqual(before);
    expect((await statusOf(place)).pid).not.toBe(pid);
    expect((await place.json('info', 'work')).restored).toBe('exactly');
    expect(await linesOf(place, 'work', mark)).toBe('');
    expect((await place.vtr(['run', 'work', '--', 'echo again'])).status).toBe(14);
    expect(await place.ok('run', 'work', '--epoch', '2', '--', 'echo again')).toBe('again\n');
    expect(await linesOf(place, 'work', mark)).toContain('again');
  });

  it('continue: a prompt that a resize erased and the shell drew again', async () => {
    const prompt = 'a-prompt-that-does-not-fit-into-the-columns-of-a-narrow-screen';
    await place.ok('spawn', 'resized', '--', 'bash', '--norc');
    await place.ok('wait', 'resized', '--prompt');
    await place.ok('run', 'resized', '--', `PS1='${prompt}> '; clear; seq 3`);
    await place.ok('send', 'resized', 'typed and not entered');
    const screen = () => place.ok('screen', 'resized');
    const drawn = (cols: number) => {
      const line = `${prompt}> typed and not entered`;
      const rows = line.match(new RegExp(`.{1,${cols}}`, 'g')) ?? [];
      return ['1', '2', '3', ...rows].map((row) => `${row.trimEnd()}\n`).join('');
    };
    for (const cols of [20, 60, 30, 80]) {
      await place.result(['resize', 'resized', `${cols}x24`]);
      await expect.poll(screen).toBe(drawn(cols));
    }
    const cast = join(place.directory, 'resized.cast');
    await place.result(['record', 'save', 'resized', '-o', cast]);
    expect(await place.ok('export', cast, '--format', 'txt', '-o', '-')).toContain(drawn(80));
    const { pid } = await statusOf(place);
    await place.ok('resize', 'resized', '30x24');
    // At once, so that the next daemon applies the resize to a state that was saved before.
    process.kill(pid, 'SIGKILL');
    await expect.poll(screen).toBe(drawn(30));
    expect((await place.json('info', 'resized')).restored).toBe('exactly');
    await place.ok('resize', 'resized', '70x24');
    await expect.poll(screen).toBe(drawn(70));
  });

  needs('less')('continue: a program on the alternate screen', async () => {
    const file = join(place.directory, 'numbers');
    writeFileSync(file, Array.from({ length: 500 }, (_, index) => `line ${index + 1}\n`).join(''));
    await place.ok('spawn', 'pager', '--env', 'LESS=', '--', 'less', file);
    await place.ok('send', 'pager', '100g', '--wait', '--screen', '^line 100');
    const before = await place.ok('screen', 'pager');
    await killDaemon(place);
    expect(await place.ok('screen', 'pager')).toBe(before);
    await place.ok('send', 'pager', '200g', '--wait', '--screen', '^line 200');
  });

  it('have each line that the scrollback dropped once, also those of the last moment', async () => {
    const program = 'seq 60000; read -r line; seq 60001 100000; sleep 600';
    await place.ok('spawn', 'many', '--', 'sh', '-c', program);
    await place.ok('wait', 'many', '--screen', '^60000$');
    await killDaemon(place);
    await place.ok('send', 'many', '', '--enter', '--wait', '--screen', '^100000$');
    const grep = await place.json('grep', 'many', '0$', '--max', '10000');
    expect(grep).toMatchObject({ lost_lines: 0, truncated: false });
    // The Enter is a line, too.
    const idOf = (number: number) => (number > 60_000 ? number : number - 1);
    const tens = Array.from({ length: 10_000 }, (_, index) => 10 * (index + 1));
    expect(grep.matches.map(({ line, line_id }: Match) => [line, line_id])).toEqual(
      tens.map((number) => [`${number}`, idOf(number)]),
    );
  });

  withProc('have the end of a program that exits while no daemon runs', async () => {
    const own = new Place();
    // A child of this process: nobody else reaps it.
    const daemon = await served(own);
    const { pid } = daemon;
    const program = `while kill -0 ${pid} 2>&-; do :; done; echo last words; exit 7`;
    await own.ok('spawn', 'brief', '--', 'sh', '-c', program);
    const session = (await own.json('info', 'brief')).pid;
    daemon.kill('SIGKILL');
    await expect.poll(() => isAlive(session)).toBe(false);
    expect(await own.json('info', 'brief')).toMatchObject({ status: 'exited', exit_code: 7 });
    expect(await linesOf(own, 'brief')).toContain('last words');
  });

  it('get a daemon from their host after a second', async () => {
    await place.shell('one');
    const { pid } = await killDaemon(place);
    const next = () => place.vtr(['serve', '--status', '--json']);
    await expect.poll(async () => (await next()).status, { interval: 100 }).toBe(0);
    expect(JSON.parse((await next()).stdout).pid).not.toBe(pid);
    expect((await place.json('ls')).sessions).toMatchObject([{ name: 'one', status: 'running' }]);
  });

  it('get one daemon from calls at the same time', async () => {
    await place.shell('one');
    await killDaemon(place);
    const calls = Array.from({ length: 4 }, () => place.ok('ls', '--names'));
    expect(await Promise.all(calls)).toEqual(calls.map(() => 'one\n'));
    const daemons = await Promise.all(calls.map(() => statusOf(place)));
    expect(new Set(daemons.map(({ pid }) => pid)).size).toBe(1);
  });
});

describe('a PTY host that does not respond', () => {
  it('keeps its sessions until it responds; doctor names it', async () => {
    const place = new Place();
    await place.shell('one');
    const { pid, host_pid: host } = await statusOf(place);
    process.kill(host, 'SIGSTOP');
    process.kill(pid, 'SIGKILL');
    try {
      await expect.poll(() => isAlive(pid)).toBe(false);
      for (const words of [['ls'], ['info', 'one'], ['screen', 'one']]) {
        const { status, stdout, stderr } = await place.vtr(words);
        expect([words, status, stdout]).toEqual([words, 3, '']);
        expect(stderr).toMatch(/PTY host (that )?cannot be used/);
      }
      // New sessions have another host.
      await place.shell('two');
      const listed = await place.vtr(['ls', '--names']);
      expect(listed).toMatchObject({ status: 0, stdout: 'two\n' });
      expect(listed.stderr).toContain('PTY host cannot be used');
      const { findings } = JSON.parse((await place.vtr(['doctor', '--json'])).stdout);
      expect(findings).toContainEqual(
        expect.objectContaining({
          state: 'bad',
          subject: 'PTY host',
          text: expect.stringContaining('does not respond'),
        }),
      );
    } finally {
      process.kill(host, 'SIGCONT');
    }
    const names = async () => (await place.ok('ls', '--names')).trim().split('\n').sort();
    await expect.poll(names, { interval: 200 }).toEqual(['one', 'two']);
  });

  it('keeps the saved sessions if a daemon cannot start', async () => {
    const place = new Place();
    await place.shell('one');
    const { id } = await place.json('info', 'one');
    const { host_pid: host } = await statusOf(place);
    const saved = () =>
      readdirSync(place.state, { recursive: true }).filter((name) => String(name).includes(id));
    await expect.poll(() => saved().length).toBeGreaterThan(1);
    process.kill(host, 'SIGSTOP');
    try {
      await killDaemon(place);
      const pidFile = join(place.directory, 'missing', 'vtr.pid');
      const { status, stderr } = await place.vtr(['serve', '--pid-file', pidFile]);
      expect(status).not.toBe(0);
      expect(stderr).toContain(`${pidFile} cannot be written`);
      expect(saved().length).toBeGreaterThan(1);
    } finally {
      process.kill(host, 'SIGCONT');
    }
  });
});

describe('vtr serve --restart', () => {
  it('replaces a daemon in the background; a wait goes on', async () => {
    const place = new Place();
    await markedShell(place, 'shell');
    // `run` drives the shell for some seconds, which may end before or after the restart.
    const lasting = async () => {
      const { facts, ...others } = await factsOf(place, 'shell');
      return { ...others, facts: { ...facts, driver: null } };
    };
    const before = [await lasting(), await statusOf(place)] as const;
    const words = ['wait', 'shell', '^after \\d', '--timeout', '1h'];
    const { ended } = await place.calling('Wait', words);
    expect((await place.vtr(['serve', '--restart'])).stderr).toContain('serving at');
    expect(await lasting()).toEqual(before[0]);
    const status = await statusOf(place);
    expect(status.pid).not.toBe(before[1].pid);
    expect(status.host_pid).toBe(before[1].host_pid);
    await place.ok('send', 'shell', 'echo after $((6 * 7))', '--enter');
    await expect.poll(() => isAlive(before[1].pid)).toBe(false);
    expect(await ended).toMatchObject({ status: 0, stdout: 'after 42\n' });
  });

  it('starts a daemon where none runs', async () => {
    const place = new Place();
    expect((await place.vtr(['serve', '--restart'])).stderr).toContain('serving at');
    expect((await statusOf(place)).pid).toBeGreaterThan(0);
  });

  it('ends a daemon in the foreground with status 75; the next one has its sessions', async () => {
    const place = new Place();
    const daemon = await served(place);
    await place.shell('one');
    const { pid } = await place.json('info', 'one');
    expect((await place.vtr(['serve', '--restart'])).status).toBe(0);
    expect(await exitOf(daemon)).toBe(75);
    expect(isAlive(pid)).toBe(true);
    await served(place);
    expect((await place.json('ls')).sessions).toMatchObject([{ name: 'one', pid }]);
  });

  it('is refused if the next daemon could not start', async () => {
    const place = new Place();
    const config = join(place.directory, 'server.toml');
    writeFileSync(config, 'max_sessions = 1\n');
    await place.vtr(['serve', '--daemon', '--config', config]);
    await place.shell('one');
    writeFileSync(config, 'max_sessions = \n');
    const { status, stderr } = await place.vtr(['serve', '--restart']);
    expect({ status, stderr }).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(config),
    });
    expect((await place.json('ls')).sessions).toHaveLength(1);
    // A daemon that a call starts has the flags of the one that was killed.
    writeFileSync(config, 'max_sessions = 1\n');
    await killDaemon(place);
    expect((await place.result(['spawn', 'two', '--', 'cat'])).stderr).toContain('limit');
  });

  it('is refused if sessions would end with the daemon', async () => {
    const place = new Place();
    const config = join(place.directory, 'server.toml');
    writeFileSync(config, 'pty_host = "in_process"\n');
    await place.vtr(['serve', '--daemon', '--config', config]);
    await place.shell('one');
    const { status, stderr } = await place.vtr(['serve', '--restart']);
    expect({ status, stderr }).toMatchObject({ status: 3, stderr: expect.stringContaining('end') });
    expect((await place.json('ls')).sessions).toHaveLength(1);
  });
});

describe('the end of a daemon', () => {
  const left = (place: Place, id: string) => [
    ...processesWith(`VTR_SESSION_ID=${id}`),
    ...processesWith(`VTR_SOCKET=${place.socket}`),
  ];

  withProc('by --stop leaves nothing, also if the daemon was killed', async () => {
    for (const isKilled of [false, true]) {
      const place = new Place();
      await place.shell('one');
      const { id } = await place.json('info', 'one');
      if (isKilled) await killDaemon(place);
      expect((await place.vtr(['serve', '--stop'])).status).toBe(0);
      await expect.poll(() => left(place, id)).toEqual([]);
      expect(place.files()).toEqual([]);
      expect((await place.vtr(['ls', '--names'])).stdout).toBe('');
      expect((await place.vtr(['serve', '--status'])).status).toBe(3);
    }
  });

  withProc('is reported until it is complete', async () => {
    const place = new Place();
    const daemon = await served(place);
    const deaf = 'trap "" HUP TERM; echo deaf; while :; do sleep 0.1; done';
    await place.ok('spawn', 'deaf', '--', 'sh', '-c', deaf);
    await place.sees('deaf', 'deaf');
    daemon.kill('SIGTERM');
    await expect.poll(async () => (await place.vtr(['serve', '--status'])).status).toBe(3);
    const listed = await place.vtr(['ls']);
    expect(listed).toMatchObject({ status: 3, stdout: '' });
    expect(listed.stderr).toContain('shutting down');
    expect(await exitOf(daemon)).toBe(0);
  });

  it('by --stop is of what another environment saved, too', async () => {
    const place = new Place();
    const other = { env: { XDG_STATE_HOME: join(place.directory, 'other') } };
    await place.shell('one');
    await expect.poll(() => place.files().some((path) => path.endsWith('/facts'))).toBe(true);
    await killDaemon(place);
    expect((await place.vtr(['ls', '--names'], other)).stdout).toBe('one\n');
    await place.vtr(['serve', '--stop'], other);
    expect(place.files()).toEqual([]);
  });

  it('by --stop is final: a daemon that its host was just starting ends', async () => {
    const place = new Place();
    await place.shell('one');
    await place.vtr(['serve', '--stop']);
    const env = { VTR_IN_BACKGROUND: 'if-left' };
    expect((await place.vtr(['serve'], { env })).status).toBe(0);
    expect(place.files()).toEqual([]);
  });

  withProc('by SIGTERM ends its sessions, which the next one lists', async () => {
    const place = new Place();
    const daemon = await served(place);
    await place.shell('one');
    const { id } = await place.json('info', 'one');
    daemon.kill('SIGTERM');
    expect(await exitOf(daemon)).toBe(0);
    await expect.poll(() => left(place, id)).toEqual([]);
    expect(await place.json('info', 'one')).toMatchObject({
      id,
      status: 'exited',
      ended_by: { reason: 'stopped' },
    });
    expect(await place.ok('screen', 'one')).toContain('$');
  });

  it('by SIGTERM leaves its sessions with on_sigterm = "keep"', async () => {
    const place = new Place();
    const config = join(place.directory, 'server.toml');
    writeFileSync(config, 'on_sigterm = "keep"\n');
    const daemon = await served(place, '--config', config);
    await place.shell('one');
    const { pid } = await place.json('info', 'one');
    daemon.kill('SIGTERM');
    expect(await exitOf(daemon)).toBe(0);
    expect(await place.json('info', 'one')).toMatchObject({ pid, status: 'running' });
  });
});
