import { performance } from 'node:perf_hooks';
import { type Coordinator, connect, type SessionInfo } from 'vtr';
import type { Benchmark } from './benchmark.ts';
import { Daemon } from './measuring/daemon.ts';
import { percentile } from './measuring/statistics.ts';
import { EchoSession } from './tasks/echo-session.ts';

/** Elapsed ms, one per repetition. */
type Samples = readonly number[];

/** Calls before the measured ones. */
const warmUpCalls = 100;

type Call = (coordinator: Coordinator, session: SessionInfo) => Promise<unknown>;

const calls: readonly (readonly [string, Call])[] = [
  ['info', (coordinator, session) => coordinator.info(session)],
  ['screen as text', (coordinator, session) => coordinator.screen(session)],
  ['screen as cells', (coordinator, session) => coordinator.screen(session, { format: 'cells' })],
  [
    'search in 10,000 lines',
    (coordinator, session) => coordinator.search(session, { pattern: '9{4}$' }),
  ],
];

/** Times of a call and of an event across the socket, over one connection. */
export const service: Benchmark = async ({ quick, progress }) => {
  const count = quick ? 5 : 1_000;
  const daemon = new Daemon();
  const coordinator = await connect({ socket: daemon.socket });
  try {
    progress('service: calls');
    const rows = await callRows(coordinator, count);
    for (const floods of [0, 2]) {
      progress(`service: a byte with ${floods} floods`);
      rows.push(row(`byte and back, ${floods} floods`, await echo(coordinator, floods, count)));
    }
    return {
      name: 'service',
      title: 'Across the socket',
      notes: [
        'Wall-clock time in ms from a call of the library to its answer, over one connection ' +
          'to a daemon in a separate process: a thousand sequential calls, on an 80x24 screen ' +
          'over 10,000 lines. For an echo, `sendBytes` sends a byte to `cat` in a raw terminal, ' +
          'and it returns as an event of a subscription. Floods are sessions that run `yes`.',
      ],
      tables: [{ columns: ['', 'p50, ms', 'p99, ms'], rows }],
      targets: [],
    };
  } finally {
    await coordinator.close();
    daemon.stop();
  }
};

const row = (what: string, samples: Samples): [string, number, number] => [
  what,
  percentile(samples, 0.5),
  percentile(samples, 0.99),
];

async function callRows(
  coordinator: Coordinator,
  count: number,
): Promise<[string, number, number][]> {
  const session = await coordinator.spawn({ program: 'seq', args: ['1', '10000'] });
  await coordinator.wait(session);
  const rows: [string, number, number][] = [];
  for (const [what, call] of calls) {
    rows.push(row(what, await measure(count, () => call(coordinator, session))));
  }
  return rows;
}

async function measure(count: number, call: () => Promise<unknown>): Promise<Samples> {
  for (let done = 0; done < Math.min(count, warmUpCalls); done++) await call();
  const samples: number[] = [];
  for (let done = 0; done < count; done++) {
    const begin = performance.now();
    await call();
    samples.push(performance.now() - begin);
  }
  return samples;
}

async function echo(coordinator: Coordinator, floods: number, count: number): Promise<Samples> {
  const session = await EchoSession.start(coordinator);
  for (let flood = 0; flood < floods; flood++) await coordinator.spawn({ program: 'yes' });
  return measure(count, () => session.roundTripMs());
}
