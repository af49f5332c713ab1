import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { connect } from 'vtr';
import type { Benchmark } from './benchmark.ts';
import { Daemon } from './measuring/daemon.ts';
import { median } from './measuring/statistics.ts';
import type { Target } from './reporting/report.ts';

/** 200 lines and a prompt: what a shell shows after some commands. */
const script = 'seq 200; printf "$ "; exec cat';

/** Times after the old daemon was killed, or `serve --restart` was called, in ms. */
interface Costs {
  readonly listMs: number;
  readonly liveMs: number;
}

/** How soon sessions can be used after their daemon was killed or replaced. */
export const restart: Benchmark = async ({ quick, progress }) => {
  const count = quick ? 5 : 200;
  const rounds = quick ? 1 : 5;
  const daemon = new Daemon();
  try {
    const names = await spawnAll(daemon, count);
    const killed: Costs[] = [];
    const replaced: Costs[] = [];
    for (let round = 1; round <= rounds; round++) {
      progress(`restart: round ${round}`);
      const { pid } = daemon.status();
      killed.push(await measure(daemon, names, () => process.kill(pid, 'SIGKILL')));
      // What the new daemon saves must be saved before the next end.
      await delay(quick ? 100 : 2_000);
      replaced.push(await measure(daemon, names, () => daemon.restart()));
      await delay(quick ? 100 : 2_000);
    }
    const listMs = (costs: readonly Costs[]) => median(costs.map((each) => each.listMs));
    const liveMs = (costs: readonly Costs[]) => median(costs.map((each) => each.liveMs));
    return {
      name: 'restart',
      title: 'After the daemon was killed or replaced',
      notes: [
        `${count} sessions that printed 200 lines each. List: \`vtr ls\`, from its start to its ` +
          'end, right after the daemon was killed, or after `vtr serve --restart` was called. ' +
          'Live: from the same moment until every session has answered a read of its screen with ' +
          `all that it printed. Medians of ${rounds} rounds. No other multiplexer keeps its ` +
          'sessions, so there is nothing to compare with.',
      ],
      tables: [
        {
          columns: ['', 'list, ms', 'live, ms'],
          rows: [
            ['kill -9', listMs(killed), liveMs(killed)],
            ['serve --restart', listMs(replaced), liveMs(replaced)],
          ],
        },
      ],
      targets: [
        target('kill -9: list, ms', 1_000, listMs(killed)),
        target('kill -9: live, ms', 2_000, liveMs(killed)),
      ],
    };
  } finally {
    daemon.stop();
  }
};

const target = (what: string, limit: number, measured: number): Target => ({
  what,
  bound: 'at most',
  goal: limit,
  next: limit,
  measured,
});

async function spawnAll(daemon: Daemon, count: number): Promise<readonly string[]> {
  const coordinator = await connect({ socket: daemon.socket });
  const names: string[] = [];
  try {
    for (let done = 0; done < count; done++) {
      const { name } = await coordinator.spawn({ program: 'sh', args: ['-c', script] });
      await coordinator.wait(name, { match: ['^\\$'], since: 'start' });
      names.push(name);
    }
    return names;
  } finally {
    await coordinator.close();
  }
}

async function measure(
  daemon: Daemon,
  names: readonly string[],
  end: () => unknown,
): Promise<Costs> {
  const begin = performance.now();
  await end();
  const { sessions } = JSON.parse(daemon.run('ls', '--json'));
  const listMs = performance.now() - begin;
  if (sessions.length !== names.length) {
    throw new Error(`${sessions.length} of ${names.length} sessions were left`);
  }
  const coordinator = await connect({ socket: daemon.socket });
  try {
    const screens = await Promise.all(names.map((name) => coordinator.screen(name)));
    const liveMs = performance.now() - begin;
    const wrong = screens.filter(({ text }) => !text.includes('200'));
    if (wrong.length > 0) throw new Error(`${wrong.length} sessions lack their last line`);
    return { listMs, liveMs };
  } finally {
    await coordinator.close();
  }
}
