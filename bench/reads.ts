import type { Benchmark, BenchmarkOptions } from './benchmark.ts';
import { compare } from './measuring/compare.ts';
import { median } from './measuring/statistics.ts';
import type { Target } from './reporting/report.ts';
import type { ReadName, ReadRequest } from './tasks/read.ts';

type Contestant = ReadRequest['engine'];

/** A read, the engines that have it, and its target in µs. */
interface Subject {
  readonly read: ReadName;
  readonly contestants: readonly Contestant[];
  readonly nextMicroseconds?: number;
}

const both = ['xterm', 'vtr'] as const;
const subjects: readonly Subject[] = [
  { read: 'screen as text', contestants: both, nextMicroseconds: 15 },
  { read: 'screen as cells', contestants: both, nextMicroseconds: 20 },
  { read: 'changed rows, 0 of 24', contestants: ['vtr'] },
  { read: 'changed rows, 1 of 24', contestants: ['vtr'] },
  { read: 'changed rows, 24 of 24', contestants: ['vtr'] },
  { read: 'changed rows, 1 of 200', contestants: ['vtr'] },
  { read: 'screen as ansi', contestants: ['vtr'] },
  { read: 'lines as text', contestants: both },
  { read: 'dump', contestants: ['vtr'] },
  { read: 'dump of dense SGR', contestants: ['vtr'], nextMicroseconds: 60_000 },
];

/** µs of CPU time per read. */
type Times = Readonly<Partial<Record<Contestant, number>>>;

/** Time of the reads, compared with @xterm/headless if it has them. */
export const reads: Benchmark = async (options) => {
  const rows: (Subject & { times: Times })[] = [];
  for (const subject of subjects) {
    rows.push({ ...subject, times: await measure(subject, options) });
  }
  return {
    name: 'reads',
    title: 'Reading a terminal',
    notes: [
      'CPU time per read in µs, for an 80x24 screen of a truecolor log over 10,000 coloured ' +
        'lines. xterm: `translateToString(true)` of every row; for cells, the same content as ' +
        'ours through one `getCell` object. xterm itself renders neither ANSI nor dumps. ' +
        'Changed rows: a character is printed on each of them, and the same reader reads the ' +
        'screen as cells again. Dense SGR: the style changes every one to three characters of ' +
        '10,000 lines. Medians of five interleaved rounds; each engine and read has a ' +
        'separate process.',
    ],
    tables: [
      {
        columns: ['read', 'vtr, µs', 'xterm, µs', 'xterm : vtr'],
        rows: rows.map(({ read, times: { vtr = Number.NaN, xterm } }) => [
          read,
          vtr,
          xterm ?? null,
          xterm === undefined ? null : xterm / vtr,
        ]),
      },
    ],
    targets: rows.flatMap(({ times, ...subject }) => targetsOf(subject, times)),
    headlines: rows
      .filter(({ read }) => read.startsWith('screen'))
      .flatMap(({ read, times: { vtr = Number.NaN, xterm } }) =>
        xterm === undefined
          ? []
          : [
              {
                what: `read: ${read}`,
                against: 'xterm.js, headless',
                ratio: xterm / vtr,
                of: 'time',
              },
            ],
      ),
  };
};

async function measure(
  { read, contestants }: Subject,
  { quick, progress }: BenchmarkOptions,
): Promise<Times> {
  progress(`reads: ${read}`);
  const lines = quick ? 100 : 10_000;
  const requests = contestants.map((engine): [Contestant, ReadRequest] => [
    engine,
    { task: 'read', engine, read, lines },
  ]);
  const effort = quick
    ? { rounds: 1, secondsPerRound: 0, inThisProcess: true }
    : { rounds: 5, secondsPerRound: 0.25 };
  const costs = await compare<string>(Object.fromEntries(requests), effort);
  return Object.fromEntries(
    Object.entries(costs).map(([name, seconds]) => [name, median(seconds) * 1e6]),
  );
}

function targetsOf({ read, nextMicroseconds: next }: Subject, { vtr, xterm }: Times): Target[] {
  if (vtr === undefined || next === undefined) return [];
  const target = { what: `${read}, µs`, bound: 'at most', measured: vtr, next } as const;
  // The target of text is the time of xterm.
  const limit = read === 'screen as text' ? (xterm ?? null) : null;
  return [{ ...target, goal: limit === null ? null : Number(limit.toFixed(1)) }];
}
