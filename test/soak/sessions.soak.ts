import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { allowedMs, MeasuredDaemon, report } from '../support/command/measured-daemon.ts';
import { openFiles, residentMb, threads, zombies } from '../support/pty/process-facts.ts';
import { shortened } from '../support/run/durations.ts';

const count = shortened(1000, 100);
const atATime = 16;

async function inTurn(work: (index: number) => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < count; index = next++) await work(index);
  };
  await Promise.all(Array.from({ length: atATime }, worker));
  return performance.now() - begin;
}

/** The time of as many programs without a terminal and a daemon, as a reference for the machine. */
function plainSpawnsMs(): number {
  const some = count / 10;
  const begin = performance.now();
  for (let index = 0; index < some; index++) spawnSync('true');
  return ((performance.now() - begin) * count) / some;
}

describe('a thousand sessions', () => {
  it('start within 10 s, take 150 KB each, are listed within 100 ms, and leave nothing', {
    retry: 2,
  }, async () => {
    const daemon = await MeasuredDaemon.start();
    const [boundMs, boundOfListMs] = [Math.max(10_000, 6 * plainSpawnsMs()), allowedMs(100)];
    const { coordinator, pid } = daemon;
    const facts = () => ({ files: openFiles(pid), threads: threads(pid), zombies: zombies(pid) });
    await coordinator.spawn({ name: 'first', program: 'cat' });
    await coordinator.remove('first');
    const before = facts();
    const emptyMb = residentMb(pid);
    const spawnMs = await inTurn((index) =>
      coordinator.spawn({ name: `s${index}`, program: 'cat' }),
    );
    const kilobytes = ((residentMb(pid) - emptyMb) * 1024) / count;
    const begin = performance.now();
    expect(await coordinator.list()).toHaveLength(count);
    const listMs = performance.now() - begin;
    const removeMs = await inTurn((index) => coordinator.remove(`s${index}`));
    report({ spawnMs, boundMs, kilobytes, listMs, removeMs });
    expect(spawnMs).toBeLessThan(boundMs);
    expect(kilobytes).toBeLessThan(150);
    expect(listMs).toBeLessThan(boundOfListMs);
    await expect.poll(facts, { timeout: 10_000 }).toEqual(before);
  });
});
