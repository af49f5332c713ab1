import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { allowedMs, MeasuredDaemon, report } from '../support/command/measured-daemon.ts';
import {
  openFiles,
  ptyHostOf,
  residentMb,
  threads,
  zombies,
} from '../support/pty/process-facts.ts';
import { isShortened, shortened } from '../support/run/durations.ts';

const held = shortened(1_000, 50);
const durationMs = shortened(600_000, 10_000);
/** Memory still grows to its usual size in this share of the time: 3 of 10 minutes. */
const warmUp = 0.3;
const perSecond = 50;
const atATime = 16;
const minuteMs = 60_000;

interface Sample {
  readonly atMs: number;
  readonly mb: number;
}

/**
 * The least of each minute. V8 collects what lives long each 10 to 40 s, 30 MB at a time; what is left after that is
 * what a process keeps.
 */
function leastOfMinutes(samples: readonly Sample[]): Sample[] {
  const least = new Map<number, Sample>();
  for (const sample of samples) {
    const minute = Math.floor(sample.atMs / minuteMs);
    if (sample.mb < (least.get(minute)?.mb ?? Number.POSITIVE_INFINITY)) least.set(minute, sample);
  }
  return [...least.values()];
}

/** The slope of the line with the least squares, per minute. */
function slopePerMinute(samples: readonly Sample[]): number {
  const mean = (of: (sample: Sample) => number) =>
    samples.reduce((sum, each) => sum + of(each), 0) / samples.length;
  const [middleMs, middleMb] = [mean(({ atMs }) => atMs), mean(({ mb }) => mb)];
  const above = mean(({ atMs, mb }) => (atMs - middleMs) * (mb - middleMb));
  return (minuteMs * above) / mean(({ atMs }) => (atMs - middleMs) ** 2);
}

it('a thousand sessions are held while others come and go: memory, files and threads stay the same', async () => {
  const { coordinator, pid } = await MeasuredDaemon.start(`max_sessions = ${held + atATime}\n`);
  const spawnHeld = async (index: number) => {
    const script = `echo session ${index}; exec cat`;
    await coordinator.spawn({ name: `held-${index}`, program: 'sh', args: ['-c', script] });
  };
  for (let index = 0; index < held; index += atATime) {
    const some = Array.from({ length: Math.min(atATime, held - index) }, (_, at) => index + at);
    await Promise.all(some.map(spawnHeld));
  }
  const processes = [pid, ptyHostOf(pid) ?? pid];
  let churned = 0;
  let running = 0;
  const failures: unknown[] = [];
  const one = async () => {
    running++;
    const number = churned++;
    const args = ['-c', `printf 'end of %s' ${number}; exit ${number % 200}`];
    const session = await coordinator.spawn({ program: 'sh', args });
    const { exitStatus } = await coordinator.wait(session);
    expect(exitStatus).toEqual({ code: number % 200, signal: null });
    expect((await coordinator.screen(session)).text[0]).toBe(`end of ${number}`);
    await coordinator.remove(session);
  };
  const begin = performance.now();
  const samples = processes.map((): Sample[] => []);
  const facts = () => processes.map((each) => [openFiles(each), threads(each), zombies(each)]);
  const measure = () => {
    const atMs = performance.now() - begin;
    if (atMs < warmUp * durationMs) return;
    for (const [at, each] of processes.entries()) samples[at]?.push({ atMs, mb: residentMb(each) });
  };
  // The first sessions create what later ones use.
  for (let count = 0; count < atATime; count++) await one().finally(() => running--);
  const before = facts();
  for (let lastSample = 0; performance.now() - begin < durationMs; ) {
    const due = ((performance.now() - begin) / 1000) * perSecond;
    while (churned < due && running < atATime) {
      void one()
        .catch((error) => failures.push(error))
        .finally(() => running--);
    }
    if (performance.now() - lastSample > 1_000) {
      lastSample = performance.now();
      measure();
    }
    await delay(1000 / perSecond);
  }
  await expect.poll(() => running, { timeout: 60_000 }).toBe(0);
  const seconds = (performance.now() - begin) / 1000;
  const [daemonMbPerMinute = 0, hostMbPerMinute = 0] = samples.map((each) =>
    slopePerMinute(leastOfMinutes(each)),
  );
  const listBegin = performance.now();
  const all = await coordinator.list();
  const listMs = performance.now() - listBegin;
  const perSecondDone = churned / seconds;
  const daemonMb = residentMb(pid);
  report({
    held,
    churned,
    perSecond: perSecondDone,
    daemonMb,
    daemonMbPerMinute,
    hostMbPerMinute,
    listMs,
  });
  expect(failures).toEqual([]);
  expect(all).toHaveLength(held);
  const more = () =>
    facts()
      .flat()
      .filter((count, at) => count > (before.flat()[at] ?? 0));
  await expect.poll(more, { timeout: 30_000 }).toEqual([]);
  expect(listMs).toBeLessThan(allowedMs(1_000));
  for (let index = 0; index < held; index += 97) {
    expect((await coordinator.screen(`held-${index}`)).text[0]).toBe(`session ${index}`);
  }
  if (isShortened) return;
  expect(daemonMbPerMinute).toBeLessThan(1);
  expect(hostMbPerMinute).toBeLessThan(1);
});
