import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'vitest';
import { root } from '../../../scripts/root.mjs';
import { sharedCache } from './vtr-command.ts';

type Cell = string | number | null;
export interface Report {
  readonly name: string;
  readonly tables: readonly { readonly columns: string[]; readonly rows: Cell[][] }[];
  readonly targets: readonly { readonly what: string }[];
}

/** Runs a script of the benchmarks. */
export function bench(script: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, script), ...args], {
    encoding: 'utf8',
    env: { ...process.env, XDG_CACHE_HOME: sharedCache },
  });
  return { status, stdout, stderr };
}

/** The reports of a quick run. It shows that each benchmark measures; the figures mean nothing. */
export function quickly(...names: string[]): Report[] {
  // The built file, because `npm run bench` first checks whether it is up to date.
  const { status, stdout, stderr } = bench('build/bench/main.js', ...names, '--quick', '--json');
  expect(stderr).toContain('mean nothing');
  expect(status).toBe(0);
  return JSON.parse(stdout).reports;
}

/** The first cells of the rows, and the number of empty cells. */
export const shape = ({ tables: [table] }: Report) => ({
  rows: table?.rows.map(([first]) => first),
  empty: table?.rows.flat().filter((cell) => cell === null || cell === 'NaN').length,
});
