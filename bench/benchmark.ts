import type { Report } from './reporting/report.ts';

export interface BenchmarkOptions {
  /** One short round: checks that it runs; the figures mean nothing. */
  readonly quick: boolean;
  /** Reports the progress to the user. */
  readonly progress: (message: string) => void;
}

/** A benchmark of docs/performance.md. */
export type Benchmark = (options: BenchmarkOptions) => Promise<Report>;
