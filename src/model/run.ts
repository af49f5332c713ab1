import type { Menu } from './activity.ts';
import type { CommandOutputRequest, CommandRecord } from './command.ts';
import type { PersonTyped, Sender } from './driver.ts';
import type { ExitStatus } from './lifetime.ts';
import type { Excerpt, ReadBudget, ReadGap, ReadMark, Redacted, RedactRequest } from './read.ts';
import type { WaitOptions, WaitResult } from './wait.ts';

export interface RunRequest extends WaitOptions, ReadBudget, Sender, RedactRequest {
  /** One line or several, without the final Enter. */
  readonly line: string;
  /**
   * RE2, matched against the text left of the cursor. Outranks marks that report a running command.
   * Default: the prompt of the program that reads the terminal; where that is unknown, the default
   * pattern.
   */
  readonly promptPattern?: string;
  /**
   * Without a budget, at most this much of the output of a command, from its beginning, in bytes;
   * {@link CommandOutputRequest.skipLines} reads the rest. Default: all of it.
   */
  readonly firstBytes?: number;
  /** Whether the run ends when the program waits for input. Default: true. */
  readonly asks?: boolean;
  /**
   * Whether a shell that does not mark its commands, such as one behind ssh, may be asked for the exit status by a
   * line of ours, which leaves no trace on the screen. Default: true.
   */
  readonly query?: boolean;
  /** Returns as soon as the line has started, with the outcome `detached`. Default: false. */
  readonly detach?: boolean;
  /**
   * As {@link SendOptions.inputId}. A repeat types nothing that was typed: it waits for the
   * command of the first.
   */
  readonly inputId?: string;
  /**
   * Called after a wait for the prompt, before anything is typed: nothing is if it fails. `signal` may be
   * aborted later, if it depends on what this process has not read yet.
   */
  readonly beforeTyping?: () => Promise<void>;
}

/** The result of a line that a shell ran. */
export interface RunResult extends Redacted {
  /**
   * `finished`: the command ended, or the line ended the program at whose prompt it was typed, which
   * is a command of the shell. `prompt`: the prompt is not marked by a shell, or by unverified marks,
   * and is shown again.
   * `awaiting_input`, `password`: the program waits for input, and continues. `exited`: the shell
   * itself ended. `timed_out`, `detached`: the command continues to run. `interrupted`: a person typed before all of
   * the line was typed, and the rest was not.
   */
  readonly outcome:
    | 'finished'
    | 'prompt'
    | 'awaiting_input'
    | 'password'
    | 'exited'
    | 'timed_out'
    | 'detached'
    | 'interrupted';
  /** As in {@link WaitResult}. */
  readonly question?: string;
  readonly menu?: Menu;
  /** See {@link WaitResult.guess}. */
  readonly guess?: WaitResult['guess'];
  /** Null if the shell does not mark its commands. */
  readonly command: CommandRecord | null;
  /** Null if unknown. Never a guess. If `command.unverified`, as the marks report it. */
  readonly exitCode: number | null;
  /**
   * How `exitCode` is known. `marks`: the shell reported it, with proof. `unverified_marks`: without proof. `query`:
   * the shell was asked for it after the line. Absent if it is unknown.
   */
  readonly statusFrom?: 'marks' | 'unverified_marks' | 'query';
  /**
   * The program that waits for input. After `prompt`: the program that shows its prompt again, if it is known not to
   * be a shell; it reports no exit status. Absent if unknown.
   */
  readonly program?: string;
  /** Whether the program shows a continuation prompt: it waits for the rest of a command. Default: false. */
  readonly asksForRest?: boolean;
  /** Whether this is the first run of the session that ended at the prompt of a program other than a shell. */
  readonly isFirstAtProgram?: boolean;
  readonly output: Excerpt;
  /**
   * Where the output is from. `lines`: the lines that the program wrote. `screen`: the new rows of a
   * program that repaints its screen, such as tmux, or what a pager shows for a command that has written no
   * lines. Default: `lines`.
   */
  readonly source?: 'lines' | 'screen';
  /**
   * Whether the output may be incomplete, or the line may still run: the system does not report
   * whether the program that shows the prompt waits for input (ssh), or rows have left the screen.
   */
  readonly incomplete?: boolean;
  /** Whether the output is empty or its last line has no line end. */
  readonly openEnd: boolean;
  readonly gap: ReadGap;
  /** The exit status of the session's program; null while it runs. */
  readonly exitStatus: ExitStatus | null;
  /** A mark from which the next wait or read continues. */
  readonly mark: ReadMark;
  readonly revision: number;
  /**
   * Set if a person has typed, or taken the session, since the call: the output and the exit status may be by that.
   * The first one, if there were several.
   */
  readonly person?: PersonTyped;
  /** See {@link SendResult.driverEpoch}. */
  readonly driverEpoch?: number;
  /** The timeout that applied, after clamping. */
  readonly timeoutMs: number;
  readonly elapsedMs: number;
}
