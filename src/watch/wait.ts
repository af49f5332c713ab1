import type { Clock, Disposable } from '#base';
import {
  asVtrError,
  type CancelSignal,
  clampWaitMs,
  defaultWaitMs,
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
  /** Begins to look. `hold` is to be called when it holds: later, and as often as it likes. */
  start(watched: Watched, clock: Clock, hold: (held: Held) => void): Look;
}

/** A condition that is being looked at. */
export interface Look extends Disposable {
  onEvent(event: SessionEvent): void;
}

/** Waits for nothing but the exit. */
export const exitOnly: Condition = { start: () => ({ onEvent() {}, dispose() {} }) };

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
    this.#timeoutMs = clampWaitMs(options.timeoutMs, defaultWaitMs);
    this.#startedMs = clock.nowMs();
    this.#resolve = resolve;
    this.#reject = reject;
  }

  start(condition: Condition, signal: CancelSignal | undefined): void {
    if (signal?.aborted) this.#fail(cancelled());
    else if (this.#watched.exitStatus !== null) this.#settle({ outcome: 'exited' });
    else this.#watch(condition, signal);
  }

  #watch(condition: Condition, signal: CancelSignal | undefined): void {
    if (signal !== undefined) this.#watchCancel(signal);
    const look = condition.start(this.#watched, this.#clock, (held) => this.#settle(held));
    this.#own(look);
    this.#own(this.#watched.onEvent((event) => this.#onEvent(look, event)));
    this.#own(this.#clock.schedule(this.#timeoutMs, () => this.#onDeadline()));
  }

  #onEvent(look: Look, event: SessionEvent): void {
    try {
      look.onEvent(event);
    } catch (error) {
      // A look that is broken would wait for its deadline and find nothing.
      this.#fail(asVtrError(error));
    }
    if (event.type === 'exit') this.#settle({ outcome: 'exited' });
  }

  /** What came in time, and only waits to be read, still counts. */
  #onDeadline(): void {
    this.#own(this.#clock.afterPendingIo(() => this.#settle({ outcome: 'timed_out' })));
  }

  #watchCancel(signal: CancelSignal): void {
    const onAbort = () => this.#fail(cancelled());
    signal.addEventListener('abort', onAbort);
    this.#own({ dispose: () => signal.removeEventListener('abort', onAbort) });
  }

  #fail(error: VtrError): void {
    if (this.#settled) return;
    this.#finish();
    this.#reject(error);
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

function cancelled(): VtrError {
  return new VtrError('CANCELLED', 'the wait was cancelled; the program goes on');
}
