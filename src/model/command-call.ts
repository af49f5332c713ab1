import type { JsonConnection } from './web.ts';

/**
 * A short command that a daemon runs for its caller: `contrib/quick/vtr.c`, which starts sooner than Node.js, or `vtr`,
 * which then loads no code of its own. What the command reads of its process is here: that of the daemon is another
 * one.
 */
export interface CommandCall {
  /** The words after `vtr`. */
  readonly words: readonly string[];
  /** The directory of the caller, absolute. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Whether the caller's stdout is a terminal. */
  readonly isTerminal: boolean;
  /** The width of that terminal; null if stdout is not one. */
  readonly columns: number | null;
  /** Whether the caller's stdout and stderr are the same file. */
  readonly sharesOutput: boolean;
  /** The process of the caller, as the system reports it, and the process that started it, as the caller says. */
  readonly pid: number;
  readonly ppid: number;
  /** The state of the program of `vtr`, as `fileState` tells it; null for another caller. */
  readonly program: string | null;
  /** The service of the daemon, for this caller. */
  readonly service: JsonConnection;
  /** Resolves when the caller receives SIGINT. */
  readonly interrupted: Promise<void>;
  /** Writes to the caller's stdout. Without effect when the caller has gone. */
  readonly out: (bytes: Uint8Array) => void;
  /** Writes to the caller's stderr. */
  readonly err: (text: string) => void;
  /** Resolves when the system has what was written, or the caller has gone. */
  readonly flushed: () => Promise<void>;
}

/**
 * Runs a command, and resolves to its exit status; null if only a process of its own can run it. In that case it has
 * written nothing, and running it again has no second effect.
 */
export type RunCommand = (call: CommandCall) => Promise<number | null>;
