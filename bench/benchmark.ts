import type { Report } from './reporting/report.ts';

export interface BenchmarkOptions {
  /** One round of little: shows that it runs, and measures nothing. */
  readonly quick: boolean;
  /** Tells a person who waits how far it is. */
  readonly progress: (message: string) => void;
}

/** One of the measurements of docs/performance.md. */
export type Benchmark = (options: BenchmarkOptions) => Promise<Report>;
