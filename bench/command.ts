import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Benchmark } from './benchmark.ts';
import { compare } from './measuring/compare.ts';
import { median, medianRatio } from './measuring/statistics.ts';
import type { Headline, Report, Target } from './reporting/report.ts';
import { repositoryRoot } from './repository-root.ts';
import type { CommandRequest } from './tasks/command.ts';

type Commands = CommandRequest['commands'];

/** An action of a script with each of the two commands. */
interface Row {
  readonly what: string;
  readonly vtr: Commands;
  readonly tmux: Commands;
  /** Without a daemon, which its first command starts and its last one ends. */
  readonly isCold?: true;
}

const node = process.execPath;
const vtr = (...words: readonly string[]) =>
  [node, join(repositoryRoot, 'dist/vtr.cjs'), ...words] as const;
const tmux = (...words: readonly string[]) =>
  ['tmux', '-L', 'bench', '-f', '/dev/null', ...words] as const;
/** With another server each time: the one before may still be ending. */
const coldTmux =
  'tmux -L cold$$ -f /dev/null new-session -d cat && tmux -L cold$$ -f /dev/null kill-server';

/** A session of both, in addition to the one that is started and ended. */
const name = 'shown';

const rows: readonly Row[] = [
  { what: 'version', vtr: [vtr('--version')], tmux: [['tmux', '-V']] },
  {
    what: 'screen of a session',
    vtr: [vtr('screen', name)],
    tmux: [tmux('capture-pane', '-p', '-t', name)],
  },
  { what: 'list of sessions', vtr: [vtr('ls')], tmux: [tmux('list-sessions')] },
  { what: 'send text', vtr: [vtr('send', name, 'x')], tmux: [tmux('send-keys', '-t', name, 'x')] },
  {
    what: 'start and end a session',
    vtr: [vtr('spawn', 'new', '--', 'cat'), vtr('rm', 'new', '--force')],
    tmux: [tmux('new-session', '-d', '-s', 'new', 'cat'), tmux('kill-session', '-t', 'new')],
  },
  {
    what: 'start the first session and its daemon, and end both',
    vtr: [vtr('spawn', 'new', '--', 'cat'), vtr('serve', '--stop')],
    tmux: [['sh', '-c', coldTmux]],
    isCold: true,
  },
];

/** What must take little longer than the start of Node.js. */
const short: ReadonlySet<string> = new Set([
  'screen of a session',
  'list of sessions',
  'send text',
]);

/** The `vtr` command as scripts use it, compared with an empty Node program and with tmux. */
export const command: Benchmark = async ({ quick, progress }) => {
  const directory = mkdtempSync(join(tmpdir(), 'vtr-bench-'));
  const env = {
    VTR_SOCKET: join(directory, 'vtr.sock'),
    HOME: directory,
    TMUX_TMPDIR: directory,
    TMUX: '',
  };
  const run = (program: string, ...args: readonly string[]) =>
    spawnSync(program, args, { env: { ...process.env, ...env }, encoding: 'utf8' }).status === 0;
  const isCompiled = run(...vtr('quick', 'install', directory));
  if (!isCompiled) progress('command: the compiled vtr is missing, because there is no C compiler');
  const quickVtr = join(directory, 'vtr');
  const hasTmux = run(...tmux('new-session', '-d', '-s', name, 'cat'));
  if (!hasTmux) progress('command: tmux is missing; nothing to compare with');
  const effort = { rounds: quick ? 1 : 15, secondsPerRound: quick ? 0 : 0.3 };
  const coldEnv = { ...env, VTR_SOCKET: join(directory, 'cold.sock') };
  const measured: Measured[] = [];
  try {
    if (!run(...vtr('spawn', name, '--', 'cat'))) throw new Error('vtr spawn failed');
    for (const row of rows) {
      progress(`command: ${row.what}`);
      const task = (commands: Commands) =>
        ({ task: 'command', commands, env: row.isCold ? coldEnv : env }) as const;
      const tasks: [string, CommandRequest][] = [
        ['node', task([[node, '-e', '0']])],
        ['vtr', task(row.vtr)],
      ];
      if (isCompiled) tasks.push(['compiled', task(row.vtr.map(compiledFrom(quickVtr)))]);
      if (hasTmux) tasks.push(['tmux', task(row.tmux)]);
      const {
        node: bare = [],
        vtr: ours = [],
        ...rest
      } = await compare(Object.fromEntries(tasks), effort);
      const costs: Costs = { node: bare, vtr: ours, ...rest };
      measured.push({ what: row.what, costs });
    }
  } finally {
    run(...vtr('serve', '--stop'));
    if (hasTmux) run(...tmux('kill-server'));
    rmSync(directory, { recursive: true, force: true });
  }
  return reportOf(measured);
};

