import {
  defaultPromptPattern,
  type EnvironmentMode,
  type SessionLifetime,
  type SessionLimits,
  type Size,
} from '#model';

/** What a server's sessions have, and what its calls may take, where a call does not say. */
export interface McpOptions {
  readonly size: Size;
  /** The program of a session for which none is named; the coordinator's own choice when null. */
  readonly shell: string | null;
  /** TERM of its sessions. */
  readonly term: string;
  /** RE2, for the text left of the cursor; null: the coordinator's, which trusts a shell's marks. */
  readonly promptPattern: string | null;
  /** Lines of scrollback that they keep; as many as their coordinator says when null. */
  readonly scrollbackLines: number | null;
  /** A session that nobody uses for so long, in ms, is ended and removed; 0: none is. */
  readonly idleMs: number;
  /** Sessions with a made-up name that may run at once, 1 and up. */
  readonly maxSessions: number;
  /** A call waits for so long at most, in ms: hosts give up after 60 s, unless told otherwise. */
  readonly maxWaitMs: number;
  /** Null for the toolset `terminal`; else what the toolset `termcp` runs. */
  readonly termcp: TermcpOptions | null;
}

/** As a request has it: a pattern that is the default is none of the caller's own. */
export function promptPatternOf({ promptPattern }: McpOptions): { promptPattern?: string } {
  if (promptPattern === null || promptPattern === defaultPromptPattern) return {};
  return { promptPattern };
}

/** What the toolset termcp runs, in each of its sessions. */
export interface TermcpOptions {
  readonly program: string;
  readonly args: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  readonly environment: EnvironmentMode;
  /** Whether escape sequences are taken out of what is read. */
  readonly stripAnsi: boolean;
  /** Output that waits to be read, in bytes; the oldest goes. */
  readonly maxBufferBytes: number;
  readonly lifetime: SessionLifetime;
  readonly limits: SessionLimits;
}
