import { setTimeout as delay } from 'node:timers/promises';
import { type Coordinator, connect } from 'vtr';
import type { Benchmark } from './benchmark.ts';
import { Daemon } from './measuring/daemon.ts';
import { cpuSeconds } from './measuring/process-cost.ts';
import { median } from './measuring/statistics.ts';
import { repositoryRoot } from './repository-root.ts';

const hertz = 10;
const program = `${repositoryRoot}/test/programs/coding-agent.mjs`;
const pollMs = 100;

/** What it costs to follow the state of coding agents: the rest is what their output costs. */
export const agents: Benchmark = async ({ quick, progress }) => {
  const count = quick ? 2 : 50;
  const seconds = quick ? 0.2 : 10;
  const rounds = quick ? 1 : 5;
  const daemon = new Daemon();
  const coordinator = await connect({ socket: daemon.socket });
  try {
    progress(`agents: ${count} sessions`);
    const names = Array.from({ length: count }, (_, at) => `agent-${at}`);
    for (const name of names) {
      const args = [program, 'spin', String(hertz)];
      await coordinator.spawn({ name, program: process.execPath, args });
    }
    const { pid } = daemon.status();
    const plain: number[] = [];
    const followed: number[] = [];
    for (const shares of [plain, followed]) {
      if (shares === followed) await follow(coordinator, names);
      for (let round = 1; round <= rounds; round++) {
        progress(`agents: round ${round}${shares === followed ? ', with their state' : ''}`);
        shares.push(await shareOfCore(pid, seconds));
      }
    }
    const cost = median(followed) - median(plain);
    progress('agents: changes');
    const changes = await changeTimes(coordinator, quick ? 2 : 40);
    return {
      name: 'agents',
      title: 'Following coding agents',
      notes: [
        `${count} agents that work: each draws a sign and its seconds ${hertz} times a second. CPU time of the ` +
          `daemon in ${seconds} s, from /proc, without and with the label that makes them agents; medians of ` +
          `${rounds} rounds.`,
        'Then one agent among them changes its state at a key, and a subscriber waits for the event.',
      ],
      tables: [
        {
          columns: ['', 'CPU of the daemon, % of a core'],
          rows: [
            ['their output alone', median(plain)],
            ['with their state', median(followed)],
            ['the state', cost],
          ],
        },
        {
          columns: ['from a key to the event of its change, ms', 'median', 'longest'],
          rows: Object.entries(changes).map(([name, times]) => [
            name,
            median(times),
            Math.max(...times),
          ]),
        },
      ],
      targets: [
        {
          what: `state of ${count} busy agents, % of a core`,
          bound: 'at most',
          goal: 1,
          next: 1,
          measured: cost,
        },
      ],
    };
  } finally {
    await coordinator.close();
    daemon.stop();
  }
};

/** Times from a key, at which an agent changes its state, to the event that tells it; in ms. */
async function changeTimes(coordinator: Coordinator, rounds: number) {
  const session = await coordinator.spawn({
    program: process.execPath,
    args: [program],
    labels: { agent: 'codex' },
    wait: { agent: ['idle'], timeoutMs: 20_000 },
  });
  const events = await coordinator.subscribe(session, { scrollbackLines: 0 });
  const iterator = events[Symbol.asyncIterator]();
  const until = async (state: string) => {
    for (;;) {
      const { value } = await iterator.next();
      if (value?.type === 'agent' && value.agent?.state === state) return;
    }
  };
  const times = { 'idle to busy': [] as number[], 'busy to idle': [] as number[] };
  const timed = async (key: string, state: string) => {
    const beganMs = performance.now();
    await coordinator.sendText(session, key);
    await until(state);
    return performance.now() - beganMs;
  };
  await until('idle');
  for (let round = 0; round < rounds; round++) {
    times['idle to busy'].push(await timed('\r', 'busy'));
    times['busy to idle'].push(await timed('.', 'idle'));
  }
  events.dispose();
  await coordinator.remove(session, { force: true });
  return times;
}

/** Makes all sessions agents that are known to work. */
async function follow(coordinator: Coordinator, names: readonly string[]): Promise<void> {
  for (const name of names) await coordinator.setLabels(name, { agent: 'codex' });
  for (;;) {
    const sessions = await coordinator.list();
    if (sessions.every(({ agent }) => agent?.state === 'busy')) return;
    await delay(pollMs);
  }
}

/** CPU time of a process in the next seconds, in per cent of a core. */
async function shareOfCore(pid: number, seconds: number): Promise<number> {
  const before = cpuSeconds(pid);
  await delay(seconds * 1_000);
  return ((cpuSeconds(pid) - before) / seconds) * 100;
}
