import type { CallerEnvironment, EnvironmentMode } from './environment.ts';
import type { SessionInfo } from './session.ts';
import type { WaitRequest, WaitResult } from './wait.ts';

/** A session as `spawn` returns it. */
export interface SpawnedSession extends SessionInfo {
  /** Set if the session was running already; see {@link SpawnRequest.reuse}. */
  readonly reused?: true;
  /** Set if `wait` was requested. The other fields are from the end of the wait. */
  readonly wait?: WaitResult;
}

/** How to start the program of an ended session again. */
export interface ReviveRequest {
  /** Ends the program first if it runs: a coding agent's turn by its own keys, then as `end`. Default: false. */
  readonly now?: boolean;
  /**
   * Starts a second session, of this name, in which the coding agent has a copy of the conversation. The session
   * stays as it is, and may run. An empty name is generated. Default: the session itself is started again.
   */
  readonly forkAs?: string;
  /**
   * The conversation with which a coding agent goes on; empty: it begins another one. Default: the one that it has
   * reported, or the only one that its files have of the session's directory and time.
   */
  readonly conversation?: string;
  /** A program to start with `args` instead. Default: the session's own, with its arguments. */
  readonly program?: string;
  readonly args?: readonly string[];
  /**
   * The working directory. Default: the last one of the session's shell, as far as the shell reported it, else
   * that in which the session was started.
   */
  readonly cwd?: string;
  /** Variables added to the environment. Values that the session was started with are not saved. */
  readonly env?: Readonly<Record<string, string>>;
  /** Default: as in the request that started the session. */
  readonly environment?: EnvironmentMode;
  /** As in `SpawnRequest`: of the caller of `revive`. */
  readonly caller?: CallerEnvironment;
  /** See `SpawnRequest.inputId`. */
  readonly inputId?: string;
  /** A wait in the new session, as in `SpawnRequest`. */
  readonly wait?: WaitRequest;
}

/** How a coding agent was started again. */
export interface ResumedAgent {
  /** The id of its kind, such as `claude`. */
  readonly kind: string;
  /** The conversation with which it goes on, or of which it has a copy. Absent: it begins another one. */
  readonly conversation?: string;
  /** The options with which it had been started and that are not repeated; without their values. */
  readonly leftOut: readonly string[];
  /** The line that starts it, if it ran in a shell, and that could not be typed there. */
  readonly line?: string;
}

/** A session as `revive` returns it. */
export interface RevivedSession extends SessionInfo {
  /**
   * The names of variables that the ended session was started with, and that this one does not have:
   * their values are not saved. Absent if there are none.
   */
  readonly missingEnv?: readonly string[];
  /** Absent if the session had no coding agent that vtr knows, or another program was started in its place. */
  readonly resumed?: ResumedAgent;
  /** Set if `wait` was requested. The other fields are from the end of the wait. */
  readonly wait?: WaitResult;
}
