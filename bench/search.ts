import type { Benchmark, BenchmarkOptions } from './benchmark.ts';
import { runnerOf } from './measuring/measured-process.ts';
import { geometricMean, median } from './measuring/statistics.ts';
import { type SearchCost, type SearchName, searchPatterns } from './tasks/search.ts';

const rounds = 5;
const names = Object.keys(searchPatterns) as SearchName[];

/** One pattern, in ms. */
interface Times {
  readonly name: SearchName;
  readonly vtr: number;
  readonly xterm: number;
  readonly matches: number;
  /** In a million lines: the elapsed time, and the longest delay of the event loop. */
  readonly longMs: number;
  readonly pauseMs: number;
  /** CPU time of the process. */
  readonly ownPauseMs: number;
}

/** Time of a search in the scrollback, and the delays that it causes. */
export const search: Benchmark = async (options) => {
  const own: Times[] = [];
  for (const name of names) own.push(await measure(name, options));
  const worst = (of: (times: Times) => number) => Math.max(...own.map(of));
  return {
    name: 'search',
    title: 'Searching scrollback',
    notes: [
      'Time per search in ms, in a log with lines of up to 80 columns, for all matches up to ' +
        'the limit of 10,000 lines. In 10,000 lines: CPU time of the process, medians of five ' +
        'interleaved rounds. vtr: `Coordinator.search`. xterm: `translateToString(true)` of ' +
        'every row of its buffer and JavaScript’s regular expressions, which take exponential ' +
        'time with some patterns. In 1,000,000 lines: wall-clock time, with the search divided ' +
        'into slices. The pause is the longest delay of a 1 ms timer in any of five searches. ' +
        'Own CPU is the longest part of a delay in which the process used CPU time; in the ' +
        'rest, other processes had the processor.',
    ],
    tables: [
      {
        columns: [
          'pattern',
          'matches',
          'vtr, ms',
          'xterm, ms',
          'xterm : vtr',
          '1,000,000 lines, ms',
          'longest pause, ms',
          'own CPU, ms',
        ],
        rows: own.map((each) => [
          each.name,
          each.matches,
          each.vtr,
          each.xterm,
          each.xterm / each.vtr,
          each.longMs,
          each.pauseMs,
          each.ownPauseMs,
        ]),
      },
    ],
    targets: [
      {
        what: '10,000 lines, any pattern, ms',
        bound: 'at most',
        goal: null,
        next: 3,
        measured: worst(({ vtr }) => vtr),
      },
      {
        what: 'longest pause of the event loop, ms',
        bound: 'at most',
        goal: null,
        next: 20,
        measured: worst(({ pauseMs }) => pauseMs),
      },
    ],
    headlines: [
      {
        what: 'search in 10,000 lines, any of five patterns',
        against: 'xterm.js and JavaScript’s expressions',
        ratio: geometricMean(own.map(({ vtr, xterm }) => xterm / vtr)),
        of: 'time',
      },
    ],
  };
};

async function measure(name: SearchName, options: BenchmarkOptions): Promise<Times> {
  options.progress(`search: ${name}`);
  const short = await shortSearch(name, options);
  const long = await longSearch(name, options);
  return { name, ...short, ...long };
}

/** In the default scrollback, compared with xterm. */
async function shortSearch(name: SearchName, { quick }: BenchmarkOptions) {
  const lines = quick ? 100 : 10_000;
  const passes = quick ? 1 : 50;
  const request = { task: 'search', search: name, lines } as const;
  const vtr = runnerOf<SearchCost>({ ...request, engine: 'vtr' }, quick);
  const xterm = runnerOf<SearchCost>({ ...request, engine: 'xterm' }, quick);
  const costs = { vtr: [] as number[], xterm: [] as number[] };
  let matches = 0;
  try {
    await vtr.round(passes);
    await xterm.round(passes);
    for (let round = 0; round < (quick ? 1 : rounds); round++) {
      const cost = await vtr.round(passes);
      matches = cost.matches;
      costs.vtr.push(msPerPass(cost.seconds, passes));
      costs.xterm.push(msPerPass((await xterm.round(passes)).seconds, passes));
    }
  } finally {
    await Promise.all([vtr.stop(), xterm.stop()]);
  }
  return { vtr: median(costs.vtr), xterm: median(costs.xterm), matches };
}

async function longSearch(name: SearchName, { quick }: BenchmarkOptions) {
  const lines = quick ? 1_000 : 1_000_000;
  const request = { task: 'search', engine: 'vtr', search: name, lines } as const;
  const runner = runnerOf<SearchCost>(request, quick);
  const wallMs: number[] = [];
  let pauseMs = 0;
  let ownPauseMs = 0;
  try {
    await runner.round(1);
    for (let round = 0; round < (quick ? 1 : rounds); round++) {
      const { wallSeconds, longestMs, longestOwnMs } = await runner.round(1);
      wallMs.push(wallSeconds * 1000);
      pauseMs = Math.max(pauseMs, longestMs);
      ownPauseMs = Math.max(ownPauseMs, longestOwnMs);
    }
  } finally {
    await runner.stop();
  }
  return { longMs: median(wallMs), pauseMs, ownPauseMs };
}

const msPerPass = (seconds: number, passes: number): number => (1000 * seconds) / passes;
