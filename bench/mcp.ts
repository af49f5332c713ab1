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

/** What `vtr mcp` costs its host: time for a call, time to the first answer, tokens. */
export const mcp: Benchmark = async ({ quick, progress }) => {
  const place = { folder: mkdtempSync(join(tmpdir(), 'vtr-bench-')) };
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
    const vtr = new Programs({ HOME: place.folder });
    const socket = join(place.folder, 'vtr.sock');
    await vtr.run(process.execPath, vtrFile, 'serve', '--stop', '--socket', socket);
    rmSync(place.folder, { recursive: true, force: true });
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
      'First, a call over stdio from the line written to the line read, in ms by the clock, 500 times each ' +
        'in turns. `terminal__list_sessions` lists one session; `terminal__send` types a line to a program ' +
        'that writes it back, and reads what is new when it has come. Beside them a server of the same ' +
        'library with one tool that answers the same text at once: what is more than that is ours, the ' +
        'daemon, the terminal and the program in it. Most of it is the field `state`: for the modes of the ' +
        'terminal a program is run, as there is no other way to ask for them (docs/adr/0030).',
      'Second, from the start of a process to its answer to `tools/list`, 31 times each in turns. The bare ' +
        'server loads the library from node_modules, as servers do.',
      'Third, tokens (o200k_base) of what hosts show to their models: of a result the structured content, ' +
        'where there is one. desktop-commander runs programs without a terminal. mcp-shell-server gives the ' +
        'bytes that vim wrote, not its screen, and 20 lines of an output unless it is asked for more.',
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
