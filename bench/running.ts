import { spawnSync } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { type Coordinator, connect } from 'vtr';
import type { Benchmark, BenchmarkOptions } from './benchmark.ts';
import { Daemon } from './measuring/daemon.ts';
import { mean, median, percentile } from './measuring/statistics.ts';
import type { Headline, Report, Table, Target } from './reporting/report.ts';
import { noises } from './running/noise.ts';
import { measureOwnTimes, type OwnTimes } from './running/own-times.ts';
import type { Runner } from './running/runner.ts';
import { ShellHome } from './running/shell-home.ts';
import { preparedRunner, sentinelRunner } from './running/tmux-runners.ts';
import { callingRunner, commandRunner } from './running/vtr-runners.ts';

const takesMs = 300;
const tries = 200;
/** The longest excerpt of a wrong output, in characters. */
const excerptLength = 200;

type Runners = readonly (readonly [string, Runner])[];

/** One line that was run. */
interface Try {
  /** The time above that of the command itself. */
  readonly overMs: number;
  readonly programs: number;
  readonly bytes: number;
  /** The error of the result; null when it is right. */
  readonly wrong: string | null;
  /** The index of the noise. */
  readonly noise: number;
}

type Tries = ReadonlyMap<string, Try[]>;

/** Runs a command in a shell, and reads its exit code and its output. */
export const running: Benchmark = async (options) => {
  const { quick } = options;
  const directory = new ShellHome(noises, quick ? 0 : takesMs / 1000);
  const daemon = new Daemon();
  const coordinator = await connect({ socket: daemon.socket });
  try {
    const runners = await startAll(coordinator, daemon.socket, directory, options);
    try {
      const count = quick ? noises.length : tries;
      const done = await runInTurn(runners, directory, count, options);
      options.progress('run: the time of the line itself');
      const own = await measureOwnTimes(coordinator, directory, quick ? 2 : tries);
      return reportOf(done, own, quick ? 0 : takesMs);
    } finally {
      for (const [, runner] of runners) await runner.close();
    }
  } finally {
    await coordinator.close();
    daemon.stop();
    directory.remove();
  }
};

async function startAll(
  coordinator: Coordinator,
  socket: string,
  directory: ShellHome,
  { progress }: BenchmarkOptions,
): Promise<Runners> {
  const ours: Runners = [
    ['vtr run', await commandRunner(coordinator, socket, directory)],
    ['run of the library, across the socket', await callingRunner(coordinator, directory)],
  ];
  if (spawnSync('tmux', ['-V']).status !== 0) {
    progress('run: tmux is missing; nothing to compare with');
    return ours;
  }
  return [
    ...ours,
    ['tmux, shell prepared, wait-for', await preparedRunner(directory)],
    ['tmux, sentinel, capture-pane in a loop', await sentinelRunner(directory)],
  ];
}

/** A line by each, in rounds, which start with different runners. */
async function runInTurn(
  runners: Runners,
  directory: ShellHome,
  count: number,
  { progress, quick }: BenchmarkOptions,
): Promise<Tries> {
  const done = new Map(runners.map(([name]): [string, Try[]] => [name, []]));
  for (let turn = 0; turn < count; turn++) {
    if (turn % noises.length === 0) progress(`run: ${turn} of ${count} tries`);
    const first = turn % runners.length;
    for (const [name, runner] of [...runners.slice(first), ...runners.slice(0, first)]) {
      const one = await tryOnce(runner, directory, turn, quick ? 0 : takesMs);
      done.get(name)?.push(one);
      if (one.wrong !== null) progress(`run: ${name}, ${noises[one.noise]?.name}: ${one.wrong}`);
    }
  }
  return done;
}

async function tryOnce(
  runner: Runner,
  directory: ShellHome,
  turn: number,
  ownMs: number,
): Promise<Try> {
  const noise = turn % noises.length;
  // All of 0 to 255, in a mixed order.
  const exitCode = (turn * 83) % 256;
  const { typed = (command: string) => command } = noises[noise] ?? {};
  const line = typed(directory.command(noise, exitCode));
  const begin = performance.now();
  const result = await runner.run(line);
  const overMs = performance.now() - begin - ownMs;
  const { programs, bytes, output } = result;
  const isRight = result.exitCode === exitCode && isShown(output, noise);
  const wrong = isRight
    ? null
    : `${result.exitCode}, ${JSON.stringify(output.slice(-excerptLength))}`;
  return { overMs, programs, bytes, wrong, noise };
}

