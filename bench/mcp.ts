import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Benchmark } from './benchmark.ts';
import { type AgentTaskCosts, measureAgentTasks } from './mcp/agent-tasks.ts';
import { type FirstAnswers, measureFirstAnswers } from './mcp/first-answers.ts';
import { installPeers } from './mcp/peer-packages.ts';
import { measureRoundTrips, type RoundTrips } from './mcp/round-trips.ts';
import { vtrFile } from './mcp/servers.ts';
import { jobs, measureTokens, type TokenCosts } from './mcp/token-costs.ts';
import { Programs } from './measuring/programs.ts';
import { median, medianRatio, percentile } from './measuring/statistics.ts';
import type { Headline, Report, Table, Target } from './reporting/report.ts';

/** The costs of `vtr mcp` for its host: time of a call, time to the first answer, tokens. */
export const mcp: Benchmark = async ({ quick, progress }) => {
  const place = { directory: mkdtempSync(join(tmpdir(), 'vtr-bench-')) };
  try {
    progress('mcp: round trips');
    const trips = await measureRoundTrips(place, quick ? 2 : 500);
    progress('mcp: first answers');
    const answers = await measureFirstAnswers(place, quick ? 1 : 31);
    const peers = quick ? null : await installPeers(progress);
    if (peers !== null) progress('mcp: tokens');
    const tokens = peers === null ? [] : await measureTokens(place, peers);
    progress('mcp: tasks of agents');
    const tasks = await measureAgentTasks(place, peers);
    return reportOf(trips, answers, tokens, tasks);
  } finally {
    const vtr = new Programs({ HOME: place.directory });
    const socket = join(place.directory, 'vtr.sock');
    await vtr.run(process.execPath, vtrFile, 'serve', '--stop', '--socket', socket);
    rmSync(place.directory, { recursive: true, force: true });
  }
};

function reportOf(
  trips: readonly RoundTrips[],
  answers: readonly FirstAnswers[],
  tokens: readonly TokenCosts[],
  tasks: readonly AgentTaskCosts[],
): Report {
  const [, bareStart, vtrStart] = answers;
  return {
    name: 'mcp',
    title: 'The MCP server',
    notes: [
      'First: a call over stdio, from the line written to the line read, in ms of wall-clock ' +
        'time, 500 times each, interleaved. `terminal__list_sessions` lists one session. ' +
        '`terminal__send` types a line to a program that answers it, and reads the new output ' +
        'when it has arrived. For comparison: a server of the same library with one tool that ' +
        'returns the same text immediately. The difference is the cost of vtr: the daemon, its PTY ' +
        'host, the terminal and the program in it.',
      'Second: from the start of a process to its answer to `tools/list`, 31 times each, ' +
        'interleaved. The server for comparison loads the library from node_modules, as servers ' +
        'do.',
      'Third: tokens (o200k_base) of the part of a result that hosts show to their models: ' +
        'the structured content, if there is any. desktop-commander runs programs without a ' +
        'terminal. mcp-shell-server returns the bytes that vim wrote, not its screen, and by ' +
        'default 20 lines of output.',
      'Fourth: three tasks as scripted conversations: calls, characters that the model reads, and ' +
        'tokens that it reads and writes. pdb: start; break, continue, print two variables, step, ' +
        'continue, quit. vim: open, change three lines, save. Dev server, which starts in 0.5 s: ' +
        'start it, wait for its line, request from another session, read its log, stop it, read ' +
        'its status. The tmux script sends keys and captures the screen every 200 ms until it shows ' +
        'the expected text. With the full answers of earlier ' +
        'versions, vtr took 2,704, 1,885 and 1,281 characters for these tasks, and 322 for a send with ' +
        'a read, not counting its text.',
    ],
    tables: [
      {
        columns: ['call, ms', 'list, p50', 'list, p99', 'send and read, p50', 'p99'],
        rows: trips.map(({ name, listMs, sendMs }) => [
          name,
          percentile(listMs, 0.5),
          percentile(listMs, 0.99),
          percentile(sendMs, 0.5),
          percentile(sendMs, 0.99),
        ]),
      },
      {
        columns: ['to the first answer', 'median, ms'],
        rows: answers.map(({ name, ms }) => [name, median(ms)]),
      },
      ...tablesOfTokens(tokens),
      ...tablesOfTasks(tasks),
    ],
    headlines: [...headlinesOfTrips(trips), ...headlinesOfTokens(tokens)],
    targets: [
      {
        what: 'to the first answer, vtr mcp : the library',
        bound: 'at most',
        goal: 1.2,
        next: 1,
        measured: medianRatio(vtrStart?.ms ?? [], bareStart?.ms ?? []),
      },
      ...targetsOfTrips(trips),
      ...targetsOfTokens(tokens),
      ...targetsOfTasks(tasks),
    ],
  };
}

