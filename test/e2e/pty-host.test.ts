import type { ChildProcess } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { exitOf, served } from '../support/command/running-daemon.ts';
import { Place } from '../support/command/vtr-command.ts';
import { hasProc, isAlive, ptyHostOf } from '../support/pty/process-facts.ts';
import { provided } from '../support/run/needs.ts';

/** A user whose daemon has its terminals in a process of their own. */
function placeWithPtyHost(): Place {
  const place = new Place();
  mkdirSync(join(place.directory, 'config/vtr'), { recursive: true });
  writeFileSync(join(place.directory, 'config/vtr/server.toml'), 'pty_host = "process"\n');
  return place;
}

const socketsOf = ({ directory }: Place) =>
  readdirSync(directory).filter((name) => name.endsWith('.ptyd'));

const hostOf = (daemon: ChildProcess) => ptyHostOf(daemon.pid ?? 0) ?? 0;

const info = async (place: Place, name: string) =>
  JSON.parse((await place.result(['info', name, '--json'])).stdout);

describe('a daemon with a PTY host', () => {
  const withProc = provided(hasProc, 'only on Linux: reads /proc');

  withProc('has its programs there, and leaves nothing behind', async () => {
    const place = placeWithPtyHost();
    const daemon = await served(place);
    await place.result(['spawn', 'work', '--', 'sh', '-c', 'echo ready; exec cat']);
    await place.result(['wait', 'work', 'ready', '--since', 'start']);
    const { pid } = await info(place, 'work');
    const host = hostOf(daemon);
    expect(isAlive(host)).toBe(true);
    await place.result(['send', 'work', 'hello\n']);
    expect((await place.result(['wait', 'work', 'hello', '--since', 'start'])).status).toBe(0);
    expect(socketsOf(place)).toHaveLength(1);
    expect((await place.vtr(['serve', '--stop'])).status).toBe(0);
    await exitOf(daemon);
    expect([isAlive(pid), isAlive(host), ...socketsOf(place)]).toEqual([false, false]);
  });

  withProc('survives its host: sessions have ended, and a spawn starts another one', async () => {
    const place = placeWithPtyHost();
    const daemon = await served(place);
    await place.result(['spawn', 'work', '--', 'sh', '-c', 'echo ready; exec sleep 1000']);
    await place.result(['wait', 'work', 'ready', '--since', 'start']);
    const { pid } = await info(place, 'work');
    process.kill(hostOf(daemon), 'SIGKILL');
    await expect.poll(async () => (await info(place, 'work')).status).toBe('exited');
    expect((await place.result(['screen', 'work'])).stdout).toContain('ready');
    await expect.poll(() => isAlive(pid)).toBe(false);
    const killed = await place.result(['kill', 'work']);
    expect(killed.stderr).toContain(
      'session work: the program has ended with its PTY host; revive the session',
    );
    await place.result(['spawn', 'next', '--', 'sh', '-c', 'echo again; exec cat']);
    expect((await place.result(['wait', 'next', 'again', '--since', 'start'])).status).toBe(0);
    expect((await place.result(['rm', 'work'])).status).toBe(0);
  });

  withProc(
    'answers while its host is suspended, and carries out nothing later that failed',
    async () => {
      const place = placeWithPtyHost();
      const daemon = await served(place);
      await place.result(['spawn', 'work', '--', 'sh', '-c', 'echo ready; exec cat']);
      await place.result(['wait', 'work', 'ready', '--since', 'start']);
      const host = hostOf(daemon);
      process.kill(host, 'SIGSTOP');
      try {
        const calls = [
          ...[['ls'], ['info', 'work'], ['send', 'work', 'late\n', '--timeout', '3s']],
          ...[
            ['key', 'work', 'x'],
            ['run', 'work', '--', 'late'],
            ['kill', 'work'],
            ['resize', 'work', '100', '30'],
            ['rm', 'work', '--force'],
          ],
          ['spawn', 'late', '--', 'cat'],
        ];
        const [ls, about, result, ...others] = await Promise.all(
          calls.map((call) => place.vtr(call)),
        );
        for (const { status } of others) expect([0, 2]).not.toContain(status);
        expect([ls?.status, ls?.stdout]).toEqual([0, expect.stringContaining('work')]);
        expect([about?.status, about?.stdout]).toEqual([0, expect.stringContaining('work')]);
        expect(result?.status).not.toBe(0);
        expect(result?.stderr).toContain(`the PTY host (process ${host}) does not respond; `);
      } finally {
        process.kill(host, 'SIGCONT');
      }
      await expect
        .poll(async () => (await place.result(['send', 'work', 'again\n'])).status)
        .toBe(0);
      expect((await place.result(['wait', 'work', 'again', '--since', 'start'])).status).toBe(0);
      // The wait also ends at what the terminal echoes, before `cat` has printed it.
      const screen = async () => (await place.result(['screen', 'work'])).stdout.trimEnd();
      await expect.poll(screen).toBe('ready\nagain\nagain');
      expect((await place.vtr(['ls', '--names'])).stdout).toBe('work\n');
      expect(await place.json('info', 'work')).toMatchObject({ cols: 80, rows: 24 });
      await place.result(['spawn', 'next', '--', 'sh', '-c', 'echo next; exec cat']);
      expect((await place.result(['wait', 'next', 'next', '--since', 'start'])).status).toBe(0);
    },
  );
});
