import type { Clock, Disposable } from '#base';
import {
  asVtrError,
  type CancelSignal,
  type CommandRecord,
  checkBudget,
  clampWaitMs,
  defaultWaitMs,
  type MatchedPattern,
  type ReadBudget,
  type SessionEvent,
  type TextMatch,
  VtrError,
  type WaitOutcome,
  type WaitRequest,
  type WaitResult,
} from '#model';
import { outputSince } from '../reading/read.ts';
import { type Mark, markNow, parseMark } from '../reading/read-mark.ts';
import type { Watched } from '../watched.ts';

/** What a condition reports when it holds. */
export interface Held {
  readonly outcome: WaitOutcome;
  readonly pattern?: MatchedPattern;
  readonly match?: TextMatch;
  readonly command?: CommandRecord;
  readonly masked?: readonly string[];
}

/** Something to wait for, besides the exit and the deadline, which end every wait. */
export interface Condition {
  /**
   * Begins to look. `hold` is to be called when it holds: at once, where it does already, or later,
   * and as often as it likes.
   *
   * @param since where to begin; null for now
   */
  start(watched: Watched, clock: Clock, hold: (held: Held) => void, since: Mark | null): Look;
}

/** A condition that is being looked at. */
export interface Look extends Disposable {
  onEvent(event: SessionEvent): void;
}

/** How much of the output a wait tells when its caller does not say. */
const usualTail: ReadBudget = { maxLines: 20, maxBytes: 4096 };

/**
 * Waits until one of the conditions holds, the program exits, or the deadline passes, whichever is
 * first. The answer rejects with CANCELLED when `request.signal` says so; the program is left alone.
 *
 * @throws VtrError INVALID_MARK, INVALID_ARGUMENT: at once, before anything is waited for
 */
export function waitForAny(
  watched: Watched,
  conditions: readonly Condition[],
  request: WaitRequest,
  clock: Clock,
): Promise<WaitResult> {
  checkBudget(request.tail ?? usualTail);
  const since = request.since === undefined ? null : parseMark(watched, request.since);
  return new Promise((resolve, reject) => {
    new Wait(watched, clock, request, { resolve, reject }).start(conditions, since);
  });
}

interface Answer {
  readonly resolve: (result: WaitResult) => void;
  readonly reject: (error: VtrError) => void;
}

class Wait {
  readonly #watched: Watched;
  readonly #clock: Clock;
  readonly #request: WaitRequest;
  readonly #timeoutMs: number;
  readonly #startedMs: number;
  /** Where the output begins that the answer tells of. */
  readonly #begin: Mark;
  readonly #answer: Answer;
  #resources: Disposable[] = [];
  #settled = false;

  constructor(watched: Watched, clock: Clock, request: WaitRequest, answer: Answer) {
    this.#watched = watched;
    this.#clock = clock;
    this.#request = request;
    this.#timeoutMs = clampWaitMs(request.timeoutMs, defaultWaitMs);
    this.#startedMs = clock.nowMs();
    this.#begin = parseMark(watched, request.since ?? markNow(watched));
    this.#answer = answer;
  }

  start(conditions: readonly Condition[], since: Mark | null): void {
    const { signal } = this.#request;
    if (signal?.aborted) {
      this.#fail(cancelled());
      return;
    }
    const looks = conditions.map((condition) => {
      const hold = (held: Held) => this.#settle(held);
      return condition.start(this.#watched, this.#clock, hold, since);
    });
    for (const look of looks) this.#own(look);
    if (this.#watched.exitStatus !== null) this.#settle({ outcome: 'exited' });
    if (this.#settled) return;
    if (signal !== undefined) this.#watchCancel(signal);
    this.#own(this.#watched.onEvent((event) => this.#onEvent(looks, event)));
    this.#own(this.#clock.schedule(this.#timeoutMs, () => this.#onDeadline()));
  }

  #onEvent(looks: readonly Look[], event: SessionEvent): void {
    try {
      for (const look of looks) look.onEvent(event);
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
    this.#answer.reject(error);
  }

  #settle(held: Held): void {
    if (this.#settled) return;
    this.#finish();
    this.#answer.resolve({
      ...held,
      exitStatus: this.#watched.exitStatus,
      output: outputSince(this.#watched, this.#begin, this.#request.tail ?? usualTail),
      mark: markNow(this.#watched),
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
