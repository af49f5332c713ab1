import { type Clock, type Disposable, toDisposable } from '#base';

interface Timer {
  readonly dueMs: number;
  readonly run: () => void;
}

/** 2000-01-01, so that a wall time is never taken for a monotonic one. */
const wallStartMs = Date.UTC(2000, 0, 1);

/**
 * Time that a test moves by hand. What was put off until pending I/O has been handled runs when the
 * test says that it has been, with {@link settleIo}.
 */
export class VirtualClock implements Clock {
  #nowMs = 0;
  #timers: readonly Timer[] = [];
  #afterIo: readonly Timer[] = [];

  nowMs(): number {
    return this.#nowMs;
  }

  wallMs(): number {
    return wallStartMs + this.#nowMs;
  }

  schedule(delayMs: number, run: () => void): Disposable {
    const timer = { dueMs: this.#nowMs + Math.max(0, delayMs), run };
    this.#timers = [...this.#timers, timer].sort((a, b) => a.dueMs - b.dueMs);
    return toDisposable(() => {
      this.#timers = this.#timers.filter((each) => each !== timer);
    });
  }

  afterPendingIo(run: () => void): Disposable {
    const entry = { dueMs: this.#nowMs, run };
    this.#afterIo = [...this.#afterIo, entry];
    return toDisposable(() => {
      this.#afterIo = this.#afterIo.filter((each) => each !== entry);
    });
  }

  /** What still waits for time or I/O: a wait that has ended must leave nothing. */
  get pending(): number {
    return this.#timers.length + this.#afterIo.length;
  }

  /** Lets time pass: each timer fires when it is due, and I/O is handled at once. */
  advance(ms: number): void {
    const endMs = this.#nowMs + ms;
    for (let next = this.#due(endMs); next !== undefined; next = this.#due(endMs)) {
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      this.#fire(next);
      this.settleIo();
    }
    this.#nowMs = endMs;
  }

  /**
   * Time passes while the process is stopped: timers fire late, all of them at the end, and before
   * the I/O that has come meanwhile. {@link settleIo} is the test's to call.
   */
  stall(ms: number): void {
    this.#nowMs += ms;
    for (let next = this.#due(this.#nowMs); next !== undefined; next = this.#due(this.#nowMs)) {
      this.#fire(next);
    }
  }

  /** The I/O that was pending has been handled. */
  settleIo(): void {
    const due = this.#afterIo;
    this.#afterIo = [];
    for (const { run } of due) run();
  }

  #due(byMs: number): Timer | undefined {
    return this.#timers.find(({ dueMs }) => dueMs <= byMs);
  }

  #fire(timer: Timer): void {
    this.#timers = this.#timers.filter((each) => each !== timer);
    timer.run();
  }
}
