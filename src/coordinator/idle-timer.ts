import { type Clock, type Disposable, toDisposable } from '#base';

export interface IdleTimerOptions {
  readonly clock: Clock;
  readonly idleMs: number;
  readonly onIdle: () => void;
}

/** A timer that comes so late has not been waited for. */
const stoppedMs = 1_000;

/** Tells once when something has not been used for a while, and is not in use. */
export class IdleTimer implements Disposable {
  readonly #options: IdleTimerOptions;
  #users = 0;
  #usedAtMs: number;
  #next: Disposable;

  constructor(options: IdleTimerOptions) {
    this.#options = options;
    this.#usedAtMs = options.clock.nowMs();
    this.#next = this.#after(options.idleMs);
  }

  touch(): void {
    this.#usedAtMs = this.#options.clock.nowMs();
  }

  /** It is in use until the answer is disposed of. */
  use(): Disposable {
    this.#users++;
    return toDisposable(() => {
      this.#users--;
      this.touch();
    });
  }

  dispose(): void {
    this.#next.dispose();
  }

  /** When it will have been idle for long enough, if it is not used before; 0 for now. */
  #leftMs(): number {
    const { clock, idleMs } = this.#options;
    if (this.#users > 0) return idleMs;
    return Math.max(0, this.#usedAtMs + idleMs - clock.nowMs());
  }

  #after(delayMs: number): Disposable {
    const { clock } = this.#options;
    const dueMs = clock.nowMs() + delayMs;
    return clock.schedule(delayMs, () => {
      // This process was stopped, and whoever uses the session may have been stopped as well.
      if (clock.nowMs() - dueMs > stoppedMs) this.touch();
      // Use may have come that nobody has told yet.
      this.#next = clock.afterPendingIo(() => this.#check());
    });
  }

  #check(): void {
    const leftMs = this.#leftMs();
    if (leftMs === 0) this.#options.onIdle();
    else this.#next = this.#after(leftMs);
  }
}
