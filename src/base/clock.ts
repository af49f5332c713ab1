import type { Disposable } from './disposable.ts';

/**
 * The source of time; tests use a virtual one. Measure durations with {@link Clock.nowMs} only: the
 * wall clock may jump.
 */
export interface Clock {
  /**
   * Returns monotonic milliseconds from an arbitrary start, which is the same for all processes until
   * the machine is restarted.
   */
  nowMs(): number;
  /** Returns milliseconds since 1970-01-01 UTC. For timestamps, never for durations. */
  wallMs(): number;
  /** Calls `run` once, after at least `delayMs`. */
  schedule(delayMs: number, run: () => void): Disposable;
  /**
   * Calls `run` once, after the I/O that is ready now has been handled. Timers fire before pending
   * I/O, so a timer that detects silence must check again through this.
   */
  afterPendingIo(run: () => void): Disposable;
}
