import type { BenchmarkOptions } from '../benchmark.ts';
import { MeasuredProcess } from '../measuring/measured-process.ts';
import { median } from '../measuring/statistics.ts';
import type { TimeCost } from '../measuring/task.ts';
import type { ScrollbackCost } from '../tasks/scrollback.ts';
import type { SearchCost } from '../tasks/search.ts';
import type { Series } from './series.ts';

const lineCounts = [1_000, 10_000, 100_000, 1_000_000];
const widths = [80, 160, 320, 640, 1_000];
const rounds = 3;
const readPasses = 2_000;
/** Bytes of a payload for each of the widths, fed once per pass. */
const feedBytes = 1_000_000;
const mib = 1024 * 1024;

/** Costs of a long scrollback, and of a wide screen. */
export async function growthOfTerminal({ quick, progress }: BenchmarkOptions): Promise<Series[]> {
  const lines = { memory: [], read: [], search: [] } as Record<string, [number, number][]>;
  for (const count of quick ? [100, 1_000] : lineCounts) {
    progress(`growth: ${count} lines`);
    const { heapBytes, seconds } = await scrollbackCost(count);
    lines['memory']?.push([count, heapBytes / mib]);
    lines['read']?.push([count, (1e6 * seconds) / readPasses]);
    lines['search']?.push([count, await searchMs(count)]);
  }
  const feed: [number, number][] = [];
  for (const cols of quick ? [80, 160] : widths) {
    progress(`growth: ${cols} columns`);
    feed.push([cols, await feedMs(cols)]);
  }
  const of = 'lines of scrollback';
  return [
    { of, cost: 'memory, MB', expected: 'linear', points: lines['memory'] ?? [] },
    {
      of,
      cost: 'search without a match, CPU ms',
      expected: 'linear',
      points: lines['search'] ?? [],
    },
    {
      of,
      cost: 'read of 24 lines since a mark, CPU µs',
      expected: 'flat',
      points: lines['read'] ?? [],
    },
    { of: 'columns', cost: 'a MB of cursor motion, CPU ms', expected: 'linear', points: feed },
  ];
}

async function scrollbackCost(lines: number): Promise<ScrollbackCost> {
  const measured = new MeasuredProcess<ScrollbackCost>({ task: 'scrollback', lines });
  try {
    await measured.round(readPasses);
    return await measured.round(readPasses);
  } finally {
    await measured.stop();
  }
}

async function searchMs(lines: number): Promise<number> {
  const request = { task: 'search', engine: 'vtr', search: 'no match', lines } as const;
  const passes = Math.max(1, Math.round(100_000 / lines));
  const costs = await roundsOf<SearchCost>(new MeasuredProcess(request), passes);
  return (1000 * median(costs.map(({ seconds }) => seconds))) / passes;
}

async function feedMs(cols: number): Promise<number> {
  const size = { cols, rows: 50 };
  const request = { task: 'feed', engine: 'vtr', payload: 'cursor motion', size } as const;
  const measured = new MeasuredProcess<TimeCost>({ ...request, bytes: feedBytes });
  return 1000 * median((await roundsOf(measured, 1)).map(({ seconds }) => seconds));
}

/** Some rounds, after one that warms up. */
async function roundsOf<Cost>(measured: MeasuredProcess<Cost>, passes: number): Promise<Cost[]> {
  try {
    await measured.round(passes);
    const costs: Cost[] = [];
    for (let round = 0; round < rounds; round++) costs.push(await measured.round(passes));
    return costs;
  } finally {
    await measured.stop();
  }
}
