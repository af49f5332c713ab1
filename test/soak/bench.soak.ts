import { describe, expect, it } from 'vitest';
import { quickly, type Report, shape } from '../support/command/quick-bench.ts';
import { needs } from '../support/run/needs.ts';

describe('the benchmarks of processes', () => {
  it('measure waiting', () => {
    const [waiting] = quickly('waiting') as [Report];
    const rows = ['match', 'screen', 'finished', 'match, 4 KB before it'];
    expect(shape(waiting)).toEqual({ rows: [...rows, 'match, with 1,000 other waits'], empty: 0 });
    const [, table, questions, idle] = waiting.tables;
    expect(table?.rows.slice(0, 4).map((row) => row[3])).toEqual([0, 0, 1, 0]);
    expect(questions?.rows.every((row) => row.length === questions.columns.length)).toBe(true);
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
    const rows = [
      'none, a bare reader',
      '0 floods',
      '1 flood',
      '8 floods',
      '8 floods, bare readers',
    ];
    const hosted = ['0 floods, PTY host', '1 flood, PTY host', '8 floods, PTY host'];
    expect(shape(latency)).toEqual({ rows: [...rows, ...hosted], empty: 3 });
  });

  needs('tmux')('measure sessions against tmux', () => {
    const [report] = quickly('end-to-end') as [Report];
    const rows = ['ASCII log', 'recorded TUI', 'truecolor log', 'dense SGR', 'CJK and emoji'];
    expect(shape(report)).toEqual({ rows, empty: 0 });
    expect(report.targets).toHaveLength(5);
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
    expect(mcp.targets).toHaveLength(8);
  });
});
