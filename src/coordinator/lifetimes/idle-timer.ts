import { type Clock, type Disposable, toDisposable } from '#base';

export interface IdleTimerOptions {
  readonly clock: Clock;
  readonly idleMs: number;
  /** How long it has not been used already; default 0. */
  readonly unusedMs?: number;
  readonly onIdle: () => void;
}

/** If a timer is later than this, in ms, this process was suspended. */
const suspendedMs = 1_000;

/** Calls `onIdle` once, when something has not been in use for `idleMs`. */
export class IdleTimer implements Disposable {
  readonly #options: IdleTimerOptions;
  #users = 0;
  #usedAtMs: number;
  #next: Disposable;

  constructor(options: IdleTimerOptions) {
    const { clock, idleMs, unusedMs = 0 } = options;
    this.#options = options;
    this.#usedAtMs = clock.nowMs() - unusedMs;
    this.#next = this.#after(Math.max(0, idleMs - unusedMs));
  }

  /** How long it has not been used; null while it is. */
  get unusedMs(): number | null {
    return this.#users > 0 ? null : this.#options.clock.nowMs() - this.#usedAtMs;
  }

  /** Records a use. */
  touch(): void {
    this.#usedAtMs = this.#options.clock.nowMs();
  }

  /** Begins a use, which lasts until the result is disposed. */
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

  /** Returns how long until it is idle if it is not used; 0 if it is idle now. */
  #leftMs(): number {
    const { clock, idleMs } = this.#options;
    if (this.#users > 0) return idleMs;
    return Math.max(0, this.#usedAtMs + idleMs - clock.nowMs());
  }

  #after(delayMs: number): Disposable {
    const { clock } = this.#options;
    const dueMs = clock.nowMs() + delayMs;
    return clock.schedule(delayMs, () => {
      // While this process was suspended, the users of the session may have been suspended too.
      if (clock.nowMs() - dueMs > suspendedMs) this.touch();
      // A use may have happened that is not recorded yet.
      this.#next = clock.afterPendingIo(() => this.#check());
    });
  }

  #check(): void {
    const leftMs = this.#leftMs();
    if (leftMs === 0) this.#options.onIdle();
    else this.#next = this.#after(leftMs);
  }
}
