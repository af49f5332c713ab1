import { ProcProcessTable } from './proc-process-table.ts';
import type { ProcessEntry, ProcessTable, TerminalRead, TerminalStop } from './process-table.ts';
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
  #running: Promise<unknown> | null = null;
  #next: Promise<readonly ProcessEntry[]> | null = null;
  readonly #sessionIds = new WeakMap<ProcessEntry, Promise<string | null>>();
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
    if (this.#running === null) return this.#start();
    this.#next ??= this.#running.then(() => {
      this.#next = null;
      return this.#start();
    });
    return this.#next;
  }

  sessionId(entry: ProcessEntry): Promise<string | null> {
    const known = this.#sessionIds.get(entry);
    if (known !== undefined) return known;
    const id = this.#table.sessionId(entry);
    this.#sessionIds.set(entry, id);
    return id;
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

  pendingStops(pid: number): readonly TerminalStop[] {
    return this.#table.pendingStops(pid);
  }

  directory(pid: number): Promise<string | null> {
    return this.#table.directory(pid);
  }

  #start(): Promise<readonly ProcessEntry[]> {
    const listing = this.#table.list();
    const over = () => {
      this.#running = null;
    };
    this.#running = listing.then(over, over);
    return listing;
  }
}
