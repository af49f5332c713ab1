import { ProcProcessTable } from './proc-process-table.ts';
import { PsProcessTable } from './ps-process-table.ts';

/** One process at the moment of a listing. Its pid together with `startedAt` is never used twice. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** The kernel's session id, which is its leader's pid; null where the system does not tell. */
  readonly session: number | null;
  /** Path of the controlling terminal; null for none, and where `session` says enough. */
  readonly terminal: string | null;
  /** Foreground group of the controlling terminal; -1 when there is none. */
  readonly foreground: number;
  /** In the table's own unit; see {@link ProcessTable.now}. */
  readonly startedAt: number;
  /** Dead, and only waiting for its parent to take note. */
  readonly zombie: boolean;
  /** A signal stopped it (SIGSTOP, SIGTSTP and others). */
  readonly stopped: boolean;
  readonly name: string;
  /** Memory that it has in RAM now, shared memory included. */
  readonly residentBytes: number;
  /** Time on processors, and where the system tells it, of the children that it has waited for. */
  readonly cpuMs: number;
}

/** The processes of this machine, as far as this user may see them. */
export interface ProcessTable {
  /** The present, in the unit of `startedAt`. */
  now(): number;
  find(pid: number): Promise<ProcessEntry | null>;
  list(): Promise<readonly ProcessEntry[]>;
  /**
   * VTR_SESSION_ID in the environment that the process was started with; null when there is none or
   * it is not ours to read.
   */
  sessionId(entry: ProcessEntry): Promise<string | null>;
  /**
   * Memory that it has in RAM now, with its share of what it shares; null where the system does not
   * tell. Costs much more than a listing.
   */
  ownBytes(pid: number): Promise<number | null>;
  /**
   * Whether a process is blocked until its controlling terminal has input; null where the system does
   * not tell, and where the process waits for something else besides.
   *
   * @param terminal path of that terminal
   */
  readsTerminal(pid: number, terminal: string): Promise<boolean | null>;
}

/** The table of the system that we run on. */
export function processTable(): ProcessTable {
  return process.platform === 'linux' ? new ProcProcessTable() : new PsProcessTable();
}
