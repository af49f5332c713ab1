import type { Benchmark } from './benchmark.ts';
import { MeasuredProcess } from './measuring/measured-process.ts';
import { median } from './measuring/statistics.ts';
import type { LatencyCost } from './tasks/latency.ts';

/** Sessions that flood beside the one that is measured. */
const floodCounts = [0, 1, 8] as const;
const megabyte = 1e6;

/** What a byte takes to come back from a session, alone and beside others that flood. */
export const latency: Benchmark = async ({ quick, progress }) => {
  const costs: LatencyCost[] = [];
  for (const floods of floodCounts) {
    progress(`latency: ${floods} floods`);
    costs.push(await measure(floods, quick ? 1 : 3, quick ? 5 : 1_000));
  }
  const [, one, eight] = costs;
  const gain = (eight?.floodBytesPerSecond ?? 0) / (one?.floodBytesPerSecond ?? Number.NaN);
  return {
    name: 'latency',
    title: 'Latency beside floods',
    notes: [
      'From `sendBytes` of one byte to the output event that brings it back from `cat` in a raw terminal, ' +
        'in ms by the clock, while other sessions of the same coordinator run `yes`: a thousand bytes, 2 ms ' +
        'between them. The delay of the event loop is what it comes late for a timer of 1 ms. Medians of ' +
        'three processes.',
    ],
    tables: [
      {
        columns: ['beside', 'echo p50, ms', 'echo p99, ms', 'loop delay p99, ms', 'floods, MB/s'],
        rows: costs.map((cost, at) => [
          `${floodCounts[at]} floods`,
          cost.echoP50Ms,
          cost.echoP99Ms,
          cost.loopDelayP99Ms,
          floodCounts[at] === 0 ? null : cost.floodBytesPerSecond / megabyte,
        ]),
      },
    ],
    targets: [
      {
        what: 'loop delay p99 beside eight floods, ms',
        bound: 'at most',
        wanted: null,
        next: 5,
        measured: eight?.loopDelayP99Ms ?? Number.NaN,
      },
      {
        what: 'throughput of eight floods : of one',
        bound: 'at least',
        wanted: null,
        next: 1,
        measured: gain,
      },
    ],
  };
};

async function measure(floods: number, rounds: number, bytes: number): Promise<LatencyCost> {
  const samples: LatencyCost[] = [];
  for (let round = 0; round < rounds; round++) {
    const process = new MeasuredProcess<LatencyCost>({ task: 'latency', floods });
    try {
      samples.push(await process.round(bytes));
    } finally {
      await process.stop();
    }
  }
  const of = (what: keyof LatencyCost) => median(samples.map((sample) => sample[what]));
  return {
    echoP50Ms: of('echoP50Ms'),
    echoP99Ms: of('echoP99Ms'),
    loopDelayP99Ms: of('loopDelayP99Ms'),
    floodBytesPerSecond: of('floodBytesPerSecond'),
  };
}
