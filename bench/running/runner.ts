import type { Spent } from '../measuring/programs.ts';

/** What became of a line, as whoever ran it was told. */
export interface Told {
  /** Null where nobody said. */
  readonly exitCode: number | null;
  readonly output: string;
}

/** Has a shell that is there already run lines. */
export interface Runner {
  run(line: string): Promise<Told & Spent>;
  close(): Promise<void>;
}

/** Where the shell of a runner lives. */
export interface ShellPlace {
  /** Its home, and where it starts. */
  readonly folder: string;
  /** Added to its environment. */
  readonly env: Readonly<Record<string, string>>;
}

export const size = { cols: 80, rows: 24 };
