import type { Coordinator, ScreenSnapshot, SessionRef, Subscription } from '#model';

/**
 * While output comes without end, screens are taken no more often, in ms: about what a person can
 * see. The first change after a pause is taken at once.
 */
const frameMs = 16;

export interface Frame {
  readonly screen: ScreenSnapshot;
  readonly atMs: number;
  /** Screens that were left out since the last one that the consumer took. */
  readonly skipped: number;
}

/**
 * The screens of a session as they change, for one consumer. Up to `maxSnapshots` wait for it; when
 * there are more, all but the newest are left out.
 */
export class ScreenFeed implements AsyncIterableIterator<Frame> {
  readonly #coordinator: Coordinator;
  readonly #session: SessionRef;
  readonly #changes: Subscription;
  readonly #maxSnapshots: number;
  #waiting: Omit<Frame, 'skipped'>[] = [];
  #skipped = 0;
  /** Set while a frame lasts. */
  #pause: NodeJS.Timeout | null = null;
  /** There were changes since the last screen. */
  #changed = false;
  #changedMs = 0;
  #ended = false;
  #failure: unknown = null;
  #wake = () => {};

  constructor(
    coordinator: Coordinator,
    session: SessionRef,
    changes: Subscription,
    maxSnapshots: number,
  ) {
    this.#coordinator = coordinator;
    this.#session = session;
    this.#changes = changes;
    this.#maxSnapshots = maxSnapshots;
    this.#collect().catch((error) => this.#end(error));
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Frame>> {
    while (this.#waiting.length === 0 && !this.#ended) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const frame = this.#waiting.shift();
    if (frame !== undefined) {
      const skipped = this.#skipped;
      this.#skipped = 0;
      return { done: false, value: { ...frame, skipped } };
    }
    if (this.#failure !== null) throw this.#failure;
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<Frame>> {
    this.#waiting = [];
    this.#end();
    return { done: true, value: undefined };
  }

  async #collect(): Promise<void> {
    for await (const { atMs } of this.#changes) {
      this.#changedMs = atMs;
      if (this.#pause === null) await this.#takeFrame();
      else this.#changed = true;
    }
    clearTimeout(this.#pause ?? undefined);
    // What came last, and the session may be gone already.
    if (this.#changed) await this.#take().catch(() => {});
    this.#end();
  }

  /** Takes a screen, and another one when the frame is over if there were changes until then. */
  async #takeFrame(): Promise<void> {
    this.#changed = false;
    this.#pause = setTimeout(() => {
      this.#pause = null;
      if (this.#changed) this.#takeFrame().catch((error) => this.#end(error));
    }, frameMs);
    await this.#take();
  }

  async #take(): Promise<void> {
    const screen = await this.#coordinator.screen(this.#session, { format: 'cells' });
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
