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
  readonly #wanted = new Map<string, Wanted>();
  readonly #setFrames: (body: JsonMessage) => Promise<unknown>;
  #isHidden = false;

  /** @param setFrames calls SetWatchFrames */
  constructor(setFrames: (body: JsonMessage) => Promise<unknown>) {
    this.#setFrames = setFrames;
  }

  hide(isHidden: boolean): void {
    if (isHidden === this.#isHidden) return;
    this.#isHidden = isHidden;
    for (const [watchId, frames] of this.#wanted) void this.#apply(watchId, frames);
  }

  /** A watch has begun. @param watchId absent for its later messages */
  opened(watchId: unknown, frames: unknown): void {
    if (typeof watchId !== 'string' || watchId === '') return;
    const wanted = { frames, isCalled: false, isOld: false };
    this.#wanted.set(watchId, wanted);
    if (this.#isHidden) void this.#apply(watchId, wanted);
  }

  ended(watchIds: Iterable<string>): void {
    for (const watchId of watchIds) this.#wanted.delete(watchId);
  }

  /** Returns whether the call is to be made now; else it is made when the tab is shown. */
  set({ watchId, frames }: JsonMessage): boolean {
    const wanted = this.#wanted.get(watchId as string);
    if (wanted !== undefined) wanted.frames = frames;
    return !this.#isHidden;
  }

  /** One call at a time, however often a client says that it is hidden. */
  async #apply(watchId: string, wanted: Wanted): Promise<void> {
    wanted.isOld = wanted.isCalled;
    if (wanted.isCalled) return;
    wanted.isCalled = true;
    try {
      do {
        wanted.isOld = false;
        const frames = this.#isHidden ? undefined : wanted.frames;
        await this.#setFrames(frames === undefined ? { watchId } : { watchId, frames });
      } while (wanted.isOld);
    } catch {
      // The watch has ended.
      this.#wanted.delete(watchId);
    }
    wanted.isCalled = false;
  }
}
