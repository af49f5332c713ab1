import { quoted } from '#base';
import { VtrError } from './errors.ts';

/** The lifetime of a session. Times are in ms, from 0 to a century. */
export interface SessionLifetime {
  /**
   * The session is ended and removed after this time without use. Typing, reading, searching,
   * waiting, subscribing and output count as use. Default: 0, never.
   */
  readonly idleMs?: number;
  /** The session is removed this long after its exit. Default: it is kept until it is removed. */
  readonly keepExitedMs?: number;
  /** The program is ended after this run time; the session is kept. Default: 0, never. */
  readonly maxRunMs?: number;
  /**
   * The session is ended and removed after this time without a wait or a follow: those who watched it have gone.
   * Default: 0, never.
   */
  readonly unattendedMs?: number;
}

/** Limits cover the program and its descendants; they are checked about once a second. */
export interface SessionLimits {
  /** Resident memory in bytes, 1 or more. Above it, the program is ended. */
  readonly memoryBytes?: number;
  /** CPU limit in percent of all processors, over 0 up to 100. Above it, the program is throttled. */
  readonly cpuPercent?: number;
}

/** The effect of limits, as text for help and tool descriptions. */
export const limitMechanism =
  'limits cover the program and its descendants and are checked about once a second: above the memory limit they are killed (SIGKILL), above the CPU limit they are suspended and continued in turn (SIGSTOP, SIGCONT)';

/**
 * `host_lost`: the process that owned the pseudo-terminal ended. `stopped`: the coordinator was
 * stopped. `reboot`: the machine was restarted.
 */
export type EndReason =
  | 'idle'
  | 'run_time'
  | 'memory'
  | 'cpu'
  | 'lease'
  | 'host_lost'
  | 'stopped'
  | 'reboot';

/** Whether a program was ended with the process that owned its terminal, and not by itself or by a caller. */
export const isLost = ({ endedBy }: { readonly endedBy?: EndedBy }): boolean =>
  endedBy !== undefined && ['host_lost', 'stopped', 'reboot'].includes(endedBy.reason);

/** The reason why a program ended, if that was not its own doing or a caller's. */
export interface EndedBy {
  readonly reason: EndReason;
  /** The limit: ms for `idle` and `run_time`, bytes for `memory`, percent for `cpu`. */
  readonly limit?: number;
  /** The measured value, in the unit of `limit`. */
  readonly measured?: number;
}

/**
 * A lease on programs. A program spawned with the id of a lease ends when the lease is closed: by its
 * owner, or because the owner's connection is lost.
 */
export interface Lease {
  readonly id: string;
  /**
   * Ends its programs and their descendants; the sessions are kept. Resolves when they have ended.
   */
  close(): Promise<void>;
}

const maxLifetimeMs = 100 * 366 * 24 * 60 * 60 * 1000;

/** @throws VtrError INVALID_ARGUMENT if a time is out of range */
export function checkLifetime(lifetime: SessionLifetime): void {
  const { idleMs, keepExitedMs, maxRunMs, unattendedMs } = lifetime;
  for (const [name, ms] of Object.entries({ idleMs, keepExitedMs, maxRunMs, unattendedMs })) {
    if (ms === undefined || (ms >= 0 && ms <= maxLifetimeMs)) continue;
    throw new VtrError('INVALID_ARGUMENT', `${name} is ${ms}; use 0 to ${maxLifetimeMs} ms`);
  }
}

/** @throws VtrError INVALID_ARGUMENT */
export function checkLimits({ memoryBytes, cpuPercent }: SessionLimits): void {
  if (memoryBytes !== undefined && !(Number.isSafeInteger(memoryBytes) && memoryBytes > 0)) {
    const message = `memoryBytes is ${memoryBytes}; use a whole number of at least 1`;
    throw new VtrError('INVALID_ARGUMENT', message);
  }
  if (cpuPercent !== undefined && !(cpuPercent > 0 && cpuPercent <= 100)) {
    throw new VtrError(
      'INVALID_ARGUMENT',
      `cpuPercent is ${cpuPercent}; use more than 0 up to 100`,
    );
  }
}

/** The exit status of a program. Exactly one of the two fields is not null. */
export interface ExitStatus {
  /** 0..255. */
  readonly code: number | null;
  /** The name as in signal(7), for example `SIGKILL`. */
  readonly signal: string | null;
}

/** Whether the sessions of a coordinator are saved. */
export interface Persistence {
  /**
   * `disk`: they can be listed and revived after a reboot. `memory`: they are saved in the process that
   * owns the pseudo-terminals, and survive the daemon only. `stopped`: they are not saved.
   */
  readonly state: 'disk' | 'memory' | 'stopped';
  /** The reason for `stopped`. */
  readonly reason?: string;
}

/** The signals that can be sent to a session's program: the names of signal(7) without `SIG`. */
export const signalNames = [
  'HUP',
  'INT',
  'QUIT',
  'KILL',
  'USR1',
  'USR2',
  'TERM',
  'CONT',
  'STOP',
  'TSTP',
  'WINCH',
] as const;

export type SignalName = (typeof signalNames)[number];

/** Checks a signal at run time, for callers without types. @throws VtrError INVALID_ARGUMENT */
export function checkSignalName(signal: SignalName): SignalName {
  if (signalNames.includes(signal)) return signal;
  throw new VtrError(
    'INVALID_ARGUMENT',
    `signal ${quoted(signal)} cannot be sent; use one of ${signalNames.join(', ')}`,
    { details: { signal: String(signal) } },
  );
}
