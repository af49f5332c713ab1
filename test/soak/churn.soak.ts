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

const total = shortened(1_000, 50);
const durationMs = shortened(600_000, 10_000);
/** What a process keeps still grows to its usual size in this share of the time: 3 of 10 minutes. */
const warmUp = 0.3;
const perSecond = 50;
const atATime = 16;
const minuteMs = 60_000;

it('a thousand sessions are held while others come and go: memory, files and threads stay the same', async () => {
  const daemon = await MeasuredDaemon.startCollectable(`max_sessions = ${total + atATime}\n`);
  const { coordinator, pid } = daemon;
  const spawnHeld = async (index: number) => {
    const script = `echo session ${index}; exec cat`;
    await coordinator.spawn({ name: `held-${index}`, program: 'sh', args: ['-c', script] });
  };
  for (let index = 0; index < total; index += atATime) {
    const some = Array.from({ length: Math.min(atATime, total - index) }, (_, at) => index + at);
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
  // Resident memory has 30 MB or more of garbage, which V8 collects each 10 to 60 s.
  const memoryNow = () => Promise.all(processes.map((each) => daemon.keptMb(each)));
  const facts = () => processes.map((each) => [openFiles(each), threads(each), zombies(each)]);
  // The first sessions create what later ones use.
  for (let count = 0; count < atATime; count++) await one().finally(() => running--);
  const before = facts();
  let early: { readonly mb: readonly number[]; readonly atMs: number } | null = null;
  while (performance.now() - begin < durationMs) {
    const due = ((performance.now() - begin) / 1000) * perSecond;
    while (churned < due && running < atATime) {
      void one()
        .catch((error) => failures.push(error))
        .finally(() => running--);
    }
    if (early === null && performance.now() - begin > warmUp * durationMs) {
      early = { mb: await memoryNow(), atMs: performance.now() };
    }
    await delay(1000 / perSecond);
  }
  await expect.poll(() => running, { timeout: 60_000 }).toBe(0);
  const seconds = (performance.now() - begin) / 1000;
  const minutes = (performance.now() - (early?.atMs ?? begin)) / minuteMs;
  const late = await memoryNow();
  const [daemonMbPerMinute = 0, hostMbPerMinute = 0] = late.map(
    (mb, at) => (mb - (early?.mb[at] ?? 0)) / minutes,
  );
  const [keptMb = 0, hostKeptMb = 0] = late;
  const listBegin = performance.now();
  const all = await coordinator.list();
  const listMs = performance.now() - listBegin;
  const perSecondDone = churned / seconds;
  const daemonMb = residentMb(pid);
  report({
    held: total,
    churned,
    perSecond: perSecondDone,
    daemonMb,
    keptMb,
    hostKeptMb,
    daemonMbPerMinute,
    hostMbPerMinute,
    listMs,
  });
  expect(failures).toEqual([]);
  expect(all).toHaveLength(total);
  const more = () =>
    facts()
      .flat()
      .filter((count, at) => count > (before.flat()[at] ?? 0));
  await expect.poll(more, { timeout: 30_000 }).toEqual([]);
  expect(listMs).toBeLessThan(allowedMs(1_000));
  for (let index = 0; index < total; index += 97) {
    expect((await coordinator.screen(`held-${index}`)).text[0]).toBe(`session ${index}`);
  }
  if (isShortened) return;
  expect(daemonMbPerMinute).toBeLessThan(1);
  expect(hostMbPerMinute).toBeLessThan(1);
});
