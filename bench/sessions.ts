import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { type Coordinator, connect } from 'vtr';
import type { Benchmark } from './benchmark.ts';
import { Daemon } from './measuring/daemon.ts';
import { residentKilobytes } from './measuring/process-cost.ts';
import { measureSpawns, type SpawnTimes } from './measuring/spawn-times.ts';
import { percentile } from './measuring/statistics.ts';
import type { Headline, Target } from './reporting/report.ts';

/** Spawned at once; more would only wait for each other. */
const parallel = 16;
const lists = 50;
/** After so much time without a change, daemon and host have collected their garbage (ADR 0167), in ms. */
const idleMs = 10_000;
/** Spawns one after the other. */
const spawns = 100;

/** The costs of a thousand sessions for a daemon. */
export const sessions: Benchmark = async ({ quick, progress }) => {
  const count = quick ? 10 : 1_000;
  progress('sessions: starting them one after the other');
  const times = await measureFew(quick ? 3 : spawns);
  const daemon = new Daemon();
  const coordinator = await connect({ socket: daemon.socket });
  try {
    // A daemon has a PTY host when a program has started.
    const { name } = await coordinator.spawn({ program: 'cat' });
    await coordinator.remove(name, { force: true });
    const before = residentKilobytes(daemon.pid);
    const { hostPid } = daemon.status();
    const hostBefore = hostPid === null ? null : residentKilobytes(hostPid);
    progress(`sessions: starting ${count}`);
    const spawnSeconds = await seconds(() => spawnAll(coordinator, count));
    await delay(quick ? 0 : idleMs);
    const hostAfter = hostPid === null ? null : residentKilobytes(hostPid);
    const memory = (residentKilobytes(daemon.pid) - before) / count;
    const both = memory + ((hostAfter ?? 0) - (hostBefore ?? 0)) / count;
    progress('sessions: listing them');
    const listMs: number[] = [];
    for (let time = 0; time < lists; time++) {
      listMs.push(1000 * (await seconds(() => coordinator.list())));
    }
    const listP50Ms = percentile(listMs, 0.5);
    return {
      name: 'sessions',
      title: 'Many sessions',
      notes: [
        `${count.toLocaleString('en')} sessions of \`cat\` in a separate daemon, over one ` +
          `connection, ${parallel} started at a time. Memory is the resident memory of the ` +
          'daemon and of its PTY host, without the programs, 10 s later. List: the call of the library, from ' +
          'the request to the decoded answer. Spawn: one after the other, up to ' +
          `${spawns} sessions of another daemon, of this process, and of a tmux server ` +
          '(`new-window` in control mode), in turns.',
      ],
      tables: [
        {
          columns: ['', 'measured'],
          rows: [
            ['start all, s', spawnSeconds],
            ['memory of the daemon, KB per session', memory],
            ['memory of daemon and PTY host, KB per session', both],
            ['memory of the PTY host before, MB', megabytes(hostBefore)],
            ['memory of the PTY host with all, MB', megabytes(hostAfter)],
            ['list all, p50, ms', listP50Ms],
            ['list all, p99, ms', percentile(listMs, 0.99)],
            ['spawn in process, p50, ms', percentile(times.inProcess, 0.5)],
            ['spawn over the socket, p50, ms', percentile(times.overSocket, 0.5)],
            ...(times.tmux === null
              ? []
              : [['tmux new-window, p50, ms', percentile(times.tmux, 0.5)]]),
          ],
        },
      ],
      targets: [
        { what: 'start all, s', bound: 'at most', goal: 7, next: 5, measured: spawnSeconds },
        ...hostTargets(hostBefore, hostAfter),
        {
          what: 'list all, p50, ms',
          bound: 'at most',
          goal: 100,
          next: 6,
          measured: listP50Ms,
        },
        {
          what: 'memory of the daemon, KB per session',
          bound: 'at most',
          goal: null,
          next: 60,
          measured: memory,
        },
        {
          what: 'memory of daemon and PTY host, KB per session',
          bound: 'at most',
          goal: 70,
          next: 70,
          measured: both,
        },
        spawnTarget('in process', 3, times.inProcess),
        spawnTarget('over the socket', 4, times.overSocket),
      ],
      headlines: headlinesOf(times),
    };
  } finally {
    await coordinator.close();
    daemon.stop();
  }
};

function hostTargets(before: number | null, after: number | null): Target[] {
  if (before === null || after === null) return [];
  const most = (what: string, limit: number, kilobytes: number): Target => ({
    what,
    bound: 'at most',
    goal: limit,
    next: limit,
    measured: kilobytes / 1000,
  });
  return [
    most('memory of the PTY host before, MB', 50, before),
    most('memory of the PTY host with all, MB', 100, after),
  ];
}

function headlinesOf({ tmux, inProcess, overSocket }: SpawnTimes): Headline[] {
  if (tmux === null) return [];
  const against = 'tmux new-window, control mode';
  const ratio = (ours: readonly number[]) => percentile(tmux, 0.5) / percentile(ours, 0.5);
  return [
    { what: 'start a session, in process', against, ratio: ratio(inProcess), of: 'time' },
    { what: 'start a session, across the socket', against, ratio: ratio(overSocket), of: 'time' },
  ];
}

const spawnTarget = (where: string, next: number, timesMs: readonly number[]): Target => ({
  what: `spawn ${where}, p50, ms`,
  bound: 'at most',
  goal: null,
  next,
  measured: percentile(timesMs, 0.5),
});

/** Measures spawns with a daemon of its own, which has no other sessions. */
async function measureFew(count: number): Promise<SpawnTimes> {
  const daemon = new Daemon();
  const coordinator = await connect({ socket: daemon.socket });
  try {
    return await measureSpawns(coordinator, count);
  } finally {
    await coordinator.close();
    daemon.stop();
  }
}

const megabytes = (kilobytes: number | null): number | null =>
  kilobytes === null ? null : kilobytes / 1000;

async function spawnAll(coordinator: Coordinator, count: number): Promise<void> {
  for (let done = 0; done < count; done += parallel) {
    const some = Array.from({ length: Math.min(parallel, count - done) }, () =>
      coordinator.spawn({ program: 'cat' }),
    );
    await Promise.all(some);
  }
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return (performance.now() - begin) / 1000;
}
