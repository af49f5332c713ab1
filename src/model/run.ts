import type { CommandRecord } from './command.ts';
import type { ExitStatus } from './exit-status.ts';
import type { Excerpt, ReadBudget, ReadGap, ReadMark } from './read.ts';
import type { WaitOptions } from './wait.ts';

export interface RunRequest extends WaitOptions, ReadBudget {
  /** One line or several, without the final Enter. */
  readonly line: string;
  /** RE2, matched against the text left of the cursor if there is no shell integration. */
  readonly promptPattern?: string;
}

/** The result of a line that a shell ran. */
export interface RunResult {
  /**
   * `finished`: the command ended. `prompt`: there is no shell integration, and a prompt appeared
   * again. `exited`: the shell itself ended. `timed_out`: the command continues to run.
   */
  readonly outcome: 'finished' | 'prompt' | 'exited' | 'timed_out';
  /** Null without shell integration. */
  readonly command: CommandRecord | null;
  /** Null if unknown. Never a guess. */
  readonly exitCode: number | null;
  readonly output: Excerpt;
  /** Whether the output is empty or its last line has no line end. */
  readonly openEnd: boolean;
  readonly gap: ReadGap;
  /** The exit status of the session's program; null while it runs. */
  readonly exitStatus: ExitStatus | null;
  /** A mark from which the next wait or read continues. */
  readonly mark: ReadMark;
  readonly revision: number;
  /** The timeout that applied, after clamping. */
  readonly timeoutMs: number;
  readonly elapsedMs: number;
}
