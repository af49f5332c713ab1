import type { Clock, Disposable } from '#base';
import {
  type Activity,
  type AgentInfo,
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
  type ToldStatus,
  VtrError,
  type WaitOutcome,
  type WaitRequest,
  type WaitResult,
} from '#model';
import { emptyExcerpt } from '../reading/excerpt.ts';
import { outputSince } from '../reading/read.ts';
import { type Mark, markNow, parseMark } from '../reading/read-mark.ts';
import { firstUnread } from '../reading/stretches.ts';
import type { Readable, Watched } from '../watched.ts';

/** The report of a condition that is met. */
export interface ConditionMet {
  readonly outcome: WaitOutcome;
  readonly pattern?: MatchedPattern;
  readonly match?: TextMatch;
  readonly command?: CommandRecord;
  readonly question?: string;
  readonly questionId?: string;
  readonly guess?: boolean;
  readonly menu?: Menu;
  readonly program?: string;
  readonly inEcho?: boolean;
  readonly redrawn?: boolean;
  readonly matchedBefore?: TextMatch;
  readonly activity?: Activity;
  readonly masked?: readonly string[];
  readonly driver?: DriverState;
  readonly agent?: AgentInfo;
  readonly programStatus?: ToldStatus;
  readonly noAgent?: true;
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
  /** Resolves when earlier output has been searched, which may take many turns; null if it has been. */
  readonly searching?: Promise<void> | null;
  /** Lines that this search could not read. */
  readonly lostLines?: number;
  /** Called at the deadline: later output does not count. */
  onDeadline?(): void;
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
 * @param onMet called when it is decided how the wait ends, before its result is made
 * @throws VtrError INVALID_MARK, INVALID_ARGUMENT: synchronously, before the wait begins
 */
export function waitForAny(
  watched: Watched,
  conditions: readonly Condition[],
  request: WaitRequest,
  clock: Clock,
  readActivity: ReadActivity | null = null,
  shown: Readable | null = watched,
  onMet: (met: ConditionMet) => void = () => {},
): Promise<WaitResult> {
  checkBudget(request.tail ?? usualTail);
  const since = request.since === undefined ? null : parseMark(watched, request.since);
  return new Promise((resolve, reject) => {
    const answer = { onMet, resolve, reject };
    new Wait({ watched, shown }, clock, request, answer, readActivity).start(conditions, since);
  });
}

interface Answer {
  readonly onMet: (met: ConditionMet) => void;
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
  #checks: readonly ConditionCheck[] = [];
  /** The places in {@link #checks} of those that still search earlier output. */
  readonly #searching = new Set<number>();
  /** The first that was met. It ends the wait when those before it have searched earlier output. */
  #met: { readonly order: number; readonly met: ConditionMet } | null = null;
  /** Output since the mark that could not be searched when the wait began. */
  readonly #lost: Lost;

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
    this.#lost = lostSince(watched, this.#begin, request);
    this.#answer = answer;
  }

  start(conditions: readonly Condition[], since: Mark | null): void {
    const { signal } = this.#request;
    if (signal?.aborted) {
      this.#fail(cancelled());
      return;
    }
    const checks = conditions.map((condition, order) => {
      const onMet = (met: ConditionMet) => this.#onMet(met, order);
      const check = condition.start(this.#watched, this.#clock, onMet, since);
      if (check.searching) this.#awaitSearch(check.searching, order);
      return check;
    });
    this.#checks = checks;
    for (const check of checks) this.#own(check);
    if (this.#watched.exitStatus !== null) this.#onMet({ outcome: 'exited' }, checks.length);
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
    if (event.type === 'exit') this.#onMet({ outcome: 'exited' }, checks.length);
  }

  #awaitSearch(searching: Promise<void>, order: number): void {
    this.#searching.add(order);
    const onDone = () => {
      this.#searching.delete(order);
      this.#settleIfDecided();
    };
    searching.then(onDone, (error) => this.#fail(asVtrError(error)));
  }

  /** What an earlier condition finds in earlier output comes first. */
  #onMet(met: ConditionMet, order: number): void {
    if (this.#met === null || order < this.#met.order) this.#met = { order, met };
    this.#settleIfDecided();
  }

  #settleIfDecided(): void {
    if (this.#met === null) return;
    const { order, met } = this.#met;
    if ([...this.#searching].every((each) => each >= order)) this.#settle(met);
  }

  /** Output that arrived in time and has not been read yet still counts. */
  #onDeadline(checks: readonly ConditionCheck[]): void {
    for (const check of checks) check.onDeadline?.();
    const timeOut = (activity: Activity | null) => {
      if (this.#settled) return;
      const notes = checks.map((check) => check.onTimeout?.() ?? {});
      const fields = activity === null ? {} : { activity };
      this.#settle(Object.assign({}, ...notes, fields, { outcome: 'timed_out' }));
    };
    const read = () => {
      // A wait without a time is a poll, which must be cheap.
      if (this.#readActivity === null || this.#timeoutMs === 0) timeOut(null);
      else this.#own(this.#readActivity(timeOut));
    };
    const searching = checks.flatMap((check) => check.searching ?? []);
    if (this.#searching.size === 0) this.#own(this.#clock.afterPendingIo(read));
    else
      Promise.all(searching).then(
        () => this.#settled || read(),
        () => {},
      );
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
    this.#answer.onMet(met);
    this.#answer.resolve({
      ...met,
      ...this.#lostFields(),
      exitStatus: this.#watched.exitStatus,
      output: this.#output(met),
      mark: markNow(this.#watched),
      revision: this.#watched.terminal.revision,
      timeoutMs: this.#timeoutMs,
      elapsedMs: this.#clock.nowMs() - this.#startedMs,
    });
  }

  #lostFields(): Pick<WaitResult, 'lostLines' | 'lostBytes'> {
    const { lines, bytes } = this.#lost;
    const later = Math.max(0, ...this.#checks.map(({ lostLines = 0 }) => lostLines));
    return {
      ...(lines + later > 0 && { lostLines: lines + later }),
      ...(bytes > 0 && { lostBytes: bytes }),
    };
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

interface Lost {
  readonly lines: number;
  readonly bytes: number;
}

/** Returns how much output since the mark of a wait for text is no longer kept. */
function lostSince(watched: Watched, begin: Mark, { since, match, stop, raw }: WaitRequest): Lost {
  const none = { lines: 0, bytes: 0 };
  if (since === undefined || [match, stop].every((each) => (each?.length ?? 0) === 0)) return none;
  if (!raw) {
    const lines = watched.all.terminal.firstLine - firstUnread(watched, begin);
    return { lines: Math.max(0, lines), bytes: 0 };
  }
  for (const { offset } of watched.rawOutput(begin.offset))
    return { lines: 0, bytes: offset - begin.offset };
  return { lines: 0, bytes: watched.outputEnd - begin.offset };
}

function cancelled(): VtrError {
  return new VtrError('CANCELLED', 'the wait was cancelled; the program is not affected');
}
