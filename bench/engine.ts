import type { Size } from '#model';
import type { Benchmark, BenchmarkOptions } from './benchmark.ts';
import type { EngineName } from './engines/index.ts';
import { compare } from './measuring/compare.ts';
import { geometricMean, median, medianRatio } from './measuring/statistics.ts';
import { type PayloadName, payload, payloadNames } from './payloads/index.ts';
import type { BarPlot } from './reporting/plot.ts';
import type { FeedRequest } from './tasks/feed.ts';

const sizes: readonly Size[] = [
  { cols: 80, rows: 24 },
  { cols: 200, rows: 50 },
];
const megabyte = 1e6;
/** After this time the compiler has optimized every engine; a daemon runs for days. */
const warmUpSeconds = 1;

/** MB per CPU-second of every engine, and the ratio of vtr to xterm. */
interface Comparison {
  readonly payload: PayloadName;
  readonly size: string;
  readonly rates: Readonly<Record<EngineName, number>>;
  readonly ratio: number;
}

/** Throughput of the engine, compared with @xterm/headless. */
export const engine: Benchmark = async (options) => {
  const comparisons: Comparison[] = [];
  for (const size of sizes) {
    for (const name of payloadNames) comparisons.push(await comparison(name, size, options));
  }
  const ratios = comparisons.map((each) => each.ratio);
  return {
    name: 'engine',
    title: 'Engine: output in, screen up to date',
    notes: [
      'MB of output processed per second of CPU time (1 MB = 10⁶ bytes), by `Terminal.feed` ' +
        'and by @xterm/headless 6 without its write queue (`writeSync`). xterm accepts bytes or ' +
        'strings: the faster of the two counts. Both keep 10,000 lines of scrollback; xterm ' +
        'uses the widths of Unicode 11 and does not log. Output arrives in chunks of 4,095 ' +
        'bytes, as from a pseudo-terminal, so characters are split. `bare` is a loop that only ' +
        'counts line feeds: the upper limit for reading bytes.',
      'Each engine and payload runs in a separate process, after a warm-up of one second of ' +
        'CPU time. Fifteen short rounds are interleaved. Figures are medians; ratios are ' +
        'medians of the ratios of each round. CPU time includes all threads of the process, and ' +
        'so compilation and garbage collection.',
    ],
    tables: [
      {
        columns: [
          'payload',
          'size',
          'vtr',
          'xterm, bytes',
          'xterm, strings',
          'vtr : xterm',
          'bare',
          'bare : vtr',
        ],
        rows: comparisons.map(({ payload, size, rates, ratio }) => [
          payload,
          size,
          rates.vtr,
          rates['xterm, bytes'],
          rates['xterm, strings'],
          ratio,
          rates.bare,
          rates.bare / rates.vtr,
        ]),
      },
    ],
    targets: [
      {
        what: 'vtr : xterm, geometric mean',
        bound: 'at least',
        goal: 2,
        next: 3.3,
        measured: geometricMean(ratios),
      },
      {
        what: 'vtr : xterm, minimum',
        bound: 'at least',
        goal: 1.2,
        next: 2,
        measured: Math.min(...ratios),
      },
    ],
    headlines: [
      {
        what: `output to an up-to-date screen, ${ratios.length} kinds`,
        against: 'xterm.js, headless',
        ratio: geometricMean(ratios),
        of: 'time',
        besides: `at least ${Math.min(...ratios).toFixed(2)}`,
      },
    ],
    plots: [plotOf(comparisons)],
  };
};

const plotOf = (comparisons: readonly Comparison[]): BarPlot => ({
  kind: 'bars',
  name: 'engine',
  title: 'Output per second of CPU time',
  axis: 'MB per second of CPU time',
  series: ['vtr', 'xterm.js, the faster input'],
  groups: comparisons.map(({ payload, size, rates }) => ({
    name: `${payload}, ${size}`,
    values: [rates.vtr, Math.max(rates['xterm, bytes'], rates['xterm, strings'])],
  })),
});

async function comparison(
  name: PayloadName,
  size: Size,
  { quick, progress }: BenchmarkOptions,
): Promise<Comparison> {
  const sizeName = `${size.cols}x${size.rows}`;
  progress(`engine: ${name}, ${sizeName}`);
  // Short rounds, because the speed of a shared machine may change within seconds.
  const bytes = quick ? 32_000 : 2 * megabyte;
  const feed = (engine: EngineName): FeedRequest => ({
    task: 'feed',
    engine,
    payload: name,
    size,
    bytes,
  });
  const effort = quick
    ? { rounds: 1, secondsPerRound: 0, inThisProcess: true }
    : { rounds: 15, secondsPerRound: 0.1, warmUpSeconds };
  const costs = await compare<EngineName>(
    {
      'xterm, bytes': feed('xterm, bytes'),
      vtr: feed('vtr'),
      'xterm, strings': feed('xterm, strings'),
      bare: feed('bare'),
    },
    effort,
  );
  const megabytes = payload(name, size, bytes).length / megabyte;
  const rate = (engine: EngineName) => megabytes / median(costs[engine]);
  const rates = {
    vtr: rate('vtr'),
    'xterm, bytes': rate('xterm, bytes'),
    'xterm, strings': rate('xterm, strings'),
    bare: rate('bare'),
  };
  const peer = rates['xterm, bytes'] >= rates['xterm, strings'] ? 'xterm, bytes' : 'xterm, strings';
  const ratio = medianRatio(costs[peer], costs.vtr);
  return { payload: name, size: sizeName, rates, ratio };
}