/** Calls, against a server that does nothing. */
function headlinesOfTrips([bare, vtr]: readonly RoundTrips[]): Headline[] {
  if (bare === undefined || vtr === undefined) return [];
  const p50 = ({ listMs }: RoundTrips) => percentile(listMs, 0.5);
  const against = 'a server of the same library, with one tool that does nothing';
  return [{ what: 'MCP: `list_sessions`', against, ratio: p50(bare) / p50(vtr), of: 'time' }];
}

function targetsOfTrips([bare, daemon, embedded]: readonly RoundTrips[]): Target[] {
  const p50 = (of: 'listMs' | 'sendMs', trips: RoundTrips | undefined) =>
    percentile(trips?.[of] ?? [], 0.5);
  const most = (what: string, next: number, measured: number): Target => ({
    what,
    bound: 'at most',
    goal: null,
    next,
    measured,
  });
  return [
    most('list, p50, vtr mcp : the library', 2, p50('listMs', daemon) / p50('listMs', bare)),
    most(
      'send and read, p50, vtr mcp : the library',
      2.5,
      p50('sendMs', daemon) / p50('sendMs', bare),
    ),
    most('send and read, p50, vtr mcp, ms', 5, p50('sendMs', daemon)),
    most('send and read, p50, vtr mcp --embedded, ms', 2, p50('sendMs', embedded)),
  ];
}

function headlinesOfTokens([vtr, ...peers]: readonly TokenCosts[]): Headline[] {
  const ours = vtr?.tokens.tools ?? null;
  return peers.flatMap(({ name, tokens: { tools: theirs = null } }) =>
    ours === null || theirs === null
      ? []
      : [{ what: 'MCP: tokens of `tools/list`', against: name, ratio: theirs / ours, of: 'size' }],
  );
}

function tablesOfTokens(costs: readonly TokenCosts[]): Table[] {
  if (costs.length === 0) return [];
  const rows = jobs.map(([job, what]) => [
    what,
    ...costs.map(({ tokens }) => tokens[job]?.toLocaleString('en') ?? null),
  ]);
  return [{ columns: ['tokens', ...costs.map(({ name }) => name)], rows }];
}

function targetsOfTokens([vtr]: readonly TokenCosts[]): Target[] {
  const { tools = null, inputs = null } = vtr?.tokens ?? {};
  if (tools === null || inputs === null) return [];
  return [
    { what: 'tokens of tools/list', bound: 'at most', goal: 3_000, next: 3_000, measured: tools },
    {
      what: 'tokens of tools/list without output schemas',
      bound: 'at most',
      goal: 2_000,
      next: 2_000,
      measured: inputs,
    },
  ];
}

function tablesOfTasks(tasks: readonly AgentTaskCosts[]): Table[] {
  if (tasks.length === 0) return [];
  const columns = ['task', 'calls', 'characters', 'tokens'].flatMap((what, index) =>
    index === 0 ? [what] : [`${what}, vtr mcp`, `${what}, tmux`],
  );
  const rows = tasks.map(({ task, vtr, tmux }) => [
    task,
    ...([grouped(vtr.calls), grouped(tmux?.calls)] as const),
    ...([grouped(vtr.characters), grouped(tmux?.characters)] as const),
    ...([grouped(vtr.tokens), grouped(tmux?.tokens)] as const),
  ]);
  return [{ columns, rows }];
}

const grouped = (count: number | null | undefined): string | null =>
  count?.toLocaleString('en') ?? null;

/** Without tmux there is nothing to compare. */
function targetsOfTasks(tasks: readonly AgentTaskCosts[]): Target[] {
  const compared = tasks.flatMap(({ vtr, tmux }) => (tmux === null ? [] : [{ vtr, tmux }]));
  if (compared.length === 0) return [];
  const ratio = (of: 'calls' | 'characters') =>
    Math.max(...compared.map(({ vtr, tmux }) => vtr[of] / tmux[of]));
  return [
    {
      what: 'calls, vtr mcp : tmux, the largest of the tasks',
      bound: 'at most',
      goal: 0.5,
      next: 0.5,
      measured: ratio('calls'),
    },
    {
      what: 'characters, vtr mcp : tmux, the largest of the tasks',
      bound: 'at most',
      goal: 1,
      next: 0.8,
      measured: ratio('characters'),
    },
    {
      what: 'characters of a send with a read without its text, median',
      bound: 'at most',
      goal: 100,
      next: 90,
      measured: median(tasks.flatMap(({ overheads }) => overheads)),
    },
  ];
}
