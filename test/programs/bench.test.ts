import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/root.mjs';
import { needs } from '../support/run/needs.ts';

type Cell = string | number | null;
interface Report {
  readonly name: string;
  readonly tables: readonly { readonly columns: string[]; readonly rows: Cell[][] }[];
  readonly targets: readonly { readonly what: string }[];
}

function bench(script: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, script), ...args], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

/** The reports of a quick run. It shows that each benchmark measures; the figures mean nothing. */
function quickly(...names: string[]): Report[] {
  // The built file, because `npm run bench` first checks whether it is up to date.
  const { status, stdout, stderr } = bench('build/bench/main.js', ...names, '--quick', '--json');
  expect(stderr).toContain('mean nothing');
  expect(status).toBe(0);
  return JSON.parse(stdout).reports;
}

/** The first cells of the rows, and the number of empty cells. */
const shape = ({ tables: [table] }: Report) => ({
  rows: table?.rows.map(([first]) => first),
  empty: table?.rows.flat().filter((cell) => cell === null || cell === 'NaN').length,
});

const payloads = [
  'ASCII log',
  'truecolor log',
  'dense SGR',
  'cursor motion',
  'recorded TUI',
  'CJK and emoji',
  'scroll region',
  'long lines',
];

describe('the benchmarks', () => {
  it('measure every payload at both sizes, memory, and every read, and leave the document alone', () => {
    const document = () => readFileSync(join(root, 'docs/performance.md'), 'utf8');
    const before = document();
    const [engine, memory, reads] = quickly('engine', 'memory', 'reads') as [
      Report,
      Report,
      Report,
    ];
    expect(document()).toBe(before);
    expect(shape(engine)).toEqual({ rows: [...payloads, ...payloads], empty: 0 });
    expect(engine.targets).toHaveLength(2);
    expect(shape(memory)).toEqual({
      rows: ['idle, KB', '10,000 plain lines, MB', '10,000 coloured lines, MB'],
      empty: 0,
    });
    const rows = [
      'screen as text',
      'screen as cells',
      'changed rows, 0 of 24',
      'changed rows, 1 of 24',
      'changed rows, 24 of 24',
      'changed rows, 1 of 200',
      'screen as ansi',
      'lines as text',
      'dump',
    ];
    // xterm has no changed rows, no ANSI and no dump: its time and the ratio are empty.
    expect(shape(reads)).toEqual({ rows, empty: 12 });
  });

  it('measure searches of several kinds', () => {
    const [search] = quickly('search') as [Report];
    const rows = ['literal', 'class and alternatives', 'anchored', 'without case', 'no match'];
    expect(shape(search)).toEqual({ rows, empty: 0 });
  });

  it('measure calls and events across the socket', () => {
    const [service] = quickly('service') as [Report];
    expect(shape(service)).toEqual({
      rows: [
        'info',
        'screen as text',
        'screen as cells',
        'search in 10,000 lines',
        'byte and back, 0 floods',
        'byte and back, 2 floods',
      ],
      empty: 0,
    });
  });

  it('measure waiting', () => {
    const [waiting] = quickly('waiting') as [Report];
    const rows = ['match', 'screen', 'finished', 'match, 4 KB before it'];
    expect(shape(waiting)).toEqual({ rows: [...rows, 'match, with 1,000 other waits'], empty: 0 });
    const [, asked, idle] = waiting.tables;
    expect(asked?.rows.slice(0, 4).map((row) => row[3])).toEqual([0, 0, 1, 0]);
    expect(idle?.rows.map(([waits]) => waits)).toEqual(['0', '1,000']);
  });

  needs('bash')('measure lines that are run, all of which vtr gets right', () => {
    const [run] = quickly('run') as [Report];
    const [lines] = run.tables;
    const [command, library] = lines?.rows ?? [];
    expect([command?.[0], library?.[0]]).toEqual([
      'vtr run',
      'run of the library, across the socket',
    ]);
    expect([command?.[5], library?.[5]]).toEqual(['0 of 37', '0 of 37']);
  });

  it('measure latency alone and next to floods', () => {
    const [latency] = quickly('latency') as [Report];
    const rows = ['0 floods', '1 flood', '8 floods', '8 floods, bare readers'];
    const hosted = ['0 floods, PTY host', '1 flood, PTY host', '8 floods, PTY host'];
    expect(shape(latency)).toEqual({ rows: [...rows, ...hosted], empty: 2 });
  });

  needs('tmux')('measure sessions against tmux', () => {
    const [report] = quickly('end-to-end') as [Report];
    const rows = ['ASCII log', 'recorded TUI', 'truecolor log', 'dense SGR', 'CJK and emoji'];
    expect(shape(report)).toEqual({ rows, empty: 0 });
    expect(report.targets).toHaveLength(5);
  });

  it('measure the costs of many sessions', () => {
    const [sessions] = quickly('sessions') as [Report];
    expect(shape(sessions).empty).toBe(0);
    expect(sessions.targets).toHaveLength(4);
  });

  it('measure how soon sessions can be used after a restart', () => {
    const [restart] = quickly('restart') as [Report];
    expect(shape(restart)).toEqual({ rows: ['kill -9', 'serve --restart'], empty: 0 });
    expect(restart.targets).toHaveLength(2);
  });

  it('measure the command, with and without tmux', () => {
    const [report] = quickly('command') as [Report];
    const rows = ['version', 'screen of a session', 'list of sessions', 'send text'];
    expect(shape(report).rows).toEqual([...rows, 'start and end a session']);
    expect(report.targets).toHaveLength(1);
  });

  it('[S4.17] measure writing to termcp and reading from it', () => {
    const [report] = quickly('termcp') as [Report];
    const rows = ['node-pty alone', 'the library, and a constant', 'termcp'];
    expect(shape(report)).toEqual({ rows, empty: 0 });
    expect(report.targets).toHaveLength(2);
  });

  it('measure the MCP server next to a bare one, and fetch nothing when quick', () => {
    const [mcp] = quickly('mcp') as [Report];
    const rows = ['the library, and a constant', 'vtr mcp', 'vtr mcp --embedded'];
    expect(shape(mcp)).toEqual({ rows, empty: 0 });
  });

  needs(
    'tmux',
    'vim',
    'python3',
    'curl',
  )('compare three tasks of agents with tmux', () => {
    const [mcp] = quickly('mcp') as [Report];
    const { rows = [] } = mcp.tables.at(-1) ?? {};
    expect(rows.map(([task]) => task)).toEqual(['pdb', 'vim', 'dev server']);
    for (const [, calls, callsOfTmux] of rows)
      expect(Number(calls)).toBeLessThan(Number(callsOfTmux));
    expect(mcp.targets).toHaveLength(4);
  });

  it('refuse names and flags that do not exist', () => {
    const ofNpm = (...args: string[]) => bench('scripts/bench.mjs', ...args);
    const { status, stderr } = ofNpm('speed');
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr:
        'bench: no benchmark is named speed; there are engine, memory, reads, search, end-to-end, latency, waiting, run, service, sessions, restart, command, mcp, termcp\n',
    });
    expect(ofNpm('--quick', '--write').stderr).toContain('nothing to be kept');
    expect(ofNpm('--fast').stderr).toContain('usage: npm run bench');
  });
});