/** Trailing spaces do not count: not every terminal knows whether they were written. */
function isShown(output: string, noise: number): boolean {
  const { writes, shows = [writes] } = noises[noise] ?? { writes: '' };
  const trimmed = (text: string) => text.replace(/ +$/gm, '');
  return shows.some((text) => trimmed(text) === trimmed(output));
}

function reportOf(done: Tries, own: readonly OwnTimes[], ownMs: number): Report {
  const rows = [...done].map(([name, all]) => [
    name,
    percentile(
      all.map(({ overMs }) => overMs),
      0.5,
    ),
    percentile(
      all.map(({ overMs }) => overMs),
      0.99,
    ),
    median(all.map(({ programs }) => programs)),
    mean(all.map(({ bytes }) => bytes)),
    `${countWrong(all)} of ${all.length}`,
  ]);
  return {
    name: 'run',
    title: 'Running a command in a shell',
    notes: [
      `A running bash executes a command of ${ownMs} ms, and the client reads its exit code ` +
        `and its output: ${tries} times, interleaved, with exit codes of 0 to 255 and ` +
        `${noises.length} kinds of output. An answer is wrong if the exit code or any character ` +
        'of the output is wrong, except blanks at the ends of lines. Line ends count.',
      '`vtr run`: bash with shell integration, one process of the command per line. tmux, shell ' +
        'prepared: the best script that we could write for tmux. A hook in PROMPT_COMMAND captures the ' +
        'lines since the command and signals `tmux wait-for`; one client sends, waits and reads, another ' +
        'one runs in the window. tmux, sentinel: `LINE; echo SENTINEL:$?` and ' +
        '`capture-pane -J` every 100 ms. Overhead is wall-clock time minus the time of the ' +
        'command. The programs started are those of the client and those in the window, without the ' +
        'command itself and forks of the shell.',
      'Second: the library runs a line across the socket; and the same line is typed into a bash ' +
        'without integration in a pseudo-terminal of the benchmark, from Enter to the next prompt. ' +
        `In turns, ${tries} times each. The time of the command is subtracted.`,
    ],
    tables: [
      {
        columns: [
          '',
          'overhead, p50, ms',
          'overhead, p99, ms',
          'programs started',
          'bytes read',
          'wrong',
        ],
        rows,
      },
      {
        columns: ['line', 'run of the library, p50, ms', 'p99, ms', 'bash alone, p50, ms'],
        rows: own.map(({ line, vtr, bash }) => [
          line,
          percentile(vtr, 0.5),
          percentile(vtr, 0.99),
          percentile(bash, 0.5),
        ]),
      },
      ...tablesOfWrong(done),
    ],
    targets: [
      {
        what: 'wrong answers of vtr',
        bound: 'at most',
        goal: 0,
        next: 0,
        measured: countWrong([...done].slice(0, 2).flatMap(([, all]) => all)),
      },
      ...own.map(
        ({ line, vtr, ms }): Target => ({
          what: `${line}, run of the library over its own time, p50, ms`,
          bound: 'at most',
          goal: null,
          next: ms === 0 ? 4 : 5,
          measured: percentile(vtr, 0.5),
        }),
      ),
    ],
    headlines: headlinesOf(done),
  };
}

/** Compares the library with the best that tmux can do. */
function headlinesOf(done: Tries): Headline[] {
  const [, [, ours = []] = [], [against, theirs = []] = []] = done;
  if (against === undefined) return [];
  const p50 = (all: readonly Try[]) =>
    percentile(
      all.map(({ overMs }) => overMs),
      0.5,
    );
  const besides = `wrong answers: ${countWrong(ours)}, theirs ${countWrong(theirs)} of ${theirs.length}`;
  const ratio = p50(theirs) / p50(ours);
  return [
    {
      what: 'run a command: overhead of exit code and output',
      against,
      ratio,
      of: 'time',
      besides,
    },
  ];
}

/** Only the lines that a runner got wrong. */
function tablesOfWrong(done: Tries): Table[] {
  const names = [...done.keys()];
  const rows = noises.map(({ name }, noise) => [
    name,
    ...names.map((each) => countWrong((done.get(each) ?? []).filter((one) => one.noise === noise))),
  ]);
  const wrong = rows.filter(([, ...counts]) => counts.some((count) => count !== 0));
  if (wrong.length === 0) return [];
  const texts = wrong.map(([name, ...counts]) => [String(name), ...counts.map(String)]);
  return [{ columns: ['wrong answers', ...names], rows: texts }];
}

const countWrong = (all: readonly Try[]): number => all.filter((one) => one.wrong !== null).length;
