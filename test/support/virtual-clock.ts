import { type Clock, type Disposable, toDisposable } from '#base';

interface Timer {
  readonly dueMs: number;
  readonly run: () => void;
}

/** 2000-01-01, so that a wall time is never taken for a monotonic one. */
const wallStartMs = Date.UTC(2000, 0, 1);

/**
 * A clock that a test moves. Work deferred until pending I/O is handled runs when the test calls
 * {@link settleIo}.
 */
export class VirtualClock implements Clock {
  #nowMs = 0;
  #wallStartMs = wallStartMs;
  #timers: readonly Timer[] = [];
  #afterIo: readonly Timer[] = [];

  nowMs(): number {
    return this.#nowMs;
  }

  wallMs(): number {
    return this.#wallStartMs + this.#nowMs;
  }

  /** Sets the time of day ahead by `ms`, or back: no time passes. */
  setAhead(ms: number): void {
    this.#wallStartMs += ms;
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

  /** The number of callbacks that wait for time or I/O; 0 after all waits have ended. */
  get pending(): number {
    return this.#timers.length + this.#afterIo.length;
  }

  /** Advances the time: each timer fires when it is due, and I/O is handled at once. */
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
   * Advances the time as if the process was suspended: all timers fire late, at the end, before the
   * I/O that arrived in between. The test calls {@link settleIo}.
   */
  stall(ms: number): void {
    this.#nowMs += ms;
    for (let next = this.#due(this.#nowMs); next !== undefined; next = this.#due(this.#nowMs)) {
      this.#fire(next);
    }
  }

  /** Runs the work that was deferred until pending I/O is handled. */
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
