import type { Clock, Disposable } from '#base';
import { looksLikePrompt, looksLikeQuestion, type SessionActivity } from '#model';
import type { ProcessEntry, Session } from '#session';
import { type ActivityFinding, activityInTime, inTime, processesFor } from '../listing.ts';
import { shellTurn, unchangedMs } from './attention.ts';
import type { SessionPlaces } from './session-places.ts';

/** The silences after which the activity is queried, in ms; then every {@link lateMs}. */
const stepsMs = [300, 1_000, 3_000, 10_000, 30_000, 60_000, 120_000, 300_000];
/** A program without output may begin to read its terminal at any time. */
const lateMs = 300_000;
/** Queries from this silence on are made together for all sessions, at multiples of it, in ms. */
const tickMs = 10_000;
/** At a prompt, and on the alternate screen, the activity changes only with output or input. */
const lastStepMs = 1_000;
/** An activity that was not found in time is queried again after this time, in ms. */
const unknownMs = 1_000;
/** The shortest and the longest time between two queries of a session that prints, in ms. */
const minGapMs = 250;
const maxGapMs = 5_000;

/** The activity of a session, as it was queried. */
export interface Observed {
  /** Null if it is unknown. */
  readonly activity: SessionActivity | null;
  /** For how long the screen had not changed, in ms. */
  readonly quietMs: number;
  /** How often input had been sent. */
  readonly inputs: number;
  /** As {@link shellTurn} was. */
  readonly turn: string;
}

/**
 * Keeps the activity of a session up to date: it is queried when the output pauses, then more and more
 * rarely. While a program prints without a pause, and its state is the same, it is queried every 5 s.
 */
export class SessionMonitor implements Disposable {
  readonly #session: Session;
  readonly #clock: Clock;
  readonly #batches: ActivityBatches;
  readonly #onObserved: (observed: Observed) => void;
  readonly #listening: Disposable;
  #timer: Disposable | null = null;
  #dueMs = Number.POSITIVE_INFINITY;
  #isQuerying = false;
  #isDisposed = false;
  #inputs: number;
  /** When the last output or input was. */
  #changedMs: number;
  #queriedMs = Number.NEGATIVE_INFINITY;
  #gapMs = 0;
  /** As of the last query. */
  #state: string | null = null;
  #hint = '';
  #fingerprint = 0;
  #quietSinceMs: number;

  constructor(
    session: Session,
    clock: Clock,
    batches: ActivityBatches,
    onObserved: (observed: Observed) => void,
  ) {
    this.#session = session;
    this.#clock = clock;
    this.#batches = batches;
    this.#onObserved = onObserved;
    const { view } = session;
    this.#inputs = view.inputCount;
    this.#changedMs = clock.nowMs() - unchangedMs(view, session.createdAtMs, clock.wallMs());
    this.#quietSinceMs = this.#changedMs;
    this.#listening = view.onEvent(({ type }) => {
      if (type === 'output' || type === 'resize') this.#onChange();
      else if (type === 'exit') this.#checkBy(0);
    });
  }

  /** Queries the activity. */
  async query(): Promise<void> {
    if (this.#isDisposed || this.#isQuerying) return;
    this.#isQuerying = true;
    this.#stop();
    const activity = await this.#batches.request(this.#session);
    this.#isQuerying = false;
    if (this.#isDisposed) return;
    this.#note(activity);
  }

  /** Must be called after input was sent. */
  onInput(): void {
    this.#inputs = this.#session.view.inputCount;
    this.#gapMs = 0;
    this.#onChange();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#listening.dispose();
    this.#stop();
  }

  #onChange(): void {
    this.#changedMs = this.#clock.nowMs();
    this.#checkBy(stepsMs[0] as number);
  }

  #stop(): void {
    this.#timer?.dispose();
    this.#timer = null;
    this.#dueMs = Number.POSITIVE_INFINITY;
  }

  /** Checks after a time, or sooner if that was requested before. */
  #checkBy(delayMs: number): void {
    const dueMs = this.#clock.nowMs() + delayMs;
    if (this.#isDisposed || this.#isQuerying || dueMs >= this.#dueMs) return;
    this.#stop();
    this.#dueMs = dueMs;
    this.#timer = this.#clock.schedule(delayMs, () => this.#check());
  }

  #check(): void {
    this.#stop();
    const nowMs = this.#clock.nowMs();
    const gapMs = this.#hintNow() === this.#hint ? this.#gapMs : minGapMs;
    const isEnded = this.#session.exitStatus !== null;
    const leftMs = isEnded ? 0 : this.#queriedMs + gapMs - nowMs;
    if (leftMs <= 0) void this.query();
    // The check comes no later than the next pause of the output, which says more.
    else this.#checkBy(Math.min(leftMs, stepsMs[0] as number));
  }

  #note(activity: SessionActivity | null): void {
    const nowMs = this.#clock.nowMs();
    const { view } = this.#session;
    const fingerprint = view.fingerprint();
    const hint = this.#hintNow();
    const state = activity?.state ?? null;
    const isSame = state === this.#state && hint === this.#hint && this.#gapMs > 0;
    this.#gapMs = isSame ? Math.min(maxGapMs, this.#gapMs * 2) : minGapMs;
    // Repainting the same text changes nothing.
    if (fingerprint !== this.#fingerprint || this.#inputs !== view.inputCount)
      this.#quietSinceMs = this.#changedMs;
    this.#fingerprint = fingerprint;
    this.#inputs = view.inputCount;
    this.#hint = hint;
    this.#state = state;
    this.#queriedMs = nowMs;
    const quietMs = nowMs - this.#quietSinceMs;
    this.#scheduleNext(state, quietMs);
    this.#onObserved({ activity, quietMs, inputs: view.inputCount, turn: shellTurn(view) });
  }

  #scheduleNext(state: string | null, quietMs: number): void {
    if (state === 'exited') return;
    if (state === null) this.#checkBy(unknownMs);
    const isSettled = state === 'at_prompt' || state === 'full_screen';
    if (isSettled && quietMs >= lastStepMs) return;
    const nextMs = stepsMs.find((each) => each > quietMs) ?? quietMs + lateMs;
    const delayMs = nextMs - quietMs;
    const nowMs = this.#clock.nowMs();
    const dueMs = Math.ceil((nowMs + delayMs) / tickMs) * tickMs;
    this.#checkBy(nextMs < tickMs ? delayMs : dueMs - nowMs);
  }

  /** What tells without a query that the activity may have changed. */
  #hintNow(): string {
    const { view } = this.#session;
    const { terminal, inputCount, exitStatus } = view;
    const { text } = view.lineAtCursor();
    const asks = text.trim() !== '' && (looksLikePrompt(text) || looksLikeQuestion(text));
    const turn = shellTurn(view);
    return `${turn} ${terminal.alternate} ${asks} ${inputCount} ${exitStatus === null}`;
  }
}

