import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { type Coordinator, connect } from 'vtr';
import type { BenchmarkOptions } from '../benchmark.ts';
import { Daemon } from '../measuring/daemon.ts';
import { cpuSeconds, residentKilobytes } from '../measuring/process-cost.ts';
import { median } from '../measuring/statistics.ts';
import type { Series } from './series.ts';

const counts = [10, 30, 100, 300, 1_000, 3_000];
/** Spawned at once. */
const parallel = 16;
const lists = 9;
const idleMs = 10_000;
/** The least share of CPU time that can be measured, in %: one tick of the clock in this time. */
const leastShare = 0.1;
/** What the start of sessions leaves to do has ended after this time. */
const settlingMs = 3_000;

/** Costs of idle sessions of `cat` in a daemon with its PTY host. */
export async function growthOfSessions({ quick, progress }: BenchmarkOptions): Promise<Series[]> {
  const daemon = new Daemon(`max_sessions = ${counts.at(-1)}\n`);
  const coordinator = await connect({ socket: daemon.socket });
  try {
    const { pid, hostPid } = daemon.status();
    const memory = () => residentKilobytes(pid) + residentKilobytes(hostPid);
    const cpu = () => cpuSeconds(pid) + cpuSeconds(hostPid);
    const before = memory();
    const [idle, points, listed]: [number, number][][] = [[], [], []];
    let started = 0;
    for (const count of quick ? [2, 4] : counts) {
      progress(`growth: ${count} sessions`);
      for (; started < count; started += parallel) {
        await spawnSome(coordinator, Math.min(parallel, count - started));
      }
      started = count;
      await setTimeout(quick ? 0 : settlingMs);
      const spent = cpu();
      await setTimeout(quick ? 100 : idleMs);
      const share = (100_000 * (cpu() - spent)) / (quick ? 100 : idleMs);
      idle?.push([count, Math.max(leastShare, share)]);
      points?.push([count, (memory() - before) / 1024]);
      listed?.push([count, await listMs(coordinator)]);
    }
    const of = 'idle sessions';
    return [
      { of, cost: 'CPU, % of a core', expected: 'flat', points: idle ?? [] },
      { of, cost: 'memory of daemon and host, MB', expected: 'linear', points: points ?? [] },
      { of, cost: 'list by the library, ms', expected: 'linear', points: listed ?? [] },
    ];
  } finally {
    await coordinator.close();
    daemon.stop();
  }
}

async function spawnSome(coordinator: Coordinator, count: number): Promise<void> {
  const spawn = () => coordinator.spawn({ program: 'cat' });
  await Promise.all(Array.from({ length: count }, spawn));
}

async function listMs(coordinator: Coordinator): Promise<number> {
  const times: number[] = [];
  for (let time = 0; time < lists; time++) {
    const begin = performance.now();
    await coordinator.list();
    times.push(performance.now() - begin);
  }
  return median(times);
}
