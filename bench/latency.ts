import type { Benchmark } from './benchmark.ts';
import { MeasuredProcess } from './measuring/measured-process.ts';
import { median } from './measuring/statistics.ts';
import type { LatencyCost, LatencyRequest } from './tasks/latency.ts';

/** The load next to the measured session. */
const neighbours = {
  'none, a bare reader': { floods: 0, bare: false, hasHost: false, isBareEcho: true },
  '0 floods': { floods: 0, bare: false, hasHost: false },
  '1 flood': { floods: 1, bare: false, hasHost: false },
  '8 floods': { floods: 8, bare: false, hasHost: false },
  '8 floods, bare readers': { floods: 8, bare: true, hasHost: false },
  '0 floods, PTY host': { floods: 0, bare: false, hasHost: true },
  '1 flood, PTY host': { floods: 1, bare: false, hasHost: true },
  '8 floods, PTY host': { floods: 8, bare: false, hasHost: true },
} as const satisfies Record<string, Omit<LatencyRequest, 'task'>>;
type Neighbours = keyof typeof neighbours;
const names = Object.keys(neighbours) as Neighbours[];
const megabyte = 1e6;

/** The time of an echo from a session, alone and next to sessions that flood. */
export const latency: Benchmark = async ({ quick, progress }) => {
  const rounds = quick ? 1 : 5;
  const samples = new Map<Neighbours, LatencyCost[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    progress(`latency: round ${round + 1} of ${rounds}`);
    for (const name of names) samples.get(name)?.push(await measure(name, quick ? 5 : 1_000));
  }
  const of = (name: Neighbours, what: keyof LatencyCost) =>
    median((samples.get(name) ?? []).map((sample) => sample[what]));
  return {
    name: 'latency',
    title: 'Latency with flooding sessions',
    notes: [
      'Time from `sendBytes` of one byte to the output event with its echo, from `cat` in a ' +
        'raw terminal, in ms of wall-clock time, while other sessions of the same coordinator ' +
        'run `yes`. A thousand bytes, 2 ms apart. Loop delay is how late a timer of 1 ms fires. ' +
        'Own CPU is the part of it in which the process used CPU time; in the rest, other ' +
        'processes had the processor. A bare reader is a pseudo-terminal without a session: the process ' +
        'only counts its output. In the row “8 floods, bare readers”, eight of them replace the sessions ' +
        'that run `yes`; in the first row, the byte goes to one and nothing else runs. They show the ' +
        'best that the machine can do. PTY host: the terminals ' +
        'are in a process of their own (`vtr-ptyd`). Medians of five ' +
        'interleaved processes.',
    ],
    tables: [
      {
        columns: [
          'other sessions',
          'echo p50, ms',
          'echo p99, ms',
          'loop delay p99, ms',
          'own CPU, ms',
          'floods, MB/s',
        ],
        rows: names.map((name) => [
          name,
          of(name, 'echoP50Ms'),
          of(name, 'echoP99Ms'),
          of(name, 'loopDelayP99Ms'),
          of(name, 'ownDelayP99Ms'),
          neighbours[name].floods === 0 ? null : of(name, 'floodBytesPerSecond') / megabyte,
        ]),
      },
    ],
    targets: [
      {
        what: 'echo p50 alone : a bare reader',
        bound: 'at most',
        goal: null,
        next: 1.2,
        measured: of('0 floods', 'echoP50Ms') / of('none, a bare reader', 'echoP50Ms'),
      },
      {
        what: 'loop delay p99 with eight floods, ms',
        bound: 'at most',
        goal: null,
        next: 5,
        measured: of('8 floods', 'loopDelayP99Ms'),
      },
      {
        what: 'echo p50 with eight floods and a PTY host : without floods',
        bound: 'at most',
        goal: null,
        next: 1.3,
        measured: of('8 floods, PTY host', 'echoP50Ms') / of('0 floods, PTY host', 'echoP50Ms'),
      },
      {
        what: 'echo p99 with eight floods and a PTY host, ms',
        bound: 'at most',
        goal: null,
        next: 10,
        measured: of('8 floods, PTY host', 'echoP99Ms'),
      },
      {
        what: 'throughput of eight floods : of one',
        bound: 'at least',
        goal: null,
        next: 1,
        measured: of('8 floods', 'floodBytesPerSecond') / of('1 flood', 'floodBytesPerSecond'),
      },
    ],
  };
};

async function measure(name: Neighbours, bytes: number): Promise<LatencyCost> {
  const process = new MeasuredProcess<LatencyCost>({ task: 'latency', ...neighbours[name] });
  try {
    return await process.round(bytes);
  } finally {
    await process.stop();
  }
}
