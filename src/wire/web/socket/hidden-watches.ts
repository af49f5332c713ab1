import type { JsonMessage } from '#model';

interface Wanted {
  frames: unknown;
  /** Whether a call is under way. */
  isCalled: boolean;
  /** Whether the call under way says what is no longer wanted. */
  isOld: boolean;
}

/**
 * The frames that watches of a tab send: none while it is hidden, so that neither the daemon nor the line
 * works for it. The list of sessions and their attention still come.
 */
export class HiddenWatches {
  /** What the page wants, by the id of the watch. */
  readonly #watches = new Map<string, Wanted>();
  readonly #setFrames: (body: JsonMessage) => Promise<unknown>;
  #isHidden = false;

  /** @param setFrames calls SetWatchFrames */
  constructor(setFrames: (body: JsonMessage) => Promise<unknown>) {
    this.#setFrames = setFrames;
  }

  hide(isHidden: boolean): void {
    if (isHidden === this.#isHidden) return;
    this.#isHidden = isHidden;
    for (const [watchId, frames] of this.#watches) void this.#apply(watchId, frames);
  }

  /** A watch has begun. @param watchId absent for its later messages */
  opened(watchId: unknown, frames: unknown): void {
    if (typeof watchId !== 'string' || watchId === '') return;
    const watch = { frames, isCalled: false, isOld: false };
    this.#watches.set(watchId, watch);
    if (this.#isHidden) void this.#apply(watchId, watch);
  }

  ended(watchIds: Iterable<string>): void {
    for (const watchId of watchIds) this.#watches.delete(watchId);
  }

  /** Returns whether the call is to be made now; else it is made when the tab is shown. */
  set({ watchId, frames }: JsonMessage): boolean {
    const watch = this.#watches.get(watchId as string);
    if (watch !== undefined) watch.frames = frames;
    return !this.#isHidden;
  }

  /** One call at a time, however often a client says that it is hidden. */
  async #apply(watchId: string, watch: Wanted): Promise<void> {
    watch.isOld = watch.isCalled;
    if (watch.isCalled) return;
    watch.isCalled = true;
    try {
      do {
        watch.isOld = false;
        const frames = this.#isHidden ? undefined : watch.frames;
        await this.#setFrames(frames === undefined ? { watchId } : { watchId, frames });
      } while (watch.isOld);
    } catch {
      // The watch has ended.
      this.#watches.delete(watchId);
    }
    watch.isCalled = false;
  }
}
