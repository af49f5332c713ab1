import type { EnvironmentMode, SessionLifetime, SessionLimits } from '#model';

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
