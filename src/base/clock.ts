import type { Disposable } from './disposable.ts';

/**
 * Time as the rest of the house sees it, so that tests can bring a clock of their own.
 * Durations come from {@link Clock.nowMs} only: the wall clock may jump.
 */
export interface Clock {
  /** Monotonic milliseconds from an arbitrary start. */
  nowMs(): number;
  /** Milliseconds since 1970-01-01 UTC; for time stamps, never for durations. */
  wallMs(): number;
  /** Calls `run` once, `delayMs` from now at the earliest. */
  schedule(delayMs: number, run: () => void): Disposable;
  /**
   * Calls `run` once, after the I/O that is ready now has been handled. Timers fire before
   * pending I/O, so whoever concludes something from silence asks again through this.
   */
  afterPendingIo(run: () => void): Disposable;
}
