import type { Clock, Disposable } from '#base';

/** The shortest time between the starts of two writes of a session, in ms. */
const betweenWritesMs = 200;
/** After a write that failed: at first, and at most; it doubles. */
const firstPauseMs = 1_000;
const maxPauseMs = 60_000;
/** At most, if there are more changes, or another write succeeded. */
const maxBusyPauseMs = 4_000;
/** Sessions that are written at the same time: threads that wait for the disk are few. */
const maxAtOnce = 2;

export interface Writer {
  /** Writes what is waiting. Nothing may be waiting. */
  write(): Promise<void>;
}

interface Entry {
  readonly writer: Writer;
  state: 'idle' | 'waiting' | 'ready' | 'writing';
  /** Whether there is more to write, while it is being written. */
  isAgain: boolean;
  startedMs: number;
  /** 0: the last write succeeded. */
  pauseMs: number;
  timer: Disposable | null;
}

export interface WritingParts {
  readonly clock: Clock;
  /** Called after each write; null: it succeeded. */
  readonly onWritten: (error: Error | null) => void;
}

/** Decides when sessions are written. A session that cannot be written does not delay others. */
export class Writing {
  readonly #parts: WritingParts;
  readonly #entries = new Map<Writer, Entry>();
  readonly #ready: Entry[] = [];
  #writing = 0;
  #idle: (() => void)[] = [];

  constructor(parts: WritingParts) {
    this.#parts = parts;
  }

  /** Whether a write failed that has not succeeded since. */
  get hasFailed(): boolean {
    return [...this.#entries.values()].some(({ pauseMs }) => pauseMs > 0);
  }

  /** Writes soon. @param afterMs at the earliest, unless it is being written or waits already */
  add(writer: Writer, afterMs = 0): void {
    const entry = this.#entryOf(writer);
    if (entry.state === 'writing') entry.isAgain = true;
    else this.#hasten(entry);
    if (entry.state !== 'idle') return;
    this.#wait(entry, afterMs);
  }

  /** Forgets a writer, from within its write: it has nothing more to write. */
  delete(writer: Writer): void {
    this.#entries.delete(writer);
  }

  /** Writes everything now. Resolves when that is done, or has failed. */
  async flush(): Promise<void> {
    const nowMs = this.#parts.clock.nowMs();
    for (;;) {
      const left = [...this.#entries.values()].filter((entry) => isLeft(entry, nowMs));
      if (left.length === 0) return;
      for (const entry of left) if (entry.state === 'waiting') this.#setReady(entry);
      await new Promise<void>((resolve) => this.#idle.push(resolve));
    }
  }

  /** Gives up writes that failed, so that no timer is left. */
  close(): void {
    for (const entry of this.#entries.values()) entry.timer?.dispose();
    this.#entries.clear();
  }

  #entryOf(writer: Writer): Entry {
    const record = this.#entries.get(writer);
    if (record !== undefined) return record;
    const entry: Entry = {
      writer,
      state: 'idle',
      isAgain: false,
      startedMs: -Infinity,
      pauseMs: 0,
      timer: null,
    };
    this.#entries.set(writer, entry);
    return entry;
  }

  #wait(entry: Entry, afterMs = 0): void {
    const dueMs = entry.startedMs + Math.max(betweenWritesMs, entry.pauseMs);
    const delayMs = Math.max(afterMs, dueMs - this.#parts.clock.nowMs());
    entry.state = 'waiting';
    entry.timer = this.#parts.clock.schedule(delayMs, () => this.#setReady(entry));
  }

  /** Shortens the pause after a write that failed. */
  #hasten(entry: Entry): void {
    if (entry.state !== 'waiting' || entry.pauseMs <= maxBusyPauseMs) return;
    entry.pauseMs = maxBusyPauseMs;
    entry.timer?.dispose();
    this.#wait(entry);
  }

  #setReady(entry: Entry): void {
    entry.timer?.dispose();
    entry.timer = null;
    entry.state = 'ready';
    this.#ready.push(entry);
    this.#writeReady();
  }

  #writeReady(): void {
    while (this.#writing < maxAtOnce) {
      const entry = this.#ready.shift();
      if (entry === undefined) return;
      void this.#write(entry);
    }
  }

  async #write(entry: Entry): Promise<void> {
    this.#writing += 1;
    entry.state = 'writing';
    entry.isAgain = false;
    entry.startedMs = this.#parts.clock.nowMs();
    let failure: Error | null = null;
    try {
      await entry.writer.write();
      entry.pauseMs = 0;
    } catch (error) {
      failure = error as Error;
      entry.pauseMs = Math.min(maxPauseMs, Math.max(firstPauseMs, entry.pauseMs * 2));
    }
    this.#writing -= 1;
    entry.state = 'idle';
    if (this.#entries.has(entry.writer) && (failure !== null || entry.isAgain)) this.#wait(entry);
    if (failure === null) for (const each of this.#entries.values()) this.#hasten(each);
    this.#parts.onWritten(failure);
    this.#writeReady();
    this.#tellIdle();
  }

  #tellIdle(): void {
    const idle = this.#idle;
    this.#idle = [];
    for (const resolve of idle) resolve();
  }
}

/** Whether a flush that began then must wait: a write that has failed since is not tried again. */
const isLeft = ({ state, pauseMs, startedMs }: Entry, sinceMs: number): boolean =>
  state === 'writing' ||
  state === 'ready' ||
  (state === 'waiting' && !(pauseMs > 0 && startedMs >= sinceMs));
