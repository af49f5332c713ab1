import type { ScreenRequest, ScreenSnapshot, Subscription } from '#model';

/**
 * Least time between two screens during continuous output, in ms: about what a person can see. The
 * first change after a pause is taken at once.
 */
const pauseMs = 16;

export interface TakenSnapshot {
  readonly screen: ScreenSnapshot;
  readonly atMs: number;
  /** Screens that were dropped since the last one that the consumer read. */
  readonly skipped: number;
}

type ReadScreen = (request: ScreenRequest) => Promise<ScreenSnapshot>;

/**
 * The screens of a session as they change, for one consumer. Up to `maxSnapshots` wait for it; when
 * there are more, all but the newest are dropped.
 */
export class ScreenFeed implements AsyncIterableIterator<TakenSnapshot> {
  readonly #screen: ReadScreen;
  readonly #changes: Subscription;
  readonly #maxSnapshots: number;
  #waiting: Omit<TakenSnapshot, 'skipped'>[] = [];
  #skipped = 0;
  /** Runs for {@link pauseMs} after each screen. */
  #pause: NodeJS.Timeout | null = null;
  /** Whether the screen has changed since the last one was taken. */
  #changed = false;
  #changedMs = 0;
  #ended = false;
  #failure: unknown = null;
  #wake = () => {};

  constructor(screen: ReadScreen, changes: Subscription, maxSnapshots: number) {
    this.#screen = screen;
    this.#changes = changes;
    this.#maxSnapshots = maxSnapshots;
    this.#collect().catch((error) => this.#end(error));
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<TakenSnapshot>> {
    while (this.#waiting.length === 0 && !this.#ended) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const snapshot = this.#waiting.shift();
    if (snapshot !== undefined) {
      const skipped = this.#skipped;
      this.#skipped = 0;
      return { done: false, value: { ...snapshot, skipped } };
    }
    if (this.#failure !== null) throw this.#failure;
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<TakenSnapshot>> {
    this.#waiting = [];
    this.#end();
    return { done: true, value: undefined };
  }

  async #collect(): Promise<void> {
    for await (const { atMs } of this.#changes) {
      this.#changedMs = atMs;
      if (this.#pause === null) await this.#takeAndPause();
      else this.#changed = true;
    }
    clearTimeout(this.#pause ?? undefined);
    // The last change. The session may have been removed already.
    if (this.#changed) await this.#take().catch(() => {});
    this.#end();
  }

  /** Takes a screen, and another after the pause if it has changed by then. */
  async #takeAndPause(): Promise<void> {
    this.#changed = false;
    this.#pause = setTimeout(() => {
      this.#pause = null;
      if (this.#changed) this.#takeAndPause().catch((error) => this.#end(error));
    }, pauseMs);
    await this.#take();
  }

  async #take(): Promise<void> {
    const screen = await this.#screen({ format: 'cells' });
    if (this.#ended) return;
    this.#waiting.push({ screen, atMs: this.#changedMs });
    const tooMany = this.#waiting.length > this.#maxSnapshots;
    if (tooMany) this.#skipped += this.#waiting.splice(0, this.#waiting.length - 1).length;
    this.#wake();
  }

  #end(failure: unknown = null): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#failure = failure;
    clearTimeout(this.#pause ?? undefined);
    this.#changes.dispose();
    this.#wake();
  }
}
