import type { Size } from './cell.ts';
import type { CancelSignal } from './wait.ts';

/** One call of the command `tmux`. */
export interface TmuxRequest {
  /** The path that tmux would use as its socket: it names the server, and nothing listens there. */
  readonly socketPath: string;
  /** The words after the global flags; none means `new-session`. */
  readonly words: readonly string[];
  readonly cwd: string;
  /** The environment of the caller, of which new programs get a copy. */
  readonly env: Readonly<Record<string, string>>;
  /** Configuration to read if this call starts the server; absent: the user's own. */
  readonly configFiles?: readonly string[];
  /** The size of the caller's terminal; absent without one. */
  readonly size?: Size;
  /** What the caller's standard input contains, if a word is `-`. */
  readonly input?: string;
  /** The caller's process. */
  readonly pid: number;
  /** Begins control mode (`-C`): the words are its first command. */
  readonly control?: boolean;
}

/** A result of {@link TmuxRequest}. */
export interface TmuxAnswer {
  readonly stdout: string;
  /** Messages, each with its line end. */
  readonly stderr: string;
  /** The exit status of the command. */
  readonly status: number;
  /** The name of the vtr session that the caller's terminal should show. */
  readonly attach?: string;
  /** The id of the control client that was begun. */
  readonly controlId?: string;
}

/** What a control client gets next. */
export interface TmuxControlAnswer {
  readonly output: string;
  /** Whether the client has ended. */
  readonly ended: boolean;
}

/** The servers that answer the command `tmux`, in the process of a coordinator. */
export interface TmuxCalls {
  /** Runs the commands of a call. Failures of commands are answers. @param signal the caller has gone */
  run(request: TmuxRequest, signal: CancelSignal): Promise<TmuxAnswer>;
  /**
   * Runs lines of a control client; without lines, waits for its next output.
   *
   * @param signal the caller has gone: a client that no longer takes its output ends
   */
  control(
    id: string,
    lines: readonly string[] | null,
    signal: CancelSignal,
  ): Promise<TmuxControlAnswer>;
}
