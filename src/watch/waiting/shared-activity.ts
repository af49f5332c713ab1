import { type Clock, type Disposable, toDisposable } from '#base';
import type { OwnActivity } from '#model';
import type { Watched } from '../watched.ts';

/** Queries a session's activity; see `Coordinator.activity`. */
export type QueryActivity = () => Promise<OwnActivity>;

/** Answers requests for the activity of a session. */
export interface ActivityQueries {
  /** Calls back once with the result of a query that begins later than now; null if it failed. */
  request(onRead: OnRead): Disposable;
}

/** The mean time between many queries for one session, in ms. A query may start a process (`stty`). */
const gapMs = 250;
/** The most queries that follow one another at once: output often pauses twice before a question. */
const maxAtOnce = 3;

type OnRead = (activity: OwnActivity | null) => void;

const shared = new WeakMap<Watched, SharedActivity>();

/**
 * Queries of a session's activity by many waits. Requests that are made before a query begins share
 * it. There are at most three at once, and four a second.
 */
export class SharedActivity implements ActivityQueries {
  readonly #watched: Watched;
  readonly #clock: Clock;
  readonly #query: QueryActivity;
  #waiting = new Set<OnRead>();
  #timer: Disposable | null = null;
  #isBusy = false;
  #startedMs = Number.NEGATIVE_INFINITY;
  /** How many queries could begin at `#startedMs`, after the one that did. */
  #spare = maxAtOnce;
  #last: OwnActivity | null = null;

  private constructor(watched: Watched, clock: Clock, query: QueryActivity) {
    this.#watched = watched;
    this.#clock = clock;
    this.#query = query;
  }

  /** Returns the queries of a session, which all its waits share. */
  static of(watched: Watched, clock: Clock, query: QueryActivity): SharedActivity {
    const activity = shared.get(watched) ?? new SharedActivity(watched, clock, query);
    shared.set(watched, activity);
    return activity;
  }

  /** Returns the result of the last query if nothing has changed since and it is new; else null. */
  get recent(): OwnActivity | null {
    const last = this.#last;
    const isNew = this.#clock.nowMs() < this.#startedMs + gapMs;
    return isNew && last?.revision === this.#watched.terminal.revision ? last : null;
  }

  /** Calls back once with the result of a query that begins later than now; null if it failed. */
  request(onRead: OnRead): Disposable {
    let isOpen = true;
    const once: OnRead = (activity) => isOpen && onRead(activity);
    this.#waiting.add(once);
    this.#schedule();
    return toDisposable(() => {
      isOpen = false;
      this.#waiting.delete(once);
      if (this.#waiting.size === 0) this.#cancel();
    });
  }

  #schedule(): void {
    if (this.#isBusy || this.#timer !== null || this.#waiting.size === 0) return;
    const leftMs = (1 - this.#spareAt(this.#clock.nowMs())) * gapMs;
    const begin = () => {
      // Requests of timers that are due at the same time share the query.
      this.#timer = this.#clock.afterPendingIo(() => {
        this.#timer = null;
        void this.#begin();
      });
    };
    if (leftMs > 0) this.#timer = this.#clock.schedule(leftMs, begin);
    else begin();
  }

  #spareAt(nowMs: number): number {
    return Math.min(maxAtOnce, this.#spare + (nowMs - this.#startedMs) / gapMs);
  }

  #cancel(): void {
    this.#timer?.dispose();
    this.#timer = null;
  }

  async #begin(): Promise<void> {
    const requests = this.#waiting;
    this.#waiting = new Set();
    this.#isBusy = true;
    const nowMs = this.#clock.nowMs();
    this.#spare = Math.max(0, this.#spareAt(nowMs) - 1);
    this.#startedMs = nowMs;
    const activity = await this.#query().catch(() => null);
    this.#last = activity;
    this.#isBusy = false;
    for (const onRead of requests) onRead(activity);
    this.#schedule();
  }
}
