import type { Clock, Disposable } from '#base';
import { clampWaitMs, defaultQuietMs, type SessionEvent } from '#model';
import { type Masks, ScreenChanges } from './screen-changes.ts';
import type { Condition, ConditionCheck, ConditionMet } from './wait.ts';

/**
 * If a timer is later than this, in ms, this process was suspended, and maybe the program too. The
 * silence is then counted from now on.
 */
const stallMs = 500;

/**
 * Met when the screen has not changed for `quietMs`, 0 to one day. Repainting the same content and
 * masked rows are not changes. Scrolling is a change, even if the screen looks the same afterwards.
 */
export function idleCondition(quietMs: number, masks: Masks): Condition {
  const forMs = clampWaitMs(quietMs, defaultQuietMs);
  return {
    start: (watched, clock, onMet) =>
      new IdleCheck(new ScreenChanges(watched, masks), clock, forMs, onMet),
  };
}

class IdleCheck implements ConditionCheck {
  readonly #changes: ScreenChanges;
  readonly #clock: Clock;
  readonly #quietMs: number;
  readonly #onMet: (met: ConditionMet) => void;
  #timer: Disposable;
  #changedMs: number;

  constructor(
    changes: ScreenChanges,
    clock: Clock,
    quietMs: number,
    onMet: (met: ConditionMet) => void,
  ) {
    this.#changes = changes;
    this.#clock = clock;
    this.#quietMs = quietMs;
    this.#onMet = onMet;
    this.#changedMs = clock.nowMs();
    this.#timer = this.#schedule(quietMs);
  }

  onEvent({ type }: SessionEvent): void {
    if (type !== 'output' && type !== 'resize') return;
    const change = this.#changes.next();
    // A resize is a change even of an empty screen.
    if (change === 'real' || type === 'resize') this.#changedMs = this.#clock.nowMs();
  }

  dispose(): void {
    this.#timer.dispose();
  }

  /** One timer, restarted when it fires: to restart it on every change would cost more. */
  #schedule(delayMs: number): Disposable {
    const dueMs = this.#clock.nowMs() + delayMs;
    return this.#clock.schedule(delayMs, () => {
      if (this.#clock.nowMs() > dueMs + stallMs) this.#changedMs = this.#clock.nowMs();
      // Timers fire before I/O: after a suspension, the output that arrived meanwhile has not been
      // read.
      this.#timer = this.#clock.afterPendingIo(() => this.#onQuiet());
    });
  }

  #onQuiet(): void {
    const leftMs = this.#changedMs + this.#quietMs - this.#clock.nowMs();
    if (leftMs <= 0) this.#onMet({ outcome: 'idle', masked: this.#changes.masked });
    else this.#timer = this.#schedule(leftMs);
  }
}
