import type { ProcessEntry, ProcessTable } from './process-table.ts';

/**
 * One listing for all who ask at the same time. Many sessions may end at once, and a listing costs
 * milliseconds. Whoever asks while one is being made gets the next: the one under way may have
 * passed by what has happened since.
 */
export class SharedListing implements ProcessTable {
  readonly #table: ProcessTable;
  #running: Promise<unknown> | null = null;
  #next: Promise<readonly ProcessEntry[]> | null = null;
  readonly #sessionIds = new WeakMap<ProcessEntry, Promise<string | null>>();

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
    const asked = this.#table.sessionId(entry);
    this.#sessionIds.set(entry, asked);
    return asked;
  }

  ownBytes(pid: number): Promise<number | null> {
    return this.#table.ownBytes(pid);
  }

  readsTerminal(pid: number, terminal: string): Promise<boolean | null> {
    return this.#table.readsTerminal(pid, terminal);
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
