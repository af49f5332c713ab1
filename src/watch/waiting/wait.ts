import type { Clock, Disposable } from '#base';
import {
  type Activity,
  asVtrError,
  type CancelSignal,
  type CommandRecord,
  checkBudget,
  clampWaitMs,
  type DriverState,
  defaultWaitMs,
  type Excerpt,
  type MatchedPattern,
  type Menu,
  type ReadBudget,
  type SessionEvent,
  type TextMatch,
  VtrError,
  type WaitOutcome,
  type WaitRequest,
  type WaitResult,
} from '#model';
import { emptyExcerpt } from '../reading/excerpt.ts';
import { outputSince } from '../reading/read.ts';
import { type Mark, markNow, parseMark } from '../reading/read-mark.ts';
import type { Readable, Watched } from '../watched.ts';

/** The report of a condition that is met. */
export interface ConditionMet {
  readonly outcome: WaitOutcome;
  readonly pattern?: MatchedPattern;
  readonly match?: TextMatch;
  readonly command?: CommandRecord;
  readonly question?: string;
  readonly guess?: boolean;
  readonly menu?: Menu;
  readonly inEcho?: boolean;
  readonly matchedBefore?: TextMatch;
  readonly activity?: Activity;
  readonly masked?: readonly string[];
  readonly driver?: DriverState;
}

/** A condition of a wait. The exit and the timeout, which end every wait, are not conditions. */
export interface Condition {
  /**
   * Begins to check the condition. Calls `onMet` when it is met: during the call if it is met
   * already, or later, any number of times.
   *
   * @param since the mark to begin at; null for now
   */
  start(
    watched: Watched,
    clock: Clock,
    onMet: (met: ConditionMet) => void,
    since: Mark | null,
  ): ConditionCheck;
}

/** A condition that is being checked. */
export interface ConditionCheck extends Disposable {
  onEvent(event: SessionEvent): void;
  /** Returns fields for the result of a wait that times out. */
  onTimeout?(): Partial<Omit<ConditionMet, 'outcome'>>;
}

/** How much of the output a wait returns by default. */
const usualTail: ReadBudget = { maxLines: 20, maxBytes: 4096 };

/** Reads the activity for the result of a wait that times out; null if it is not known in time. */
export type ReadActivity = (onRead: (activity: Activity | null) => void) => Disposable;

/**
 * Waits until a condition is met, the program exits, or the timeout passes, whichever is first. The
 * promise rejects with CANCELLED if `request.signal` is aborted; the program is not affected.
 *
 * @param shown the session as the result shows it; null if its output is not wanted
 * @throws VtrError INVALID_MARK, INVALID_ARGUMENT: synchronously, before the wait begins
 */
export function waitForAny(
  watched: Watched,
  conditions: readonly Condition[],
  request: WaitRequest,
  clock: Clock,
  readActivity: ReadActivity | null = null,
  shown: Readable | null = watched,
): Promise<WaitResult> {
  checkBudget(request.tail ?? usualTail);
  const since = request.since === undefined ? null : parseMark(watched, request.since);
  return new Promise((resolve, reject) => {
    const answer = { resolve, reject };
    new Wait({ watched, shown }, clock, request, answer, readActivity).start(conditions, since);
  });
}

interface Answer {
  readonly resolve: (result: WaitResult) => void;
  readonly reject: (error: VtrError) => void;
}

class Wait {
  readonly #watched: Watched;
  readonly #shown: Readable | null;
  readonly #clock: Clock;
  readonly #request: WaitRequest;
  readonly #timeoutMs: number;
  readonly #startedMs: number;
  /** The beginning of the output that the result returns. */
  readonly #begin: Mark;
  readonly #answer: Answer;
  readonly #readActivity: ReadActivity | null;
  #resources: Disposable[] = [];
  #settled = false;

  constructor(
    { watched, shown }: { readonly watched: Watched; readonly shown: Readable | null },
    clock: Clock,
    request: WaitRequest,
    answer: Answer,
    readActivity: ReadActivity | null,
  ) {
    this.#readActivity = readActivity;
    this.#watched = watched;
    this.#shown = shown;
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
    const checks = conditions.map((condition) => {
      const onMet = (met: ConditionMet) => this.#settle(met);
      return condition.start(this.#watched, this.#clock, onMet, since);
    });
    for (const check of checks) this.#own(check);
    if (this.#watched.exitStatus !== null) this.#settle({ outcome: 'exited' });
    if (this.#settled) return;
    if (signal !== undefined) this.#watchCancel(signal);
    this.#own(this.#watched.onEvent((event) => this.#onEvent(checks, event)));
    this.#own(this.#clock.schedule(this.#timeoutMs, () => this.#onDeadline(checks)));
  }

  #onEvent(checks: readonly ConditionCheck[], event: SessionEvent): void {
    try {
      for (const check of checks) if (!this.#settled) check.onEvent(event);
    } catch (error) {
      // Otherwise a defective check would be silent until the timeout.
      this.#fail(asVtrError(error));
    }
    if (event.type === 'exit') this.#settle({ outcome: 'exited' });
  }

  /** Output that arrived in time and has not been read yet still counts. */
  #onDeadline(checks: readonly ConditionCheck[]): void {
    const timeOut = (activity: Activity | null) => {
      if (this.#settled) return;
      const notes = checks.map((check) => check.onTimeout?.() ?? {});
      const known = activity === null ? {} : { activity };
      this.#settle(Object.assign({}, ...notes, known, { outcome: 'timed_out' }));
    };
    const read = () => {
      // A wait without a time is a poll, which must be cheap.
      if (this.#readActivity === null || this.#timeoutMs === 0) timeOut(null);
      else this.#own(this.#readActivity(timeOut));
    };
    this.#own(this.#clock.afterPendingIo(read));
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

  #settle(met: ConditionMet): void {
    if (this.#settled) return;
    this.#finish();
    this.#answer.resolve({
      ...met,
      exitStatus: this.#watched.exitStatus,
      output: this.#output(met),
      mark: markNow(this.#watched),
      revision: this.#watched.terminal.revision,
      timeoutMs: this.#timeoutMs,
      elapsedMs: this.#clock.nowMs() - this.#startedMs,
    });
  }

  /** The next prompt, which may have been printed by now, is not output of the command. */
  #output({ outcome, command }: ConditionMet): Excerpt {
    if (this.#shown === null) return emptyExcerpt;
    const end = outcome === 'finished' ? (command?.to ?? null) : null;
    return outputSince(this.#shown, this.#begin, this.#request.tail ?? usualTail, end);
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
  return new VtrError('CANCELLED', 'the wait was cancelled; the program is not affected');
}
