import type { TestFailure } from '../test-failure.ts';

/** A file that was tested, once or several times. */
export interface TestResult {
  /** As given by the caller. */
  readonly file: string;
  /** How often it ran. */
  readonly runs: number;
  /** One for each run that failed, oldest first. */
  readonly failures: readonly TestFailure[];
  /** The mean duration of a run, in ms. */
  readonly durationMs: number;
}

export const hasFailed = ({ failures }: TestResult): boolean => failures.length > 0;

/** Returns how often a test failed: `failed 3 of 20 times`; empty for a test that ran once. */
export const timesText = ({ runs, failures }: TestResult): string =>
  runs === 1 ? '' : `failed ${failures.length} of ${runs} times`;

/** Returns what a failure says, without its place: the difference, and the files that it left. */
export const failureText = ({ details, left }: TestFailure): string =>
  [...(details === '' ? [] : [details]), ...left.map((path) => `see ${path}`)].join('\n');