/** The shortest time from a batch to the next, in ms. */
const gapMs = 250;
/** The time from one batch to the next is at least this many times the duration of the first. */
const restFactor = 4;
/** A batch is not waited for any longer, in ms: one session that does not answer must not delay others. */
const maxBatchMs = 1_000;

export interface ActivitySources extends ActivityFinding {
  /** Lists the processes of the machine. */
  listProcesses(): Promise<readonly ProcessEntry[]>;
  readonly places: Pick<SessionPlaces, 'lookAhead' | 'added' | 'ofEnded'>;
}

type OnRead = (activity: SessionActivity | null) => void;

/**
 * Queries the activity of many sessions. Requests that are made before a batch begins share one listing
 * of the machine's processes. Batches take at most a quarter of the time, however many sessions there are.
 */
export class ActivityBatches implements Disposable {
  readonly #sources: ActivitySources;
  #waiting = new Map<Session, OnRead[]>();
  #timer: Disposable | null = null;
  #isBusy = false;
  #nextMs = Number.NEGATIVE_INFINITY;
  #isDisposed = false;

  constructor(sources: ActivitySources) {
    this.#sources = sources;
  }

  /** Resolves to the activity by a query that begins later than now; null if it is unknown. */
  request(session: Session): Promise<SessionActivity | null> {
    return new Promise((resolve) => {
      const callbacks = this.#waiting.get(session);
      if (callbacks === undefined) this.#waiting.set(session, [resolve]);
      else callbacks.push(resolve);
      this.#schedule();
    });
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#timer?.dispose();
    this.#waiting.clear();
  }

  #schedule(): void {
    if (this.#isDisposed || this.#isBusy || this.#timer !== null) return;
    if (this.#waiting.size === 0) return;
    const { clock } = this.#sources;
    const begin = () => {
      // Requests of timers that are due at the same time share the batch.
      this.#timer = clock.afterPendingIo(() => {
        this.#timer = null;
        void this.#begin();
      });
    };
    const leftMs = this.#nextMs - clock.nowMs();
    if (leftMs > 0) this.#timer = clock.schedule(leftMs, begin);
    else begin();
  }

  async #begin(): Promise<void> {
    const { clock, listProcesses } = this.#sources;
    const requests = this.#waiting;
    this.#waiting = new Map();
    this.#isBusy = true;
    const startedMs = clock.nowMs();
    const listed = await processesFor(requests.size, listProcesses, clock).catch(() => []);
    const each = [...requests].map(async ([session, callbacks]) => {
      this.#sources.places.lookAhead(session);
      const sessionActivity = await activityInTime(session, listed, this.#sources);
      const activity = await this.#sources.places.added(session, sessionActivity);
      for (const onRead of callbacks) onRead(activity);
    });
    await inTime(Promise.all(each), maxBatchMs, clock);
    this.#isBusy = false;
    const tookMs = clock.nowMs() - startedMs;
    this.#nextMs = startedMs + Math.max(gapMs, tookMs * restFactor);
    this.#schedule();
  }
}
