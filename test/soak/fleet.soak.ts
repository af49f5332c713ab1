import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { mapAtMost } from '../../src/app/cli/coordinators/act-on-each.ts';
import { Following } from '../support/command/following.ts';
import { allowedMs, MeasuredDaemon, report } from '../support/command/measured-daemon.ts';
import { Place } from '../support/command/vtr-command.ts';
import { cpuMs, residentMb } from '../support/pty/process-facts.ts';
import { shortened } from '../support/run/durations.ts';

const count = shortened(50, 6);
const each = 20;
const third = Math.floor(count / 3);
const atATime = 8;

/** Daemons with the pseudo-terminals in their own process, as many small ones on a machine would have them. */
async function fleet(): Promise<{ daemons: MeasuredDaemon[]; emptyMb: number }> {
  const all = Array.from({ length: count }, (_, index) => index);
  const daemons = await mapAtMost(all, atATime, () =>
    MeasuredDaemon.start('pty_host = "in_process"\n'),
  );
  const emptyMb = sum(daemons.map(({ pid }) => residentMb(pid)));
  await mapAtMost(daemons, atATime, async ({ coordinator }) => {
    for (let index = 0; index < each; index++) {
      const args = ['-c', 'echo needle; exec cat'];
      await coordinator.spawn({ name: `s${index}`, program: 'sh', args });
    }
  });
  return { daemons, emptyMb };
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

/** A user with all of them in the configuration, as c0, c1 and so on. */
function userOf(daemons: readonly MeasuredDaemon[]): Place {
  const user = new Place();
  const file = join(user.directory, 'config/vtr/config.toml');
  mkdirSync(dirname(file), { recursive: true });
  const tables = daemons.map(({ place }, index) =>
    ['[[coordinators]]', `name = "c${index}"`, `path = "${place.socket}"`, ''].join('\n'),
  );
  writeFileSync(file, tables.join('\n'));
  return user;
}

/** Runs the command as a process of its own, which must succeed. */
async function timed(user: Place, ...words: readonly string[]) {
  const begin = performance.now();
  const { status, stdout, stderr } = await user.vtr(words);
  if (status !== 0) throw new Error(`vtr ${words.join(' ')}: status ${status}\n${stderr}`);
  return { ms: performance.now() - begin, stdout, stderr };
}

/** The median of the times of five runs. */
async function medianMs(user: Place, ...words: readonly string[]): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < 5; run++) times.push((await timed(user, ...words)).ms);
  return times.sort((a, b) => a - b)[2] ?? 0;
}

const linesIn = (text: string): number => text.split('\n').length - 1;

describe('fifty coordinators with twenty sessions each', () => {
  it('are listed, searched, followed and waited for by one client; those that hang are named, and hide no other', async () => {
    const { daemons, emptyMb } = await fleet();
    const user = userOf(daemons);
    const pids = daemons.map(({ pid }) => pid);
    const perCoordinatorMb = emptyMb / count;
    const residentNowMb = sum(pids.map(residentMb));
    const perSessionKb = ((residentNowMb - emptyMb) * 1024) / (count * each);

    const listed = await timed(user, 'ls', '--names');
    expect([linesIn(listed.stdout), listed.stderr]).toEqual([count * each, '']);
    const oneMs = await medianMs(user, 'ls', '--names', '--coordinator', 'c0');
    const listMs = await medianMs(user, 'ls', '--names');
    const perCoordinatorMs = (listMs - oneMs) / (count - 1);
    // The first search loads what searches in each of them.
    await timed(user, 'grep', '--all', '^needle');
    const run = await timed(user, 'grep', '--all', '^needle');
    expect(linesIn(run.stdout)).toBe(count * each);
    report({ perCoordinatorMb, perSessionKb, oneMs, listMs, perCoordinatorMs, grepMs: run.ms });

    const list = new Following(user, 'ls', '--watch', 's*');
    const appears = (text: string, times: number) =>
      expect
        .poll(() => list.stdout.split(text).length - 1, { timeout: 120_000, interval: 50 })
        .toBeGreaterThanOrEqual(times);
    await appears('"event":"session"', count * each);
    const labelled = async (of: readonly MeasuredDaemon[], round: string) => {
      const begin = performance.now();
      const labels = { round };
      await Promise.all(of.map(({ coordinator }) => coordinator.setLabels('s0', labels)));
      await appears(`"round":"${round}"`, of.length);
      return performance.now() - begin;
    };
    const eventsMs = await labelled(daemons, 'first');
    const ended = timed(user, 'wait', 's*', '^hit', '--any', '--since', 'start', '--timeout', '5m');
    const last = daemons.at(-1) as MeasuredDaemon;
    // Until it waits in all of them; if it does not yet, only the figure says more.
    await delay(shortened(10_000, 3_000));
    const sentMs = performance.now();
    await last.coordinator.sendText('s1', 'hit\r');
    expect((await ended).stdout).toBe(`c${count - 1}:s1\nhit\n`);
    const waitMs = performance.now() - sentMs;
    const [usedMs, beforeMs] = [sum(pids.map(cpuMs)), performance.now()];
    await delay(shortened(10_000, 1_000));
    const idlePercent =
      (100 * (sum(pids.map(cpuMs)) - usedMs)) / (performance.now() - beforeMs) / count;
    report({ eventsMs, waitMs, idlePercent });

    const [hung, living] = [daemons.slice(0, third), daemons.slice(third)];
    for (const { pid } of hung) process.kill(pid, 'SIGSTOP');
    const boundMs = allowedMs(20_000);
    const without = await timed(user, 'ls', '--names');
    expect(linesIn(without.stdout)).toBe(living.length * each);
    for (const { place } of hung) expect(without.stderr).toContain(place.socket);
    expect(without.stderr.match(/^vtr: skipped: /gm)).toHaveLength(third);
    const searched = await timed(user, 'grep', '--all', '^needle');
    expect(linesIn(searched.stdout)).toBe(living.length * each);
    const hungEventsMs = await labelled(living, 'second');
    const waited = await timed(user, 'wait', 's*', '^hit', '--any', '--since', 'start');
    expect(waited.stdout).toBe(`c${count - 1}:s1\nhit\n`);
    report({ hung: third, hungListMs: without.ms, hungGrepMs: searched.ms, hungEventsMs });
    expect(Math.max(without.ms, searched.ms, waited.ms)).toBeLessThan(boundMs);

    for (const { pid } of hung) process.kill(pid, 'SIGCONT');
    const againMs = await labelled(hung, 'third');
    expect(linesIn((await timed(user, 'ls', '--names')).stdout)).toBe(count * each);
    report({ againMs });
    await list.stop();
  });
});
