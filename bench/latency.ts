import type { Benchmark } from './benchmark.ts';
import { MeasuredProcess } from './measuring/measured-process.ts';
import { median } from './measuring/statistics.ts';
import type { LatencyCost, LatencyRequest } from './tasks/latency.ts';

/** What goes on beside the session that is measured. */
const neighbours = {
  '0 floods': { floods: 0, bare: false },
  '1 flood': { floods: 1, bare: false },
  '8 floods': { floods: 8, bare: false },
  '8 floods, bare readers': { floods: 8, bare: true },
} as const satisfies Record<string, Omit<LatencyRequest, 'task'>>;
type Neighbours = keyof typeof neighbours;
const names = Object.keys(neighbours) as Neighbours[];
const megabyte = 1e6;

/** What a byte takes to come back from a session, alone and beside others that flood. */
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
    title: 'Latency beside floods',
    notes: [
      'From `sendBytes` of one byte to the output event that brings it back from `cat` in a raw terminal, ' +
        'in ms by the clock, while other sessions of the same coordinator run `yes`: a thousand bytes, 2 ms ' +
        'between them. The delay of the event loop is what it comes late for a timer of 1 ms; its own is as ' +
        'much of that as the process spent CPU time on, for the rest of it something else had the ' +
        'processor. Bare readers: in the place of sessions pseudo-terminals whose output is counted and ' +
        'nothing else, which is what the machine can do at best. Medians of five interleaved processes.',
    ],
    tables: [
      {
        columns: [
          'beside',
          'echo p50, ms',
          'echo p99, ms',
          'loop delay p99, ms',
          'its own, ms',
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
        what: 'loop delay p99 beside eight floods, ms',
        bound: 'at most',
        wanted: null,
        next: 5,
        measured: of('8 floods', 'loopDelayP99Ms'),
      },
      {
        what: 'throughput of eight floods : of one',
        bound: 'at least',
        wanted: null,
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
