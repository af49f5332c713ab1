import { createHash } from 'node:crypto';

/**
 * One process at the moment of a listing. The pair of its pid and `startedAt` is never used twice.
 */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** The kernel's session id, which is its leader's pid; null if the system does not report it. */
  readonly session: number | null;
  /** Path of the controlling terminal; null if there is none or if `session` is known. */
  readonly terminal: string | null;
  /** Foreground group of the controlling terminal; -1 if there is none. */
  readonly foreground: number;
  /** In the table's own unit; see {@link ProcessTable.now}. */
  readonly startedAt: number;
  /** Has ended, and has not been waited for. */
  readonly zombie: boolean;
  /** Stopped by a signal (SIGSTOP, SIGTSTP and others). */
  readonly stopped: boolean;
  readonly name: string;
  /** Resident set size, in bytes. */
  readonly residentBytes: number;
  /** CPU time in ms; on Linux including that of the children that it has waited for. */
  readonly cpuMs: number;
  /** Another text after each exec; absent if the system does not report it. */
  readonly memory?: string | undefined;
}

/**
 * Whether a process is blocked until its terminal has input. `only`: its only thread reads the terminal, or
 * polls it without a timeout, and it has no child. `loop`: in an event loop, epoll_wait(2), which may wait
 * for a timer as well. `also`: the terminal or something else. Null if unknown.
 */
export type TerminalRead = boolean | 'only' | 'loop' | 'also' | null;

/** The signals with which a terminal stops programs. */
export type TerminalStop = 'SIGTSTP' | 'SIGTTIN' | 'SIGTTOU';

export type SessionIdRead = string | null | Promise<string | null>;

/** The processes of this machine that this user may see. */
export interface ProcessTable {
  /** The current time, in the unit of `startedAt`. */
  now(): number;
  /**
   * Returns null if no process has the pid.
   *
   * @throws the error of the system, such as EMFILE
   */
  find(pid: number): Promise<ProcessEntry | null>;
  /** @throws the error of the system */
  list(): Promise<readonly ProcessEntry[]>;
  /**
   * As {@link list}, for a session that looks for its processes. An entry may be as of a moment ago if the
   * process started before `since`, or has the id of a session in its environment; the caller must find a
   * process of its own again. Costs little when it is called often.
   *
   * @param since in the unit of `startedAt`
   * @throws the error of the system
   */
  survey(since: number): Promise<readonly ProcessEntry[]>;
  /**
   * Returns VTR_SESSION_ID of the environment that the process was started with; an empty text for a
   * coordinator that was started apart from any session; null if it has none or may not be read. At once
   * if it is known.
   */
  sessionId(entry: ProcessEntry): SessionIdRead;
  /**
   * Returns whether the environment that the process was started with has one of these variables; false if it
   * may not be read.
   *
   * @param variables as `NAME=value`
   */
  hasVariable(pid: number, variables: readonly string[]): Promise<boolean>;
  /** Returns the mark of a process, see `sessionMark`; null if it has none or the system has no marks. */
  mark(entry: ProcessEntry): bigint | null;
  /**
   * Returns the proportional set size (PSS), in bytes; null if the system does not report it. Costs
   * much more than a listing.
   */
  pssBytes(pid: number): Promise<number | null>;
  /**
   * Returns whether a process is blocked until its controlling terminal has input; null if the
   * system does not report it.
   *
   * @param terminal path of the controlling terminal
   */
  readsTerminal(pid: number, terminal: string): Promise<TerminalRead>;
  /**
   * Returns a text that changes whenever a thread of the process has run; null if the system does not
   * report it.
   */
  runTrace(pid: number): Promise<string | null>;
  /** As {@link runTrace}, of the first thread only, and at once. */
  firstRunTrace(pid: number): string | null;
  /**
   * Returns whether a thread of a process runs, or waits for a processor or a disk; null if the system does not
   * report it. False for a process whose input is not the terminal.
   *
   * @param terminal path of the controlling terminal
   */
  isWorking(pid: number, terminal: string): Promise<boolean | null>;
  /**
   * Returns the signals of a terminal that would stop the process, and that it has not acted on; none where
   * the system does not report it.
   */
  pendingStops(pid: number): readonly TerminalStop[];
  /** Returns the current directory of a process; null if the system does not report it. */
  directory(pid: number): Promise<string | null>;
}

/** Marks are numbers from 2^61 up to 2^62: nobody chooses such a limit, and files have no more locks. */
const least = 2n ** 61n;

/**
 * Returns the number that marks all programs of a session: their soft limit of file locks
 * (RLIMIT_LOCKS), which Linux has not enforced since 2.4.25. Unlike a variable of the environment, the
 * terminal, the kernel's session and the parent, a program keeps it whatever it does to get away, as
 * `setsid env -i` does.
 *
 * @param id the session's id
 */
export function sessionMark(id: string): bigint {
  const digest = createHash('sha256').update(id).digest();
  return least + (digest.readBigUInt64BE() % least);
}

/** The soft limit: the first number of the row, in proc_pid_limits(5). */
const row = /^Max file locks +(\d+) /m;

/** Returns the mark in a process's limits, as the system prints them; null if they have none. */
export function markIn(limits: string): bigint | null {
  const [, soft] = row.exec(limits) ?? [];
  const value = soft === undefined ? 0n : BigInt(soft);
  return value >= least && value < 2n * least ? value : null;
}
