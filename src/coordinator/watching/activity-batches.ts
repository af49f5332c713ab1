import type { Clock, Disposable } from '#base';
import type { SessionActivity } from '#model';
import type { ProcessEntry, Session } from '#session';
import { activityInTime, inTime, processesFor } from '../listing.ts';

/** The shortest time from a batch to the next, in ms. */
const gapMs = 250;
/** The time from one batch to the next is at least this many times the duration of the first. */
const restFactor = 4;
/** A batch is not waited for any longer, in ms: one session that does not answer must not delay others. */
const maxBatchMs = 1_000;

export interface ActivitySources {
  readonly clock: Clock;
  /** Called with the error of a query. */
  readonly onFault: (error: unknown) => void;
  /** Lists the processes of the machine. */
  listProcesses(): Promise<readonly ProcessEntry[]>;
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
      const known = this.#waiting.get(session);
      if (known === undefined) this.#waiting.set(session, [resolve]);
      else known.push(resolve);
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
    const { clock, listProcesses, onFault } = this.#sources;
    const requests = this.#waiting;
    this.#waiting = new Map();
    this.#isBusy = true;
    const startedMs = clock.nowMs();
    const listed = await processesFor(requests.size, listProcesses, clock).catch(() => []);
    const each = [...requests].map(async ([session, callbacks]) => {
      const activity = await activityInTime(session, listed, clock, onFault);
      for (const onRead of callbacks) onRead(activity);
    });
    await inTime(Promise.all(each), maxBatchMs, clock);
    this.#isBusy = false;
    const tookMs = clock.nowMs() - startedMs;
    this.#nextMs = startedMs + Math.max(gapMs, tookMs * restFactor);
    this.#schedule();
  }
}
