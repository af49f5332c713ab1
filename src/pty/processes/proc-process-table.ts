import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { constants, uptime } from 'node:os';
import { setImmediate as nextLoopTurn } from 'node:timers/promises';
import { apartVariable, sessionIdVariable } from '#model';
import { isWorking, readsTerminal, runTraceNow } from './proc-terminal-reads.ts';
import {
  markIn,
  type ProcessEntry,
  type ProcessTable,
  type SessionIdRead,
  type TerminalRead,
  type TerminalStop,
} from './process-table.ts';

/** Clock ticks per second in /proc: USER_HZ, 100 on every supported architecture. */
const ticksPerSecond = 100;

/** The unit of memory in /proc. */
const pageBytes = readPageBytes();

/** Without SIGSTOP, with which we suspend. */
const terminalStops: readonly TerminalStop[] = ['SIGTSTP', 'SIGTTIN', 'SIGTTOU'];

/** The process table of Linux, from /proc: proc_pid_stat(5), proc_pid_environ(5). */
export class ProcProcessTable implements ProcessTable {
  readonly #ids = new ReadIds();
  readonly #survey = new Survey({
    pids: () => this.#pids(),
    read: readEntry,
    isOfSession: (entry) => Boolean(this.#ids.of(entry)),
    nowMs: () => performance.now(),
  });

  now(): number {
    return Math.round(uptime() * ticksPerSecond);
  }

  async find(pid: number): Promise<ProcessEntry | null> {
    return readEntry(pid);
  }

  async list(): Promise<readonly ProcessEntry[]> {
    const entries: ProcessEntry[] = [];
    for (const [index, pid] of this.#pids().entries()) {
      if (index % sliceLength === sliceLength - 1) await nextLoopTurn();
      const entry = readEntry(pid);
      if (entry !== null) entries.push(entry);
    }
    return entries;
  }

  survey(since: number): Promise<readonly ProcessEntry[]> {
    return this.#survey.list(since);
  }

  #pids(): readonly number[] {
    const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
    this.#ids.keep(pids);
    return pids;
  }

  sessionId(entry: ProcessEntry): SessionIdRead {
    return this.#ids.of(entry) ?? this.#readId(entry);
  }

  async #readId(entry: ProcessEntry): Promise<string | null> {
    const id = idIn(await environ(entry.pid));
    if (id !== null) this.#ids.add(entry, id);
    return id;
  }

  async hasVariable(pid: number, variables: readonly string[]): Promise<boolean> {
    const pairs = (await environ(pid)).split('\0');
    return variables.some((each) => pairs.includes(each));
  }

  /** Synchronous, because the kernel does not wait. */
  mark({ pid }: ProcessEntry): bigint | null {
    try {
      return markIn(readFileSync(`/proc/${pid}/limits`, 'latin1'));
    } catch {
      return null;
    }
  }

  /** From proc_pid_smaps(5). */
  async pssBytes(pid: number): Promise<number | null> {
    // Asynchronous, because the kernel walks through all of the process's memory.
    const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
    const [, kilobytes] = /^Pss:\s*(\d+) kB$/m.exec(rollup) ?? [];
    return kilobytes === undefined ? null : Number(kilobytes) * 1024;
  }

  readsTerminal(pid: number, terminal: string): Promise<TerminalRead> {
    return readsTerminal(pid, terminal);
  }

  /**
   * From /proc/PID/task/TID/schedstat: time on a processor, time in a queue, number of time slices
   * (Documentation/scheduler/sched-stats.rst of Linux). All are 0 if the system does not count.
   */
  async runTrace(pid: number): Promise<string | null> {
    const directory = `/proc/${pid}/task`;
    const threads = await readdir(directory).catch(() => []);
    const read = (thread: string) => readFile(`${directory}/${thread}/schedstat`, 'latin1');
    const traces = await Promise.all(threads.map((each) => read(each).catch(() => '')));
    const isCounted = traces.every((trace) => /[1-9]/.test(trace));
    return traces.length > 0 && isCounted ? threads.map((id, at) => id + traces[at]).join() : null;
  }

  firstRunTrace(pid: number): string | null {
    return runTraceNow(pid);
  }

  isWorking(pid: number, terminal: string): Promise<boolean | null> {
    return isWorking(pid, terminal);
  }

  /** From SigPnd and ShdPnd of proc_pid_status(5). */
  pendingStops(pid: number): readonly TerminalStop[] {
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'latin1');
      const sets = status.match(/(?<=^S(?:ig|hd)Pnd:\s*)[0-9a-f]+/gm) ?? [];
      const isPending = (signal: TerminalStop) =>
        sets.some(
          (set) => ((BigInt(`0x${set}`) >> BigInt(constants.signals[signal] - 1)) & 1n) !== 0n,
        );
      return terminalStops.filter(isPending);
    } catch {
      return [];
    }
  }

  /** Reads synchronously, because the kernel does not wait. */
  async directory(pid: number): Promise<string | null> {
    try {
      return readlinkSync(`/proc/${pid}/cwd`);
    } catch {
      return null;
    }
  }
}

/** Asynchronous, because the read may block until the process releases its memory map. */
const environ = (pid: number): Promise<string> =>
  readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');

/** Contract: `ProcessTable.sessionId`. */
function idIn(environ: string): string | null {
  const pairs = environ.split('\0');
  const prefix = `${sessionIdVariable}=`;
  const pair = pairs.find((each) => each.startsWith(prefix));
  if (pair !== undefined) return pair.slice(prefix.length);
  return pairs.some((each) => each.startsWith(`${apartVariable}=`)) ? '' : null;
}

