import { VtrError } from './errors.ts';

/** How long a session may last. In ms, 0 to a century. */
export interface SessionLifetime {
  /**
   * The session is ended and removed when for so long nobody typed, read, searched, waited or
   * watched, and the program wrote nothing. 0 and absent: never.
   */
  readonly idleMs?: number;
  /** The session is forgotten so long after its exit; kept until it is removed when absent. */
  readonly keepExitedMs?: number;
  /** The program is ended when it has run for so long; the session stays. 0 and absent: never. */
  readonly maxRunMs?: number;
}

/** What a session's program may take, together with all that it started. */
export interface SessionLimits {
  /** Resident memory, in bytes, 1 and up: with more of it the program is ended. */
  readonly memoryBytes?: number;
  /** Of all of the machine's processors, over 0 up to 100: it is made to wait where it takes more. */
  readonly cpuPercent?: number;
}

/** How limits are kept, for people and models: every wall says the same. */
export const limitMechanism =
  'measured about once a second over all processes of the session: with more memory it is killed (SIGKILL), with more of the processors it is paused again and again (SIGSTOP, SIGCONT)';

export type EndReason = 'idle' | 'run_time' | 'memory' | 'cpu' | 'lease';

/** Why vtr itself ended a program. */
export interface EndedBy {
  readonly reason: EndReason;
  /** What was allowed: ms for `idle` and `run_time`, bytes for `memory`, percent for `cpu`. */
  readonly limit?: number;
  /** What it was, in the unit of `limit`. */
  readonly measured?: number;
}

/**
 * What programs are held by: who spawns with its id has the program end with it. It is closed by its
 * owner, or when its owner is gone.
 */
export interface Lease {
  readonly id: string;
  /** Ends its programs with all that they started; their sessions stay. Resolves when they have ended. */
  close(): Promise<void>;
}

const maxLifetimeMs = 100 * 366 * 24 * 60 * 60 * 1000;

/** @throws VtrError INVALID_ARGUMENT */
export function checkLifetime({ idleMs, keepExitedMs, maxRunMs }: SessionLifetime): void {
  for (const [name, ms] of Object.entries({ idleMs, keepExitedMs, maxRunMs })) {
    if (ms === undefined || (ms >= 0 && ms <= maxLifetimeMs)) continue;
    throw new VtrError('INVALID_ARGUMENT', `${name} is ${ms}; use 0 to ${maxLifetimeMs} ms`);
  }
}

/** @throws VtrError INVALID_ARGUMENT */
export function checkLimits({ memoryBytes, cpuPercent }: SessionLimits): void {
  if (memoryBytes !== undefined && !(Number.isSafeInteger(memoryBytes) && memoryBytes > 0)) {
    const message = `memoryBytes is ${memoryBytes}; use a whole number of 1 or more`;
    throw new VtrError('INVALID_ARGUMENT', message);
  }
  if (cpuPercent !== undefined && !(cpuPercent > 0 && cpuPercent <= 100)) {
    throw new VtrError(
      'INVALID_ARGUMENT',
      `cpuPercent is ${cpuPercent}; use more than 0 up to 100`,
    );
  }
}
