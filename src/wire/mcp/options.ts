import {
  type CallerEnvironment,
  defaultPromptPattern,
  type EnvironmentMode,
  type SessionLifetime,
  type SessionLimits,
  type Size,
} from '#model';

/** Defaults of a server's sessions, and limits of its calls. */
export interface McpOptions {
  readonly size: Size;
  /** The default program; null: the coordinator's default. */
  readonly shell: string | null;
  /** Working directory of sessions that are created without one, absolute. */
  readonly cwd: string;
  /** `TERM` of its sessions. */
  readonly term: string;
  /** RE2, matched against the text left of the cursor; null: the coordinator's, which trusts shell marks. */
  readonly promptPattern: string | null;
  /** Lines of scrollback that sessions keep; null: the coordinator's default. */
  readonly scrollbackLines: number | null;
  /** Unused sessions are removed after this time, in ms; 0: never. */
  readonly idleMs: number;
  /** Limit of running sessions that one client has made, 1 and up. */
  readonly maxSessions: number;
  /** Limit of a call's wait, in ms. By default hosts give up after 60 s. */
  readonly maxWaitMs: number;
  /**
   * `lean`: answers contain only what is new. `text`: the same as text alone, for hosts that show their model both the
   * text and the structured content. `full`: every answer has every documented field.
   */
  readonly answers: 'lean' | 'text' | 'full';
  /** The environment of programs; null: the coordinator's, which is elsewhere. */
  readonly environment: CallerEnvironment | null;
  /** Whether secrets are replaced in all answers. Null: as the coordinator is configured. */
  readonly redact: true | null;
  /** Whether sessions run on another machine or in a container: their paths and processes are not here. */
  readonly isElsewhere: boolean;
  /** Options of the toolset `termcp`; null for the toolset `terminal`. */
  readonly termcp: TermcpOptions | null;
}

/** Returns the pattern as a request field; none if it is the default. */
export function promptPatternOf({ promptPattern }: McpOptions): { promptPattern?: string } {
  if (promptPattern === null || promptPattern === defaultPromptPattern) return {};
  return { promptPattern };
}

/** The program that each session of the toolset `termcp` runs, and its limits. */
export interface TermcpOptions {
  readonly program: string;
  readonly args: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  readonly environment: EnvironmentMode;
  /** Whether reads remove escape sequences. */
  readonly stripAnsi: boolean;
  /** Limit of unread output, in bytes; the oldest is dropped. */
  readonly maxBufferBytes: number;
  readonly lifetime: SessionLifetime;
  readonly limits: SessionLimits;
}