/**
 * The ids that were read, by pid. The environment of a process is another one only after an exec. Where none
 * was found it is read again: it may not have been there yet.
 */
class ReadIds {
  readonly #ids = new Map<number, { readonly of: ProcessEntry; readonly id: string }>();

  add(entry: ProcessEntry, id: string): void {
    if (entry.memory !== undefined) this.#ids.set(entry.pid, { of: entry, id });
  }

  of({ pid, startedAt, memory }: ProcessEntry): string | null {
    const id = this.#ids.get(pid);
    const isSame = id?.of.startedAt === startedAt && id.of.memory === memory;
    return id !== undefined && isSame ? id.id : null;
  }

  /** Forgets the processes that have ended. */
  keep(pids: readonly number[]): void {
    if (this.#ids.size === 0) return;
    const living = new Set(pids);
    for (const pid of this.#ids.keys()) if (!living.has(pid)) this.#ids.delete(pid);
  }
}

/** getauxval(3): AT_PAGESZ, in a table of pairs of 64-bit words. */
function readPageBytes(): number {
  const pageSizeEntry = 6n;
  try {
    const table = readFileSync('/proc/self/auxv');
    for (let at = 0; at + 16 <= table.length; at += 16) {
      const key = table.readBigUInt64LE(at);
      if (key === pageSizeEntry) return Number(table.readBigUInt64LE(at + 8));
    }
  } catch {
    // This is not Linux, and the value is not used.
  }
  return 4096;
}

/** The process has ended, or is hidden from this user (hidepid). Others leave it unknown, such as EMFILE. */
const noProcess = ['ENOENT', 'ESRCH', 'EACCES', 'EPERM'];

/** @throws the error of the system, if it is unknown whether the process lives */
function readEntry(pid: number): ProcessEntry | null {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch (error) {
    if (noProcess.includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}

/** @param stat a line of proc_pid_stat(5), where the field numbers are defined */
export function parseStat(stat: string): ProcessEntry | null {
  // The name is in parentheses and may contain any character, also parentheses and spaces.
  const open = stat.indexOf('(');
  const close = stat.lastIndexOf(')');
  if (open < 0 || close < 0) return null;
  // They begin with field 3.
  const fields = stat.slice(close + 2).split(' ');
  const number = (field: number): number => Number(fields[field - 3]);
  return {
    pid: Number.parseInt(stat, 10),
    name: stat.slice(open + 1, close),
    // A process whose first thread has ended is reported dead here while its other threads run.
    zombie: (fields[0] === 'Z' || fields[0] === 'X') && number(20) <= 1,
    parent: number(4),
    group: number(5),
    session: number(6),
    terminal: null,
    foreground: number(8),
    startedAt: number(22),
    stopped: fields[0] === 'T',
    residentBytes: number(24) * pageBytes,
    cpuMs: ((number(14) + number(15) + number(16) + number(17)) * 1000) / ticksPerSecond,
    memory: memoryIn(fields),
  };
}

/**
 * Returns the addresses of code, stack and environment, which the kernel chooses at random at each exec. They
 * are 0 if the reader may not trace the process, and 1 in the first two fields.
 *
 * @param fields of proc_pid_stat(5) from field 3 on
 */
function memoryIn(fields: readonly string[]): string | undefined {
  const [code, stack, environ] = [26, 28, 50].map((field) => fields[field - 3]);
  if (environ === undefined || environ === '0') return undefined;
  return `${code} ${stack} ${environ}`;
}

/**
 * How long an entry is used again, in ms. The system gives out all other process ids, tens of thousands,
 * before it gives out one again: within this time a process id is not another process's.
 */
const reuseMs = 250;

/** Processes read before the event loop turns: about a millisecond's worth. */
const sliceLength = 64;

/** What a survey reads. */
export interface SurveySource {
  /** @throws the error of the system */
  pids(): readonly number[];
  /** Returns null if no process has the pid. @throws the error of the system */
  read(pid: number): ProcessEntry | null;
  /** Whether it is known, without another read, that the process has the id of a session in its environment. */
  isOfSession(entry: ProcessEntry): boolean;
  /** A monotonic clock. */
  nowMs(): number;
}

/** Entries by pid, and when they were read. */
type Known = Map<number, { readonly entry: ProcessEntry; readonly readMs: number }>;

/**
 * Lists processes for sessions that look for their own. When many sessions end one after the other, nearly
 * all processes are those of the others, and reading each of them for each session would take most of the
 * time.
 */
export class Survey {
  readonly #source: SurveySource;
  #entries: Known = new Map();

  constructor(source: SurveySource) {
    this.#source = source;
  }

  /** Contract: `ProcessTable.survey`. */
  async list(since: number): Promise<readonly ProcessEntry[]> {
    const source = this.#source;
    const beganMs = source.nowMs();
    const pids = new Set(source.pids());
    const entries: Known = new Map();
    let reads = 0;
    for (const pid of pids) {
      const before = this.#entries.get(pid);
      if (before !== undefined && beganMs - before.readMs < reuseMs) {
        const { entry } = before;
        const isSettled = entry.startedAt < since || source.isOfSession(entry);
        // A process whose parent has ended has another one.
        if (isSettled && (entry.parent === 0 || pids.has(entry.parent))) {
          entries.set(pid, before);
          continue;
        }
      }
      if (reads++ % sliceLength === sliceLength - 1) await nextLoopTurn();
      const readMs = source.nowMs();
      const entry = source.read(pid);
      if (entry !== null) entries.set(pid, { entry, readMs });
    }
    this.#entries = entries;
    return Array.from(entries.values(), ({ entry }) => entry);
  }
}
