import { performance } from 'node:perf_hooks';
import { type Coordinator, connect, LocalCoordinator, type SessionInfo } from 'vtr';
import type { Benchmark } from './benchmark.ts';
import { Daemon } from './measuring/daemon.ts';
import { percentile } from './measuring/statistics.ts';
import type { Target } from './reporting/report.ts';
import { EmptyCalls } from './service/empty-calls.ts';
import { EchoSession } from './tasks/echo-session.ts';

/** Elapsed ms, one per repetition. */
type Samples = readonly number[];

const emptyCall = 'an empty Connect call';
const localState = 'state of a program, in process';
const remoteState = 'state of a program';
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
    const samples = await measureCalls(coordinator, count);
    progress('service: the state of a program');
    for (const [what, times] of await measureStates(coordinator, count)) samples.set(what, times);
    for (const floods of [0, 2]) {
      progress(`service: a byte with ${floods} floods`);
      samples.set(`byte and back, ${floods} floods`, await echo(coordinator, floods, count));
    }
    return {
      name: 'service',
      title: 'Across the socket',
      notes: [
        'Wall-clock time in ms from a call of the library to its answer, over one connection ' +
          'to a daemon in a separate process: a thousand calls of each kind, one after the other, ' +
          'in turns, on an 80x24 screen over 10,000 lines. The empty call is one of a Connect ' +
          'server that does nothing, in a process of its own, on a Unix socket. For an echo, ' +
          '`sendBytes` sends a byte to `cat` in a raw terminal, and it returns as an event of a ' +
          'subscription. Floods are sessions that run `yes`. State: `activity` of a session of `cat`, ' +
          'which looks at its processes and at the modes of its terminal.',
      ],
      tables: [{ columns: ['', 'p50, ms', 'p99, ms'], rows: [...samples].map(row) }],
      targets: targetsOf(samples),
    };
  } finally {
    await coordinator.close();
    daemon.stop();
  }
};

function targetsOf(samples: ReadonlyMap<string, Samples>): Target[] {
  const of = (what: string, share: number) => percentile(samples.get(what) ?? [], share);
  const most = (what: string, next: number, measured: number): Target => ({
    what,
    bound: 'at most',
    goal: null,
    next,
    measured,
  });
  const floods = 'byte and back, 2 floods';
  return [
    ...['info', 'screen as text'].flatMap((what) => [
      most(`${what} : ${emptyCall}, p50`, 1.2, of(what, 0.5) / of(emptyCall, 0.5)),
      most(`${what}, p99, ms`, 3, of(what, 0.99)),
    ]),
    most(`${floods}, p50, ms`, 1.5, of(floods, 0.5)),
    most(`${floods}, p99, ms`, 8, of(floods, 0.99)),
    most(`${localState}, p50, ms`, 0.2, of(localState, 0.5)),
  ];
}

const row = ([what, samples]: readonly [string, Samples]): [string, number, number] => [
  what,
  percentile(samples, 0.5),
  percentile(samples, 0.99),
];

/** One call of each kind in each turn. */
async function measureCalls(
  coordinator: Coordinator,
  count: number,
): Promise<Map<string, Samples>> {
  const session = await coordinator.spawn({ program: 'seq', args: ['1', '10000'] });
  await coordinator.wait(session);
  const empty = await EmptyCalls.start();
  try {
    const all: [string, () => Promise<unknown>][] = [
      [emptyCall, () => empty.call()],
      ...calls.map(([what, call]): [string, () => Promise<unknown>] => [
        what,
        () => call(coordinator, session),
      ]),
    ];
    const samples = new Map(all.map(([what]): [string, number[]] => [what, []]));
    for (let turn = -Math.min(count, warmUpCalls); turn < count; turn++) {
      for (const [what, call] of all) {
        const begin = performance.now();
        await call();
        if (turn >= 0) samples.get(what)?.push(performance.now() - begin);
      }
    }
    return samples;
  } finally {
    await empty.stop();
  }
}

async function echo(coordinator: Coordinator, floods: number, count: number): Promise<Samples> {
  const session = await EchoSession.start(coordinator);
  for (let flood = 0; flood < floods; flood++) await coordinator.spawn({ program: 'yes' });
  for (let done = 0; done < Math.min(count, warmUpCalls); done++) await session.roundTripMs();
  const samples: number[] = [];
  for (let done = 0; done < count; done++) samples.push(await session.roundTripMs());
  return samples;
}

/** The state of a program by a coordinator of this process, and across the socket, in turns. */
async function measureStates(remote: Coordinator, count: number): Promise<Map<string, Samples>> {
  const local = new LocalCoordinator();
  try {
    const contestants: [string, Coordinator, number[]][] = [
      [remoteState, remote, []],
      [localState, local, []],
    ];
    for (const [, coordinator] of contestants) {
      await coordinator.spawn({ name: 'state', program: 'cat' });
    }
    for (let turn = -Math.min(count, warmUpCalls); turn < count; turn++) {
      for (const [, coordinator, samples] of contestants) {
        const begin = performance.now();
        await coordinator.activity('state');
        if (turn >= 0) samples.push(performance.now() - begin);
      }
    }
    return new Map(contestants.map(([what, , samples]) => [what, samples]));
  } finally {
    await local.close();
  }
}
