import { ProcProcessTable } from './proc-process-table.ts';
import type {
  ProcessEntry,
  ProcessTable,
  SessionIdRead,
  TerminalRead,
  TerminalStop,
} from './process-table.ts';
import { PsProcessTable } from './ps-process-table.ts';

/** Returns the process table of this system, with shared listings. */
export function systemProcessTable(): ProcessTable {
  const isLinux = process.platform === 'linux';
  return new SharedListing(isLinux ? new ProcProcessTable() : new PsProcessTable());
}

/**
 * Shares one listing among concurrent callers. Many sessions may end at once, and a listing costs
 * milliseconds. A call during a listing gets the next one: the running one may miss changes since
 * it began.
 */
export class SharedListing implements ProcessTable {
  readonly #table: ProcessTable;
  readonly #listings = new SharedRuns<readonly ProcessEntry[]>();
  readonly #surveys = new SharedRuns<readonly ProcessEntry[]>();
  /** The earliest of the callers that wait for the next survey. */
  #since = Number.POSITIVE_INFINITY;
  readonly #sessionIds = new WeakMap<ProcessEntry, SessionIdRead>();
  readonly #marks = new WeakMap<ProcessEntry, bigint | null>();

  constructor(table: ProcessTable) {
    this.#table = table;
  }

  now(): number {
    return this.#table.now();
  }

  find(pid: number): Promise<ProcessEntry | null> {
    return this.#table.find(pid);
  }

  list(): Promise<readonly ProcessEntry[]> {
    return this.#listings.run(() => this.#table.list());
  }

  survey(since: number): Promise<readonly ProcessEntry[]> {
    this.#since = Math.min(this.#since, since);
    return this.#surveys.run(() => {
      const earliest = this.#since;
      this.#since = Number.POSITIVE_INFINITY;
      return this.#table.survey(earliest);
    });
  }

  sessionId(entry: ProcessEntry): SessionIdRead {
    const known = this.#sessionIds.get(entry);
    if (known !== undefined) return known;
    const id = this.#table.sessionId(entry);
    this.#sessionIds.set(entry, id);
    if (id instanceof Promise) void id.then((read) => this.#sessionIds.set(entry, read));
    return id;
  }

  hasVariable(pid: number, variables: readonly string[]): Promise<boolean> {
    return this.#table.hasVariable(pid, variables);
  }

  mark(entry: ProcessEntry): bigint | null {
    const known = this.#marks.get(entry);
    if (known !== undefined) return known;
    const mark = this.#table.mark(entry);
    this.#marks.set(entry, mark);
    return mark;
  }

  pssBytes(pid: number): Promise<number | null> {
    return this.#table.pssBytes(pid);
  }

  readsTerminal(pid: number, terminal: string): Promise<TerminalRead> {
    return this.#table.readsTerminal(pid, terminal);
  }

  runTrace(pid: number): Promise<string | null> {
    return this.#table.runTrace(pid);
  }

  isWorking(pid: number, terminal: string): Promise<boolean | null> {
    return this.#table.isWorking(pid, terminal);
  }

  pendingStops(pid: number): readonly TerminalStop[] {
    return this.#table.pendingStops(pid);
  }

  directory(pid: number): Promise<string | null> {
    return this.#table.directory(pid);
  }
}

/** Shares one run among concurrent callers. A call during a run gets the next one. */
class SharedRuns<T> {
  #running: Promise<unknown> | null = null;
  #next: Promise<T> | null = null;

  /** @param begin the same for all callers */
  run(begin: () => Promise<T>): Promise<T> {
    if (this.#running === null) return this.#start(begin);
    this.#next ??= this.#running.then(() => {
      this.#next = null;
      return this.#start(begin);
    });
    return this.#next;
  }

  #start(begin: () => Promise<T>): Promise<T> {
    const running = begin();
    const over = () => {
      this.#running = null;
    };
    this.#running = running.then(over, over);
    return running;
  }
}
