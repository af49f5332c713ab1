import { type Coordinator, connect, type WaitRequest } from 'vtr';
import { ignored } from '#base';
import type { BenchmarkOptions } from '../benchmark.ts';
import { Daemon } from '../measuring/daemon.ts';
import { cpuSeconds } from '../measuring/process-cost.ts';
import type { Series } from './series.ts';

const subscriberCounts = [1, 5, 20, 100, 500];
const waitCounts = [1, 10, 100, 1_000];
/** Lines of 60 characters that a program prints when it gets a line. */
const lines = 20_000;
const program = `while read -r text; do seq -f "%059.0f" ${lines}; echo "$text"; done`;

/** Costs of clients that look at one session while it prints. */
export async function growthOfClients({ quick, progress }: BenchmarkOptions): Promise<Series[]> {
  const subscribers: [number, number][] = [];
  for (const count of quick ? [1, 2] : subscriberCounts) {
    progress(`growth: ${count} subscribers`);
    subscribers.push([count, await outputCost(count, subscribe)]);
  }
  const waits: [number, number][] = [];
  for (const count of quick ? [1, 2] : waitCounts) {
    progress(`growth: ${count} waits`);
    waits.push([count, await outputCost(count, waitFor)]);
  }
  const cost = `daemon, ${lines.toLocaleString('en')} lines of output, CPU ms`;
  return [
    { of: 'subscribers of a session', cost, expected: 'linear', points: subscribers },
    { of: 'waits for a match on a session', cost, expected: 'linear', points: waits },
  ];
}

/** Begins to look at the session; what it starts ends when the coordinator closes. */
type Look = (coordinator: Coordinator, session: string, at: number) => Promise<unknown>;

/** CPU time of the daemon in ms, from the request for output until all of it has arrived. */
async function outputCost(count: number, look: Look): Promise<number> {
  const daemon = new Daemon();
  const [watching, asking] = [
    await connect({ socket: daemon.socket }),
    await connect({ socket: daemon.socket }),
  ];
  try {
    const { name } = await asking.spawn({ program: 'sh', args: ['-c', `stty -echo; ${program}`] });
    await printed(asking, name, 'warm');
    for (let at = 0; at < count; at++) await look(watching, name, at);
    const before = cpuSeconds(daemon.pid);
    await printed(asking, name, 'done');
    return 1000 * (cpuSeconds(daemon.pid) - before);
  } finally {
    await watching.close();
    await asking.close();
    daemon.stop();
  }
}

async function printed(coordinator: Coordinator, session: string, text: string): Promise<void> {
  const until: WaitRequest = { match: [`^${text}$`], timeoutMs: 600_000 };
  await coordinator.sendText(session, `${text}\r`, { wait: until });
}

const subscribe: Look = async (coordinator, session) => {
  const events = await coordinator.subscribe(session, { scrollbackLines: 0 });
  void drain(events[Symbol.asyncIterator]());
};

/** None of them is met. */
const waitFor: Look = async (coordinator, session, at) => {
  const request = { match: [`panic ${at}: [a-f]+ at line`], timeoutMs: 600_000 };
  ignored(coordinator.wait(session, request), 'it ends with its client');
};

async function drain(events: AsyncIterator<unknown>): Promise<void> {
  try {
    while ((await events.next()).done !== true);
  } catch {
    // The coordinator was closed.
  }
}
