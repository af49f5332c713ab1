/**
 * What a session is doing, for whoever wants to type into it:
 * `running`: a program works; `at_prompt`: a shell asks for the next command; `awaiting_input`: a
 * program waits for a line or a key; `password`: as that, and what is typed will not be shown;
 * `full_screen`: a program has the alternate screen; `exited`.
 */
export type ActivityState =
  | 'running'
  | 'at_prompt'
  | 'awaiting_input'
  | 'password'
  | 'full_screen'
  | 'exited';

/** A state, and what is known that speaks for it; null for what this system does not tell. */
export interface Activity {
  readonly state: ActivityState;
  readonly evidence: ActivityEvidence;
  readonly revision: number;
}

export interface ActivityEvidence {
  /** What the shell's marks say last; it is at a command as well where it asks for the rest of one. */
  readonly shellMark: 'prompt' | 'command' | null;
  /** Whether the text left of the cursor looks like a prompt. */
  readonly promptPattern: boolean;
  readonly alternateScreen: boolean;
  /** The program in the terminal's foreground: its pid and name. */
  readonly foreground: { readonly pid: number; readonly name: string } | null;
  /** Whether the session's own program is the one in the foreground. */
  readonly leaderInForeground: boolean | null;
  /** Whether the terminal shows what is typed (ECHO). */
  readonly echo: boolean | null;
  /** Whether the terminal hands on whole lines (ICANON). */
  readonly canonical: boolean | null;
  /**
   * Whether the program in the foreground is blocked until the terminal has input: in a read, or in a
   * wait for that alone. Null where it waits for something else as well, and where nobody tells.
   */
  readonly readingTerminal: boolean | null;
}
