import type { Clock } from './clock.ts';
import { type Disposable, toDisposable } from './emitter.ts';

/** What measures and waits. */
export type Timers = Pick<Clock, 'nowMs' | 'schedule'>;

// Node.js and browsers have them; this room compiles without the types of either.
declare const performance: { now(): number };
declare function setTimeout(run: () => void, delayMs: number): unknown;
declare function clearTimeout(timer: unknown): void;

/** The timers of this process, or of this page. */
export const ownTimers: Timers = {
  nowMs: () => performance.now(),
  schedule(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return toDisposable(() => clearTimeout(timer));
  },
};

/** How often, and for how long, something that was lost is tried again. */
export interface Patience {
  /** The time between the loss and the first attempt, in ms. Each further pause is twice as long, up to `maxPauseMs`. */
  readonly firstPauseMs: number;
  readonly maxPauseMs: number;
  /** The time after the loss, in ms, in which the pauses do not grow: mostly it is back soon. Default: 0. */
  readonly steadyMs?: number;
  /** Returns how long an outage may last, in ms; asked when one begins. Default: for ever. */
  readonly outageMs?: () => number;
  /** What is lost again sooner than this, in ms, was not back: the same outage goes on. Default: 0. */
  readonly settledMs?: number;
}

/**
 * The outages of something that lasts, such as a connection: when it is tried again, and when it is given up.
 * After each loss and each attempt that failed, call {@link lost} and wait for {@link pause}; after an attempt
 * that succeeded, call {@link back}.
 */
export class Outages {
  readonly #timers: Timers;
  readonly #patience: Patience;
  /** When the last outage ended; -Infinity if the next one is another. */
  #backMs = Number.NEGATIVE_INFINITY;
  #isOpen = false;
  #isEnded = false;
  #untilMs = Number.POSITIVE_INFINITY;
  /** From when on the pauses grow. */
  #growsFromMs = Number.NEGATIVE_INFINITY;
  #nextPauseMs = 0;
  #losses = 0;
  #waiting: { readonly timer: Disposable; readonly resolve: (isDue: boolean) => void } | null =
    null;

  constructor(timers: Timers, patience: Patience) {
    this.#timers = timers;
    this.#patience = patience;
  }

  /** How much longer this outage may last, in ms; at least 0, Infinity outside of one. */
  get leftMs(): number {
    return this.#isOpen
      ? Math.max(0, this.#untilMs - this.#timers.nowMs())
      : Number.POSITIVE_INFINITY;
  }

  /** The calls of {@link lost} in this outage. */
  get losses(): number {
    return this.#losses;
  }

  /** Begins an outage, or goes on with the one that is open. @returns whether another attempt may follow */
  lost(): boolean {
    const { firstPauseMs, steadyMs = 0, outageMs, settledMs = 0 } = this.#patience;
    const nowMs = this.#timers.nowMs();
    if (!this.#isOpen && nowMs - this.#backMs >= settledMs) {
      this.#untilMs = nowMs + (outageMs?.() ?? Number.POSITIVE_INFINITY);
      this.#growsFromMs = nowMs + steadyMs;
      this.#nextPauseMs = firstPauseMs;
      this.#losses = 0;
    }
    this.#isOpen = true;
    this.#losses++;
    // An attempt that begins at the end has no time.
    return !this.#isEnded && nowMs + this.#nextPauseMs < this.#untilMs;
  }

  /** Resolves when it is time for the next attempt: to true, or to false if none must follow any more. */
  pause(): Promise<boolean> {
    this.#settle(false);
    if (this.#isEnded) return Promise.resolve(false);
    const ms = this.#nextPauseMs;
    if (this.#timers.nowMs() >= this.#growsFromMs)
      this.#nextPauseMs = Math.min(ms * 2, this.#patience.maxPauseMs);
    return new Promise((resolve) => {
      const timer = this.#timers.schedule(ms, () => this.#settle(true));
      this.#waiting = { timer, resolve };
    });
  }

  /** Ends a pause, so that the next attempt is made now; the pauses begin anew. @returns false without a pause */
  hurry(): boolean {
    const isPaused = this.#waiting !== null;
    if (isPaused) this.#nextPauseMs = this.#patience.firstPauseMs;
    this.#settle(true);
    return isPaused;
  }

  /** It works again. */
  back(): void {
    this.#isOpen = false;
    this.#backMs = this.#timers.nowMs();
    this.#settle(false);
  }

  /** It works, and has been of use: whatever is lost from now on is another outage. */
  proven(): void {
    this.#backMs = Number.NEGATIVE_INFINITY;
  }

  /** No attempt follows any more. */
  end(): void {
    this.#isEnded = true;
    this.#settle(false);
  }

  #settle(isDue: boolean): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.timer.dispose();
    waiting?.resolve(isDue);
  }
}

/** Resolves as `promise`, or to null once `ms` have passed. @param ms infinite: no limit */
export function within<T>(timers: Timers, ms: number, promise: Promise<T>): Promise<T | null> {
  if (ms === Number.POSITIVE_INFINITY) return promise;
  return new Promise((resolve, reject) => {
    const timer = timers.schedule(ms, () => resolve(null));
    promise.then(resolve, reject).finally(() => timer.dispose());
  });
}

/**
 * Asks for a sign of life each time that `everyMs` have passed since the last answer, until it is disposed.
 *
 * @param tell called when an answer is the first that is missing, and the first after that. At first it answers
 */
export function watchSilence(
  timers: Timers,
  everyMs: number,
  responds: () => Promise<boolean>,
  tell: (isSilent: boolean) => void,
): Disposable {
  let isSilent = false;
  let isOver = false;
  let timer: Disposable;
  const look = async () => {
    const isAnswered = await responds();
    if (isOver) return;
    if (isAnswered === isSilent) {
      isSilent = !isAnswered;
      tell(isSilent);
    }
    later();
  };
  const later = () => {
    if (!isOver) timer = timers.schedule(everyMs, () => void look());
  };
  later();
  return toDisposable(() => {
    isOver = true;
    timer.dispose();
  });
}
