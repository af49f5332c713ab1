import type { Clock, Disposable } from '#base';
import {
  type CancelSignal,
  defaultWaitMs,
  maxWaitMs,
  type SessionEvent,
  type TextMatch,
  VtrError,
  type WaitOptions,
  type WaitOutcome,
  type WaitResult,
} from '#model';
import type { Watched } from './watched.ts';

/** What a condition reports when it holds. */
export interface Held {
  readonly outcome: WaitOutcome;
  readonly match?: TextMatch;
}

/** Something to wait for, besides the exit and the deadline, which end every wait. */
export interface Condition {
  /** Begins to look; `hold` is to be called when it holds, at once or later, once or more often. */
  start(watched: Watched, clock: Clock, hold: (held: Held) => void): Disposable;
}

/** Waits for nothing but the exit. */
export const exitOnly: Condition = { start: () => ({ dispose() {} }) };

/**
 * Waits until the condition holds, the program exits, or the deadline passes, whichever is first.
 * Counted from the call: what happened before is not looked at.
 *
 * @throws VtrError CANCELLED when `options.signal` says so; the program is left alone.
 */
export function waitFor(
  watched: Watched,
  condition: Condition,
  options: WaitOptions,
  clock: Clock,
): Promise<WaitResult> {
  return new Promise((resolve, reject) => {
    new Wait(watched, clock, options, resolve, reject).start(condition, options.signal);
  });
}

class Wait {
  readonly #watched: Watched;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #startedMs: number;
  readonly #resolve: (result: WaitResult) => void;
  readonly #reject: (error: VtrError) => void;
  #resources: Disposable[] = [];
  #settled = false;

  constructor(
    watched: Watched,
    clock: Clock,
    options: WaitOptions,
    resolve: (result: WaitResult) => void,
    reject: (error: VtrError) => void,
  ) {
    this.#watched = watched;
    this.#clock = clock;
    this.#timeoutMs = clampWait(options.timeoutMs);
    this.#startedMs = clock.nowMs();
    this.#resolve = resolve;
    this.#reject = reject;
  }

  start(condition: Condition, signal: CancelSignal | undefined): void {
    if (signal?.aborted) this.#cancel();
    else if (this.#watched.exitStatus !== null) this.#settle({ outcome: 'exited' });
    else this.#watch(condition, signal);
  }

  #watch(condition: Condition, signal: CancelSignal | undefined): void {
    if (signal !== undefined) this.#watchCancel(signal);
    this.#own(condition.start(this.#watched, this.#clock, (held) => this.#settle(held)));
    // After the condition: output that comes with the exit is looked at first.
    this.#own(this.#watched.onEvent((event) => this.#onEvent(event)));
    this.#own(this.#clock.schedule(this.#timeoutMs, () => this.#onDeadline()));
  }

  #onEvent(event: SessionEvent): void {
    if (event.type === 'exit') this.#settle({ outcome: 'exited' });
  }

  /** What came in time, and only waits to be read, still counts. */
  #onDeadline(): void {
    this.#own(this.#clock.afterPendingIo(() => this.#settle({ outcome: 'timed_out' })));
  }

  #watchCancel(signal: CancelSignal): void {
    const onAbort = () => this.#cancel();
    signal.addEventListener('abort', onAbort);
    this.#own({ dispose: () => signal.removeEventListener('abort', onAbort) });
  }

  #cancel(): void {
    if (this.#settled) return;
    this.#finish();
    this.#reject(new VtrError('CANCELLED', 'the wait was cancelled; the program goes on'));
  }

  #settle(held: Held): void {
    if (this.#settled) return;
    this.#finish();
    this.#resolve({
      ...held,
      exitStatus: this.#watched.exitStatus,
      revision: this.#watched.revision,
      timeoutMs: this.#timeoutMs,
      elapsedMs: this.#clock.nowMs() - this.#startedMs,
    });
  }

  #own(resource: Disposable): void {
    if (this.#settled) resource.dispose();
    else this.#resources.push(resource);
  }

  #finish(): void {
    this.#settled = true;
    for (const resource of this.#resources) resource.dispose();
    this.#resources = [];
  }
}

/** Time-outs are clamped and never refused; what is no number is as if it were not given. */
function clampWait(timeoutMs: number | undefined): number {
  if (timeoutMs === undefined || Number.isNaN(timeoutMs)) return defaultWaitMs;
  return Math.min(Math.max(0, timeoutMs), maxWaitMs);
}
