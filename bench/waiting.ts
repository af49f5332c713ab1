import { spawnSync } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { type Coordinator, connect, LocalCoordinator } from 'vtr';
import type { Asker } from './asking/asker.ts';
import { questionDelayMs, questions } from './asking/questions.ts';
import { capturingAsker, signalledAsker } from './asking/tmux-askers.ts';
import { commandAsker, pollingAsker, waitingAsker } from './asking/vtr-askers.ts';
import type { Benchmark, BenchmarkOptions } from './benchmark.ts';
import { Daemon } from './measuring/daemon.ts';
import { MeasuredProcess } from './measuring/measured-process.ts';
import type { Spent } from './measuring/programs.ts';
import { mean, median, percentile } from './measuring/statistics.ts';
import type { Headline, Report, Table } from './reporting/report.ts';
import type { AnswerCost, AnswerRequest } from './tasks/answer.ts';
import type { IdleWaitsCost } from './tasks/idle-waits.ts';

type Answer = Omit<AnswerRequest, 'task'>;

/** In the order of the table. */
const answers: readonly (readonly [string, Answer])[] = [
  ['match', { awaits: 'match', linesBefore: 0, others: 0 }],
  ['screen', { awaits: 'screen', linesBefore: 0, others: 0 }],
  ['finished', { awaits: 'finished', linesBefore: 0, others: 0 }],
  ['match, 4 KB before it', { awaits: 'match', linesBefore: 45, others: 0 }],
  ['match, with 1,000 other waits', { awaits: 'match', linesBefore: 0, others: 1_000 }],
];

/** Rows of the second table: the ways to learn of the answer. */
type Asking = readonly (readonly [string, Asker])[];

interface Asked {
  readonly ms: number[];
  readonly spent: Spent[];
}

/** The delay of waits. */
export const waiting: Benchmark = async (options) => {
  const costs: AnswerCost[] = [];
  for (const [what, answer] of answers) {
    options.progress(`waiting: ${what}`);
    costs.push(await measureAnswer(answer, options));
  }
  const timings = await askAll(options);
  const delays = await measureQuestions(options);
  const idle = await measureIdle(options);
  return reportOf(costs, timings, delays, idle);
};

