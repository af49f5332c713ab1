import type { CommandRecord } from './command.ts';
import type { ExitStatus } from './exit-status.ts';
import type { Excerpt, ReadBudget, ReadGap, ReadMark } from './read.ts';
import type { WaitOptions } from './wait.ts';

export interface RunRequest extends WaitOptions, ReadBudget {
  /** One line or several, without the Enter at the end. */
  readonly line: string;
  /** RE2, for the text left of the cursor where there is no integration. */
  readonly promptPattern?: string;
}

/** What became of a line that was run. */
export interface RunResult {
  /**
   * `finished`: the command ended. `prompt`: there is no integration, and what looks like a prompt is
   * there again. `exited`: the shell itself ended. `timed_out`: it runs on.
   */
  readonly outcome: 'finished' | 'prompt' | 'exited' | 'timed_out';
  /** Null without integration. */
  readonly command: CommandRecord | null;
  /** Null where it is not known: never a guess. */
  readonly exitCode: number | null;
  readonly output: Excerpt;
  /** As of {@link CommandOutput}. */
  readonly openEnd: boolean;
  readonly gap: ReadGap;
  /** Of the session's program, where it has ended. */
  readonly exitStatus: ExitStatus | null;
  readonly mark: ReadMark;
  readonly revision: number;
  readonly timeoutMs: number;
  readonly elapsedMs: number;
}
