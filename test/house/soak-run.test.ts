import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/root.mjs';
import { makeDirectory, removeLeftovers } from '../../scripts/soaking/leftovers.mjs';
import { type Result, table } from '../../scripts/soaking/results.mjs';
import { failing, together } from '../../scripts/soaking/stages.mjs';
import { provided } from '../support/run/needs.ts';

const result: Result = {
  file: 'test/soak/floods.soak.ts',
  title: 'two | floods',
  state: 'passed',
  seconds: 61.24,
  tries: 1,
  load: 0.5,
  figures: { p99Ms: 12.345, count: 12_345, lostMs: 0 },
  reason: '',
};

describe('a run of soaks', () => {
  it('names tests that exist', () => {
    expect([...together, ...failing].filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('prints a line with the figures of each test, and one for each kind of the others', () => {
    const property: Result = { ...result, file: 'src/vt/laws.test.ts', figures: {} };
    const fault: Result = { ...result, file: 'test/faults/files.test.ts' };
    const rows = table([
      { ...property, seconds: 1 },
      { ...fault, seconds: 3, figures: { failures: 700 } },
      { ...fault, seconds: 4, figures: { failures: 800 } },
      { ...result, tries: 2 },
      { ...result, state: 'failed', reason: 'expected 30 to be\nless than 20' },
      { ...property, title: 'law 2', state: 'failed', seconds: 2, reason: 'wrong' },
    ]);
    expect(rows.split('\n').slice(2)).toEqual([
      '| floods | two \\| floods | p99Ms 12.3, count 12,345, lostMs 0 | 61.2 | 0.5 | passed at try 2 |',
      '| floods | two \\| floods | p99Ms 12.3, count 12,345, lostMs 0 | 61.2 | 0.5 | **failed**: expected 30 to be less than 20 |',
      '| failing calls | each call of files, sockets, terminals, programs and clocks fails in each way | tests 2, skipped 0, failures 1,500 | 7 | 0.5 | passed |',
      '| src/vt/laws.test.ts | law 2 |  | 2 | 0.5 | **failed**: wrong |',
      '| properties | laws, agreement with other terminals and fuzz, with new inputs | tests 1, skipped 0 | 1 | 0.5 | passed |',
    ]);
  });

  provided(process.platform === 'linux', 'only on Linux: reads /proc')(
    'names and ends processes that tests left, also those that ignore signals, and removes files',
    async () => {
      const directory = makeDirectory();
      writeFileSync(join(directory, 'file'), '');
      const script = "trap '' HUP TERM INT; echo ready; while :; do sleep 0.1; done";
      const child = spawn('sh', ['-c', script], { env: { ...process.env, HOME: directory } });
      const exited = once(child, 'exit');
      await once(child.stdout, 'data');
      const left = await removeLeftovers(directory, 0);
      expect(left).toContain(`process ${child.pid}: sh -c ${script}`);
      expect(left).toContain(`file ${join(directory, 'file')}`);
      expect((await exited)[1]).toBe('SIGKILL');
      expect(existsSync(directory)).toBe(false);
      const clean = makeDirectory();
      expect(await removeLeftovers(clean)).toEqual([]);
    },
  );
});
