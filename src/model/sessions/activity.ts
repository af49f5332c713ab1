/**
 * The activity of a session:
 *
 * - `running`: a program is running.
 * - `at_prompt`: a shell, or a program inside it, shows its prompt.
 * - `awaiting_input`: a program waits for a line or a key.
 * - `password`: as `awaiting_input`, and the terminal does not echo.
 * - `full_screen`: a program uses the alternate screen.
 * - `exited`: the program has ended.
 */
export type ActivityState =
  | 'running'
  | 'at_prompt'
  | 'awaiting_input'
  | 'password'
  | 'full_screen'
  | 'exited';

export interface Activity {
  readonly state: ActivityState;
  readonly evidence: ActivityEvidence;
  /**
   * When the state began, in ms since 1970, as far as known: the last output for a prompt or a
   * question; the start of the command, the last input or the start of the session for a program
   * that runs; the exit.
   */
  readonly sinceMs: number;
  readonly revision: number;
  /** The ids of the runs that wait for a prompt, in the order in which they came. Default: none. */
  readonly waitingRuns?: readonly string[];
}

/** An activity as the coordinator of the session itself knows it. */
export interface OwnActivity extends Activity {
  /** Whether nothing but input makes the program in the foreground continue. */
  readonly isBlocked?: boolean;
  /**
   * When that program was started, in a unit that only serves to compare programs of one session; absent if
   * unknown. Process ids do not tell: the system uses them again.
   */
  readonly startedAt?: number;
  /** The name of the program that reads the terminal, of several in the foreground; absent if unknown. */
  readonly reader?: string;
  /** Its current directory, if it was asked for; null if the system does not report it. */
  readonly directory?: string | null;
}

/**
 * The evidence for an {@link ActivityState}. Fields are null if this system does not provide them.
 */
export interface ActivityEvidence {
  /**
   * The last mark of the shell; null if there is none. `command` also while the shell shows a
   * continuation prompt.
   */
  readonly shellMark: 'prompt' | 'command' | null;
  /** Whether the text left of the cursor looks like a prompt. */
  readonly promptPattern: boolean;
  readonly alternateScreen: boolean;
  /** The program in the terminal's foreground. */
  readonly foreground: { readonly pid: number; readonly name: string } | null;
  /** Whether the session's own program is in the foreground. */
  readonly leaderInForeground: boolean | null;
  /** Whether the terminal echoes input (ECHO). */
  readonly echo: boolean | null;
  /** Whether the terminal is in canonical mode (ICANON). */
  readonly canonical: boolean | null;
  /**
   * Whether the program in the foreground is blocked until the terminal has input: in a read, or in a
   * poll of the terminal alone. Null if it also waits for something else.
   */
  readonly readingTerminal: boolean | null;
  /**
   * Whether the program in the foreground waits for the terminal and for something else as well: a
   * socket, another terminal, a child. `readingTerminal` is null then.
   */
  readonly alsoWaits: boolean | null;
  /**
   * Whether the program has left an unfinished line, with the cursor behind its text. Text that was
   * typed into the line does not count.
   */
  readonly unfinishedLine: boolean;
}