/** The same command, by the client that `vtr quick install` compiles. */
const compiledFrom =
  (program: string) =>
  ([, , ...words]: Commands[number]): Commands[number] => [program, ...words];

interface Costs {
  readonly node: number[];
  readonly vtr: number[];
  /** By the client that `vtr quick install` compiles. */
  readonly compiled?: number[];
  readonly tmux?: number[];
}

interface Measured {
  readonly what: string;
  readonly costs: Costs;
}

const ms = (seconds: readonly number[] | undefined): number | null =>
  seconds === undefined ? null : median(seconds) * 1000;

function headlinesOf({ costs: { node, vtr, compiled, tmux } }: Measured): Headline[] {
  const screen = '`vtr screen`, from start to end';
  const quick = '`vtr screen`, compiled by `vtr quick install`';
  const against = '`tmux capture-pane`';
  const row = (what: string, against: string, ours?: number[], theirs?: number[]): Headline[] =>
    ours === undefined || theirs === undefined
      ? []
      : [{ what, against, ratio: medianRatio(theirs, ours), of: 'time' }];
  return [
    ...row(screen, '`node -e 0`', vtr, node),
    ...row(screen, against, vtr, tmux),
    ...row(quick, against, compiled, tmux),
  ];
}

function targetsOf({ what, costs: { vtr, node, compiled, tmux } }: Measured): Target[] {
  const most = (against: string, goal: number | null, next: number, measured: number): Target => ({
    what: `${what}${against}`,
    bound: 'at most',
    goal,
    next,
    measured,
  });
  const ofNode = most(' : node -e 0', 1.6, 1.4, medianRatio(vtr, node));
  if (compiled === undefined || tmux === undefined) return [ofNode];
  return [ofNode, most(', compiled : tmux', null, 1.6, medianRatio(compiled, tmux))];
}

function reportOf(measured: readonly Measured[]): Report {
  const screen = measured.find(({ what }) => what === 'screen of a session');
  return {
    name: 'command',
    title: 'The vtr command',
    notes: [
      'Wall-clock time in ms from the start of a process to its end, with a running daemon, except in the ' +
        'last row. ' +
        '`node -e 0` is Node.js that does nothing. NODE_EXTRA_CA_CERTS is not set: it alone ' +
        'adds about 30 ms to each start of Node.js 20. tmux: the corresponding command of tmux, with a ' +
        'server of its own and no configuration. vtr, compiled: the client in C that `vtr quick ' +
        'install` makes. Medians of fifteen interleaved rounds; ratios are ' +
        'medians ' +
        'of the ratios of each round.',
    ],
    tables: [
      {
        columns: [
          'what',
          'node -e 0',
          'vtr',
          'vtr : node',
          'vtr, compiled',
          'tmux',
          'compiled : tmux',
        ],
        rows: measured.map(({ what, costs }) => [
          what,
          ms(costs.node),
          ms(costs.vtr),
          medianRatio(costs.vtr, costs.node),
          ms(costs.compiled),
          ms(costs.tmux),
          costs.compiled === undefined || costs.tmux === undefined
            ? null
            : medianRatio(costs.compiled, costs.tmux),
        ]),
      },
    ],
    headlines: screen === undefined ? [] : headlinesOf(screen),
    targets: measured.filter(({ what }) => short.has(what)).flatMap(targetsOf),
  };
}
