import { VtrError } from './errors.ts';
import type { ExitStatus } from './exit-status.ts';
import type { EndedBy, SessionLifetime, SessionLimits } from './lifetime.ts';
import type { Size } from './size.ts';

/** A session is one or the other from spawn until it is removed; removed is absence. */
export type SessionState = 'running' | 'exited';

/**
 * How a caller names a session: by name alone, or by name and id. The id is never used twice, so a
 * reference that carries it never reaches a namesake that came after a removal.
 */
export type SessionRef = string | { readonly name: string; readonly id: string };

export interface SessionInfo {
  readonly name: string;
  readonly id: string;
  readonly state: SessionState;
  /** The program as it was resolved: an absolute path. */
  readonly program: string;
  readonly args: readonly string[];
  /** Where the program was started. */
  readonly cwd: string;
  /** 0 where there is none. */
  readonly pid: number;
  /**
   * Who feeds it, where it only shows what somebody else's program writes: it takes no input then,
   * and program, arguments and directory are the feeder's word.
   */
  readonly fedBy?: string;
  readonly size: Size;
  readonly title: string;
  /** Raised by each applied chunk of output and each resize. */
  readonly revision: number;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly createdAtMs: number;
  /** Milliseconds since 1970-01-01 UTC; null while the program runs. */
  readonly exitedAtMs: number | null;
  /** Null while the program runs. */
  readonly exitStatus: ExitStatus | null;
  /** As it was asked for; absent where nothing was. */
  readonly lifetime?: SessionLifetime;
  /** As they were asked for; absent where none were. */
  readonly limits?: SessionLimits;
  /** Given where vtr itself ended the program, or is about to. */
  readonly endedBy?: EndedBy;
}

const namePattern = /^[A-Za-z0-9._-]{1,64}$/;

/** @throws VtrError INVALID_NAME */
export function checkSessionName(name: string): string {
  if (namePattern.test(name) && name !== '.' && name !== '..') return name;
  throw new VtrError(
    'INVALID_NAME',
    `session name ${JSON.stringify(name)} is not allowed; use 1 to 64 of A-Z a-z 0-9 . _ -`,
    { details: { name } },
  );
}
