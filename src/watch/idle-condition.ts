import type { Clock, Disposable } from '#base';
import { clampWaitMs, defaultQuietMs, type SessionEvent } from '#model';
import type { Condition, Held, Look } from './wait.ts';
import type { Watched } from './watched.ts';

/**
 * A timer that fires later than this, in ms, says that this process was stopped, and maybe the
 * program with it: nobody was looking, so the silence counts from now on.
 */
const stallMs = 500;

/**
 * Holds when the screen has not changed for `quietMs` (0 to a day, {@link defaultQuietMs} when
 * absent). Output that paints the same again is no change; lines that scroll away are, even when
 * those after them look the same.
 */
export function idleCondition(quietMs?: number): Condition {
  const forMs = clampWaitMs(quietMs, defaultQuietMs);
  return {
    start: (watched, clock, hold) => new IdleLook(watched, clock, forMs, hold),
  };
}

class IdleLook implements Look {
  readonly #watched: Watched;
  readonly #clock: Clock;
  readonly #quietMs: number;
  readonly #hold: (held: Held) => void;
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
    this.#timer = this.#schedule(quietMs);
  }

  onEvent({ type }: SessionEvent): void {
    if (type !== 'output' && type !== 'resize') return;
    const fingerprint = this.#watched.fingerprint();
    // Another size is a change also where nothing stands that would move.
    if (fingerprint === this.#fingerprint && type !== 'resize') return;
    this.#fingerprint = fingerprint;
    this.#changedMs = this.#clock.nowMs();
  }

  dispose(): void {
    this.#timer.dispose();
  }

  /** One timer at a time, set anew when it fires: changes come more often than timers are cheap. */
  #schedule(delayMs: number): Disposable {
    const dueMs = this.#clock.nowMs() + delayMs;
    return this.#clock.schedule(delayMs, () => {
      if (this.#clock.nowMs() > dueMs + stallMs) this.#changedMs = this.#clock.nowMs();
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
