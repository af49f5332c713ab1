import type { Clock, Disposable } from '#base';
import { clampWaitMs, defaultQuietMs, type SessionEvent } from '#model';
import { type Masks, ScreenChanges } from './screen-changes.ts';
import type { Condition, Held, Look } from './wait.ts';

/**
 * A timer that fires later than this, in ms, says that this process was stopped, and maybe the
 * program with it: nobody was looking, so the silence counts from now on.
 */
const stallMs = 500;

/**
 * Holds when the screen has not changed for `quietMs` (0 to a day). Output that paints the same again
 * is no change, nor is what the masks take out; lines that scroll away are one, even when those after
 * them look the same.
 */
export function idleCondition(quietMs: number, masks: Masks): Condition {
  const forMs = clampWaitMs(quietMs, defaultQuietMs);
  return {
    start: (watched, clock, hold) =>
      new IdleLook(new ScreenChanges(watched, masks), clock, forMs, hold),
  };
}

class IdleLook implements Look {
  readonly #changes: ScreenChanges;
  readonly #clock: Clock;
  readonly #quietMs: number;
  readonly #hold: (held: Held) => void;
  #timer: Disposable;
  #changedMs: number;

  constructor(changes: ScreenChanges, clock: Clock, quietMs: number, hold: (held: Held) => void) {
    this.#changes = changes;
    this.#clock = clock;
    this.#quietMs = quietMs;
    this.#hold = hold;
    this.#changedMs = clock.nowMs();
    this.#timer = this.#schedule(quietMs);
  }

  onEvent({ type }: SessionEvent): void {
    if (type !== 'output' && type !== 'resize') return;
    const change = this.#changes.next();
    // Another size is a change also where nothing stands that would move.
    if (change === 'real' || type === 'resize') this.#changedMs = this.#clock.nowMs();
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
    if (leftMs <= 0) this.#hold({ outcome: 'idle', masked: this.#changes.masked });
    else this.#timer = this.#schedule(leftMs);
  }
}
