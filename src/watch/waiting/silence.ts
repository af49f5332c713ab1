import type { Clock, Disposable } from '#base';
import type { SessionEvent } from '#model';
import type { Watched } from '../watched.ts';
import { type Masks, ScreenChanges } from './screen-changes.ts';

/**
 * If a timer is later than this, in ms, this process was suspended, and maybe the program too. The
 * silence is then counted from now on.
 */
const stallMs = 500;

/**
 * Measures for how long the screen has not changed. Repainting the same content and masked rows are
 * not changes. Scrolling is a change, even if the screen looks the same afterwards.
 */
export class Silence implements Disposable {
  readonly #changes: ScreenChanges;
  readonly #clock: Clock;
  readonly #onQuiet: () => void;
  #timer: Disposable | null = null;
  #isDisposed = false;
  #changedMs: number;
  #quietMs = 0;

  /** @param onQuiet called each time the silence that {@link until} requests is reached */
  constructor(watched: Watched, masks: Masks, clock: Clock, onQuiet: () => void) {
    this.#changes = new ScreenChanges(watched, masks, clock);
    this.#clock = clock;
    this.#onQuiet = onQuiet;
    this.#changedMs = clock.nowMs();
  }

  /** When the silence began, in ms of the clock. */
  get sinceMs(): number {
    return this.#changedMs;
  }

  /** The rows whose changes were ignored, as they look now. */
  get masked(): readonly string[] {
    return this.#changes.masked;
  }

  /** Calls `onQuiet` once nothing has changed for `quietMs`; replaces an earlier request. */
  until(quietMs: number): void {
    this.#timer?.dispose();
    this.#quietMs = quietMs;
    this.#schedule(this.#leftMs);
  }

  /** Begins the silence again. */
  restart(): void {
    this.#changedMs = this.#clock.nowMs();
  }

  /** Returns whether the event ended the silence. */
  onEvent({ type }: SessionEvent): boolean {
    if (type !== 'output' && type !== 'resize') return false;
    const change = this.#changes.next();
    // A resize is a change even of an empty screen.
    if (change !== 'real' && type !== 'resize') return false;
    this.restart();
    return true;
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#timer?.dispose();
  }

  get #leftMs(): number {
    return this.#changedMs + this.#quietMs - this.#clock.nowMs();
  }

  /** One timer, restarted when it fires: to restart it on every change would cost more. */
  #schedule(delayMs: number): void {
    if (this.#isDisposed) return;
    const dueMs = this.#clock.nowMs() + delayMs;
    this.#timer = this.#clock.schedule(delayMs, () => {
      if (this.#clock.nowMs() > dueMs + stallMs) this.restart();
      // Timers fire before I/O: after a suspension, the output that arrived meanwhile has not been
      // read.
      this.#timer = this.#clock.afterPendingIo(() => this.#onTimer());
    });
  }

  #onTimer(): void {
    const leftMs = this.#leftMs;
    if (leftMs <= 0) this.#onQuiet();
    else this.#schedule(leftMs);
  }
}
