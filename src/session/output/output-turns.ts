import type { Clock, Disposable } from '#base';
import { flow } from '#model';
import type { Pty } from '#pty';

type PauseReason = 'work' | 'saving' | 'readers';

/** Pauses a program's output while anyone wants that. */
export class OutputPauses {
  readonly #pty: Pick<Pty, 'pause' | 'resume'>;
  readonly #reasons = new Set<PauseReason>();

  constructor(pty: Pick<Pty, 'pause' | 'resume'>) {
    this.#pty = pty;
  }

  pause(reason: PauseReason): void {
    const isFirst = this.#reasons.size === 0;
    this.#reasons.add(reason);
    if (isFirst) this.#pty.pause();
  }

  resume(reason: PauseReason): void {
    if (this.#reasons.delete(reason) && this.#reasons.size === 0) this.#pty.resume();
  }
}

/**
 * Spreads work on output over turns of the event loop, and does what comes after it in order. Meanwhile the
 * program's output is paused.
 */
export class OutputTurns implements Disposable {
  readonly #clock: Pick<Clock, 'afterPendingIo'>;
  readonly #pauses: OutputPauses;
  readonly #onFault: (error: unknown) => void;
  /** Each returns whether it is done. */
  #tasks: (() => boolean)[] = [];
  #next: Disposable | null = null;

  /** @param onFault called with what a task throws; the tasks after it run */
  constructor(
    clock: Pick<Clock, 'afterPendingIo'>,
    pauses: OutputPauses,
    onFault: (error: unknown) => void,
  ) {
    this.#clock = clock;
    this.#pauses = pauses;
    this.#onFault = onFault;
  }

  get isBusy(): boolean {
    return this.#tasks.length > 0;
  }

  /** Runs a task when all before it are done: one part in each turn until it returns true. */
  add(task: () => boolean): void {
    this.#tasks.push(task);
    if (this.#tasks.length > 1) return;
    this.#pauses.pause('work');
    this.#schedule();
  }

  /** Calls `act` after the tasks: at once if there are none. */
  inOrder(act: () => void): void {
    if (!this.isBusy) act();
    else {
      this.add(() => {
        act();
        return true;
      });
    }
  }

  dispose(): void {
    this.#next?.dispose();
    this.#tasks = [];
  }

  #schedule(): void {
    this.#next = this.#clock.afterPendingIo(() => this.#turn());
  }

  #isDone(task: () => boolean): boolean {
    try {
      return task();
    } catch (error) {
      this.#onFault(error);
      return true;
    }
  }

  #turn(): void {
    const [task] = this.#tasks;
    if (task === undefined || this.#isDone(task)) this.#tasks.shift();
    if (this.isBusy) this.#schedule();
    else this.#pauses.resume('work');
  }
}

const { maxAheadBytes, readerMs } = flow.session;

export interface ReaderHoldsParts {
  readonly clock: Clock;
  /** Returns the bytes of text of the lines from a line on. */
  readonly bytesFrom: (line: number) => number;
  readonly pause: () => void;
  readonly resume: () => void;
}

interface Reader {
  line: number;
  /** How many of its calls are under way. */
  calls: number;
  timer: Disposable | null;
}

/** Pauses the output of a program that is far ahead of those who follow it. */
export class ReaderHolds {
  readonly #parts: ReaderHoldsParts;
  readonly #readers = new Map<string, Reader>();
  #isPaused = false;

  constructor(parts: ReaderHoldsParts) {
    this.#parts = parts;
  }

  /** Notes that a reader has all lines before `line`; until the returned call, it is there. */
  begin(name: string, line: number): () => void {
    const reader = this.#readers.get(name) ?? { line, calls: 0, timer: null };
    reader.line = line;
    reader.calls += 1;
    reader.timer?.dispose();
    reader.timer = null;
    this.#readers.set(name, reader);
    this.check();
    return () => {
      reader.calls -= 1;
      if (reader.calls > 0 || this.#readers.get(name) !== reader) return;
      reader.timer = this.#parts.clock.schedule(readerMs, () => {
        this.#readers.delete(name);
        this.check();
      });
    };
  }

  /** Must be called when there is more output. */
  check(): void {
    if (this.#readers.size === 0 && !this.#isPaused) return;
    let line = Number.POSITIVE_INFINITY;
    for (const reader of this.#readers.values()) line = Math.min(line, reader.line);
    const isAhead = this.#readers.size > 0 && this.#parts.bytesFrom(line) > maxAheadBytes;
    if (isAhead === this.#isPaused) return;
    this.#isPaused = isAhead;
    if (isAhead) this.#parts.pause();
    else this.#parts.resume();
  }

  /** The output is no longer held. */
  end(): void {
    for (const { timer } of this.#readers.values()) timer?.dispose();
    this.#readers.clear();
    this.check();
  }
}
