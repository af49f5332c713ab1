import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Benchmark } from './benchmark.ts';
import { measureTermcp } from './mcp/termcp-trips.ts';
import { medianRatio, percentile } from './measuring/statistics.ts';

/** The two benchmarks of the termcp design: a write of 1 KB, and a read of output. */
export const termcp: Benchmark = async ({ quick, progress }) => {
  progress('termcp: writing and reading');
  const directory = mkdtempSync(join(tmpdir(), 'vtr-bench-'));
  const trips = await measureTermcp({ directory }, quick ? 2 : 500).finally(() => {
    rmSync(directory, { recursive: true, force: true });
  });
  const [, bare, own] = trips;
  return {
    name: 'termcp',
    title: 'termcp',
    notes: [
      '1 KB is written to a program that discards it (`write_stdin`), and to one that echoes ' +
        'it, until all of it has been read (`write_stdin`, then `read_output` without waiting, ' +
        'repeated). Wall-clock time in ms, 500 times each, interleaved. node-pty alone runs in ' +
        'the measuring process, has no protocol, and does not report when the kernel has ' +
        'accepted its input. The library, and a constant: the same calls to servers that answer ' +
        'immediately and have no terminal.',
    ],
    tables: [
      {
        columns: ['1 KB, ms', 'written, p50', 'p99', 'written and read, p50', 'p99'],
        rows: trips.map(({ name, writeMs, echoMs }) => [
          name,
          percentile(writeMs, 0.5),
          percentile(writeMs, 0.99),
          percentile(echoMs, 0.5),
          percentile(echoMs, 0.99),
        ]),
      },
    ],
    targets: [
      {
        what: 'written, p50, termcp : the library',
        bound: 'at most',
        goal: null,
        next: 2,
        measured: medianRatio(own?.writeMs ?? [], bare?.writeMs ?? []),
      },
      {
        what: 'written and read, p50, termcp : the library',
        bound: 'at most',
        goal: null,
        next: 3,
        measured: medianRatio(own?.echoMs ?? [], bare?.echoMs ?? []),
      },
    ],
  };
};