async function measureAnswer(answer: Answer, { quick }: BenchmarkOptions): Promise<AnswerCost> {
  const samples: AnswerCost[] = [];
  for (let round = 0; round < (quick ? 1 : 3); round++) {
    const process = new MeasuredProcess<AnswerCost>({ task: 'answer', ...answer });
    try {
      samples.push(await process.round(quick ? 5 : 1_000));
    } finally {
      await process.stop();
    }
  }
  return {
    p50Ms: median(samples.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(samples.map(({ p99Ms }) => p99Ms)),
  };
}

async function askAll({ quick, progress }: BenchmarkOptions): Promise<Map<string, Asked>> {
  const daemon = new Daemon();
  const local = new LocalCoordinator();
  const remote = await connect({ socket: daemon.socket });
  try {
    const asking = await startAll(local, remote, daemon.socket, progress);
    try {
      progress(`waiting: ${asking.length} ways to ask`);
      return await askInTurn(asking, quick ? 2 : 500);
    } finally {
      for (const [, asker] of asking) await asker.close();
    }
  } finally {
    await local.close();
    await remote.close();
    daemon.stop();
  }
}

async function startAll(
  local: Coordinator,
  remote: Coordinator,
  socket: string,
  progress: BenchmarkOptions['progress'],
): Promise<Asking> {
  const ours: Asking = [
    ['wait, in the same process', await waitingAsker(local)],
    ['wait, across the socket', await waitingAsker(remote)],
    ['vtr send --wait', await commandAsker(remote, socket)],
    ['screen every 10 ms, in the same process', await pollingAsker(local)],
  ];
  if (spawnSync('tmux', ['-V']).status !== 0) {
    progress('waiting: tmux is missing; nothing to compare with');
    return ours;
  }
  return [
    ...ours,
    ['tmux wait-for', await signalledAsker()],
    ['tmux capture-pane in a loop', await capturingAsker()],
  ];
}

/** A word by each, in rounds, which start with different askers. */
async function askInTurn(asking: Asking, turns: number): Promise<Map<string, Asked>> {
  const answers = new Map(asking.map(([what]): [string, Asked] => [what, { ms: [], spent: [] }]));
  for (let turn = 0; turn < turns; turn++) {
    const first = turn % asking.length;
    for (const [what, asker] of [...asking.slice(first), ...asking.slice(0, first)]) {
      const begin = performance.now();
      const spent = await asker.ask(`w${turn}.`);
      answers.get(what)?.ms.push(performance.now() - begin);
      answers.get(what)?.spent.push(spent);
    }
  }
  return answers;
}

/** How long after its output each question is recognised, in ms. */
async function measureQuestions({ quick, progress }: BenchmarkOptions): Promise<number[][]> {
  const coordinator = new LocalCoordinator();
  const delays = questions.map((): number[] => []);
  try {
    for (let turn = 0; turn < (quick ? 1 : 25); turn++) {
      if (turn % 5 === 0) progress(`waiting: questions, ${turn} of 25`);
      for (const [index, question] of questions.entries()) {
        delays[index]?.push(await questionDelayMs(coordinator, question));
      }
    }
  } finally {
    await coordinator.close();
  }
  return delays;
}

const idleSeconds = 10;
const idleCounts = [0, 1_000] as const;

async function measureIdle({ quick, progress }: BenchmarkOptions): Promise<IdleWaitsCost[]> {
  const costs: IdleWaitsCost[] = [];
  for (const waits of idleCounts) {
    progress(`waiting: ${waits} waits for nothing`);
    const sessions = quick ? 2 : 100;
    const process = new MeasuredProcess<IdleWaitsCost>({ task: 'idle waits', sessions, waits });
    try {
      costs.push(await process.round(quick ? 0 : idleSeconds));
    } finally {
      await process.stop();
    }
  }
  return costs;
}

function reportOf(
  costs: readonly AnswerCost[],
  timings: ReadonlyMap<string, Asked>,
  delays: readonly (readonly number[])[],
  idle: readonly IdleWaitsCost[],
): Report {
  return {
    name: 'waiting',
    title: 'Waiting',
    notes: [
      'First: from output to answer, in ms of wall-clock time from the call that delivers a ' +
        'chunk of the pseudo-terminal until the promise of the wait resolves, on an 80x24 ' +
        'screen over 10,000 lines; 1,000 times, medians of three processes. The other waits ' +
        'look for other text: ten on each of a hundred sessions, including this one.',
      'Second: from sending a line to a shell script that answers immediately, to having the ' +
        'answer, 500 times each, interleaved. The programs started are those of the client and those in ' +
        'the window; the bytes are those that the client reads. `tmux wait-for`: the script runs `tmux ' +
        'wait-for ' +
        '-S` after its answer, and a single client sends, waits and captures. The loop of ' +
        '`capture-pane` does not sleep.',
      'Third: from the output event with a question until the promise of a wait for it resolves, 25 ' +
        'times each, in the same process. The wait begins with the program.',
      `Fourth: the cost of waits while nothing happens: CPU time in ${idleSeconds} s of all ` +
        'threads of a process with 100 sessions of `cat`, and memory of the JavaScript heap and ' +
        'external buffers.',
    ],
    tables: [
      {
        columns: ['waiting for', 'p50, ms', 'p99, ms'],
        rows: costs.map(({ p50Ms, p99Ms }, at) => [answers[at]?.[0] ?? '', p50Ms, p99Ms]),
      },
      tableOfAsked(timings),
      {
        columns: ['question', 'p50, ms', 'largest, ms'],
        rows: delays.map((each, at) => [
          questions[at]?.what ?? '',
          percentile(each, 0.5),
          Math.max(...each),
        ]),
      },
      {
        columns: ['waits', `CPU time in ${idleSeconds} s, ms`, 'memory, KB per wait'],
        rows: idle.map(({ cpuMs, bytes }, at) => {
          const waits = idleCounts[at] ?? 0;
          return [waits.toLocaleString('en'), cpuMs, waits === 0 ? null : bytes / 1024 / waits];
        }),
      },
    ],
    targets: [
      {
        what: 'from output to answer, p50, the slowest, ms',
        bound: 'at most',
        goal: 0.3,
        next: 0.3,
        measured: Math.max(...costs.map(({ p50Ms }) => p50Ms)),
      },
      {
        what: 'from a question to the end of the wait, p50, the slowest, ms',
        bound: 'at most',
        goal: 60,
        next: 60,
        measured: Math.max(...delays.map((each) => percentile(each, 0.5))),
      },
    ],
    headlines: headlinesOf(timings),
  };
}

function headlinesOf(answers: ReadonlyMap<string, Asked>): Headline[] {
  const p50 = (name: string) => percentile(answers.get(name)?.ms ?? [], 0.5);
  const against = 'tmux wait-for';
  const ratio = p50(against) / p50('wait, across the socket');
  if (Number.isNaN(ratio)) return [];
  return [{ what: 'a line and its answer, across the socket', against, ratio, of: 'time' }];
}

function tableOfAsked(answers: ReadonlyMap<string, Asked>): Table {
  return {
    columns: ['line and answer', 'p50, ms', 'p99, ms', 'programs started', 'bytes read'],
    rows: [...answers].map(([what, { ms, spent }]) => [
      what,
      percentile(ms, 0.5),
      percentile(ms, 0.99),
      mean(spent.map(({ programs }) => programs)),
      mean(spent.map(({ bytes }) => bytes)),
    ]),
  };
}
