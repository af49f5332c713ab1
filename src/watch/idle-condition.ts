import type { Clock, Disposable } from '#base';
import type { Condition, Held } from './wait.ts';
import type { Watched } from './watched.ts';

/**
 * Holds when the screen has not changed for `quietMs`. Output that paints the same again is no
 * change; lines that scroll away are, even when those after them look the same.
 */
export function idleCondition(quietMs: number): Condition {
  return {
    start: (watched, clock, hold) => new IdleWatch(watched, clock, quietMs, hold),
  };
}

class IdleWatch implements Disposable {
  readonly #watched: Watched;
  readonly #clock: Clock;
  readonly #quietMs: number;
  readonly #hold: (held: Held) => void;
  readonly #events: Disposable;
  #timer: Disposable;
  #fingerprint: number;
  #changedMs: number;

  constructor(watched: Watched, clock: Clock, quietMs: number, hold: (held: Held) => void) {
    this.#watched = watched;
    this.#clock = clock;
    this.#quietMs = quietMs;
    this.#hold = hold;
    this.#fingerprint = watched.fingerprint();
    this.#changedMs = clock.nowMs();
    this.#events = watched.onEvent(({ type }) => {
      if (type === 'output' || type === 'resize') this.#look();
    });
    this.#timer = this.#schedule(quietMs);
  }

  dispose(): void {
    this.#events.dispose();
    this.#timer.dispose();
  }

  #look(): void {
    const fingerprint = this.#watched.fingerprint();
    if (fingerprint === this.#fingerprint) return;
    this.#fingerprint = fingerprint;
    this.#changedMs = this.#clock.nowMs();
  }

  /** One timer at a time, set anew when it fires: changes come more often than timers are cheap. */
  #schedule(delayMs: number): Disposable {
    return this.#clock.schedule(delayMs, () => {
      // Timers fire before I/O: after a stall the output that came meanwhile has not been read yet.
      this.#timer = this.#clock.afterPendingIo(() => this.#onQuiet());
    });
  }

  #onQuiet(): void {
    const leftMs = this.#changedMs + this.#quietMs - this.#clock.nowMs();
    if (leftMs <= 0) this.#hold({ outcome: 'idle' });
    else this.#timer = this.#schedule(leftMs);
  }
}
