import type { Benchmark } from './benchmark.ts';
import { growthOfClients } from './growth/of-clients.ts';
import { growthOfSessions } from './growth/of-sessions.ts';
import { growthOfTerminal } from './growth/of-terminal.ts';
import { exponentOf, lastExponent, type Series } from './growth/series.ts';
import type { Plot } from './reporting/plot.ts';
import type { Target } from './reporting/report.ts';

/** More than this is worse than linear: figures of CPU time repeat within some percent. */
const linear = 1.1;
const flat = 0.2;

/** How costs grow with the number of sessions, clients, lines and columns. */
export const growth: Benchmark = async (options) => {
  const all = [
    ...(await growthOfSessions(options)),
    ...(await growthOfClients(options)),
    ...(await growthOfTerminal(options)),
  ];
  return {
    name: 'growth',
    title: 'Growth of costs',
    notes: [
      'Each cost is measured for growing counts. The exponent e of cost ~ count^e is a least-squares ' +
        'fit of the logarithms: 0 is constant, 1 linear, 2 quadratic. The last exponent is that between ' +
        'the two largest counts, where constant costs matter least.',
      'Sessions: `cat` in a daemon with a PTY host; CPU time in 10 s without calls, where less than ' +
        '0.1 % counts as 0.1 %. Subscribers and waits: all on one connection, while the session prints ' +
        '1.2 MB; no wait matches. Scrollback and columns: in a process of their own, medians of three.',
    ],
    tables: [{ columns: ['', 'counts', 'costs', 'exponent', 'last exponent'], rows: all.map(row) }],
    targets: all.map(target),
    plots: [plot(all)],
  };
};

const row = (series: Series) => [
  `${series.of}: ${series.cost}`,
  series.points.map(([count]) => count.toLocaleString('en')).join(' · '),
  series.points.map(([, cost]) => short(cost)).join(' · '),
  exponentOf(series.points),
  lastExponent(series),
];

const short = (value: number): string => String(Number(value.toPrecision(3)));

/** Costs that must be flat are judged by their whole range, others where they grow most. */
function target(series: Series): Target {
  const { of, cost, expected, points } = series;
  const isFlat = expected === 'flat';
  const bound = isFlat ? flat : linear;
  const measured = isFlat ? exponentOf(points) : lastExponent(series);
  const what = `${of}: ${cost}, ${isFlat ? 'exponent' : 'last exponent'}`;
  return { what, bound: 'at most', goal: null, next: bound, measured };
}

/** All costs relative to that of the smallest count: linear growth is a diagonal. */
const plot = (all: readonly Series[]): Plot => ({
  name: 'growth',
  title: 'Cost relative to the smallest count',
  kind: 'lines',
  axis: 'count, relative to the smallest',
  series: all.map(({ of, cost, points }) => {
    const [[firstCount, firstCost] = [1, 1]] = points;
    return {
      name: `${of}: ${cost}`,
      points: points.map(([count, value]) => [count / firstCount, value / firstCost]),
    };
  }),
});
