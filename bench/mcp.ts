import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Benchmark } from './benchmark.ts';
import { type FirstAnswers, measureFirstAnswers } from './mcp/first-answers.ts';
import { installPeers } from './mcp/peer-packages.ts';
import { measureRoundTrips, type RoundTrips } from './mcp/round-trips.ts';
import { vtrFile } from './mcp/servers.ts';
import { jobs, measureTokens, type TokenCosts } from './mcp/token-costs.ts';
import { Programs } from './measuring/programs.ts';
import { median, medianRatio, percentile } from './measuring/statistics.ts';
import type { Report, Table } from './reporting/report.ts';

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
    return reportOf(trips, answers, tokens);
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
): Report {
  const [, bareStart, vtrStart] = answers;
  return {
    name: 'mcp',
    title: 'The MCP server',
    notes: [
      'First: a call over stdio, from the line written to the line read, in ms of wall-clock ' +
        'time, 500 times each, interleaved. `terminal__list_sessions` lists one session. ' +
        '`terminal__send` types a line to a program that echoes it, and reads the new output ' +
        'when it has arrived. For comparison: a server of the same library with one tool that ' +
        'returns the same text immediately. The difference is the cost of vtr: the daemon, the ' +
        'terminal and the program in it. Most of it is the field `state`: reading the modes of ' +
        'the terminal requires running a program.',
      'Second: from the start of a process to its answer to `tools/list`, 31 times each, ' +
        'interleaved. The server for comparison loads the library from node_modules, as servers ' +
        'do.',
      'Third: tokens (o200k_base) of the part of a result that hosts show to their models: ' +
        'the structured content, if there is any. desktop-commander runs programs without a ' +
        'terminal. mcp-shell-server returns the bytes that vim wrote, not its screen, and by ' +
        'default 20 lines of output.',
    ],
    tables: [
      {
        columns: ['call, ms', 'list, p50', 'list, p99', 'send and read, p50', 'p99'],
        rows: trips.map(({ name, listMs, echoMs }) => [
          name,
          percentile(listMs, 0.5),
          percentile(listMs, 0.99),
          percentile(echoMs, 0.5),
          percentile(echoMs, 0.99),
        ]),
      },
      {
        columns: ['to the first answer', 'median, ms'],
        rows: answers.map(({ name, ms }) => [name, median(ms)]),
      },
      ...tablesOfTokens(tokens),
    ],
    targets: [
      {
        what: 'to the first answer, vtr mcp : the library',
        bound: 'at most',
        wanted: 1.2,
        next: 1,
        measured: medianRatio(vtrStart?.ms ?? [], bareStart?.ms ?? []),
      },
    ],
  };
}

function tablesOfTokens(costs: readonly TokenCosts[]): Table[] {
  if (costs.length === 0) return [];
  const rows = jobs.map(([job, what]) => [
    what,
    ...costs.map(({ tokens }) => tokens[job]?.toLocaleString('en') ?? null),
  ]);
  return [{ columns: ['tokens', ...costs.map(({ name }) => name)], rows }];
}
