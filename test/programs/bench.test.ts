import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/root.mjs';
import { bench, quickly, type Report, shape } from '../support/command/quick-bench.ts';
import { needsSshd } from '../support/run/needs.ts';

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
      'dump of dense SGR',
    ];
    // xterm has no changed rows, no ANSI and no dumps: its time and the ratio are empty.
    expect(shape(reads)).toEqual({ rows, empty: 14 });
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
        'an empty Connect call',
        'info',
        'screen as text',
        'screen as cells',
        'search in 10,000 lines',
        'state of a program',
        'state of a program, in process',
        'byte and back, 0 floods',
        'byte and back, 2 floods',
      ],
      empty: 0,
    });
  });

  it('measure the costs of many sessions', () => {
    const [sessions] = quickly('sessions') as [Report];
    expect(shape(sessions).empty).toBe(0);
    expect(sessions.targets).toHaveLength(8);
  });

  it('measure what recording costs', () => {
    const [recording] = quickly('recording') as [Report];
    const rows = ['off', 'memory', 'file', 'file, secrets kept'];
    expect(shape(recording)).toEqual({ rows, empty: 0 });
    expect(recording.targets).toHaveLength(3);
  });

  it('measure how soon sessions can be used after a restart', () => {
    const [restart] = quickly('restart') as [Report];
    expect(shape(restart)).toEqual({ rows: ['kill -9', 'serve --restart'], empty: 0 });
    expect(restart.targets).toHaveLength(2);
  });

  it('measure the command, with and without tmux', () => {
    const [report] = quickly('command') as [Report];
    const rows = ['version', 'screen of a session', 'list of sessions', 'send text'];
    expect(shape(report).rows).toEqual([
      ...rows,
      'start and end a session',
      'start the first session and its daemon, and end both',
    ]);
    const isOfNode = ({ what }: { what: string }) => what.endsWith(': node -e 0');
    expect(report.targets.filter(isOfNode)).toHaveLength(3);
  });

  needsSshd('measure a list of sessions over ssh', () => {
    const [report] = quickly('fleet') as [Report];
    expect(shape(report)).toEqual({ rows: ['list of sessions'], empty: 0 });
    expect(report.targets).toHaveLength(1);
  });

  it('measure pictures of screens and recordings', () => {
    const [report] = quickly('pictures') as [Report];
    expect(shape(report)).toEqual({ rows: ['in process', 'vtr export', 'node -e 0'], empty: 1 });
    expect(report.tables[1]?.rows).toHaveLength(4);
    expect(report.targets).toHaveLength(6);
  });

  it('[S4.17] measure writing to termcp and reading from it', () => {
    const [report] = quickly('termcp') as [Report];
    const rows = ['node-pty alone', 'the library, and a constant', 'termcp'];
    expect(shape(report)).toEqual({ rows, empty: 0 });
    expect(report.targets).toHaveLength(2);
  });

  it('measure what it costs to follow agents', () => {
    const [report] = quickly('agents') as [Report];
    const rows = ['their output alone', 'with their state', 'the state'];
    expect(shape(report)).toEqual({ rows, empty: 0 });
    expect(report.targets).toHaveLength(1);
  });

  it('refuse names and flags that do not exist', () => {
    const ofNpm = (...args: string[]) => bench('scripts/bench.mjs', ...args);
    const { status, stderr } = ofNpm('speed');
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr:
        'bench: no benchmark is named speed; there are engine, memory, reads, search, end-to-end, latency, recording, waiting, run, service, sessions, agents, growth, restart, command, fleet, attach, web, pictures, mcp, termcp\n',
    });
    expect(ofNpm('--quick', '--write').stderr).toContain('nothing to be kept');
    expect(ofNpm('--fast').stderr).toContain('usage: npm run bench');
  });
});
