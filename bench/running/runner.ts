import type { Spent } from '../measuring/programs.ts';

/** The result of a line, as its runner reports it. */
export interface Told {
  /** Null when it is not reported. */
  readonly exitCode: number | null;
  readonly output: string;
}

/** Runs lines in an existing shell. */
export interface Runner {
  run(line: string): Promise<Told & Spent>;
  close(): Promise<void>;
}

/** The surroundings of the shell of a runner. */
export interface ShellPlace {
  /** Its home and working directory. */
  readonly directory: string;
  /** Added to its environment. */
  readonly env: Readonly<Record<string, string>>;
}

export const size = { cols: 80, rows: 24 };
