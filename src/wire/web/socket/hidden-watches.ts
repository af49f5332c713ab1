import type { JsonMessage } from '#model';

/**
 * The frames that watches of a tab send: none while it is hidden, so that neither the daemon nor the line
 * works for it. The list of sessions and their attention still come.
 */
export class HiddenWatches {
  /** What the page wants, by the id of the watch. */
  readonly #wanted = new Map<string, unknown>();
  readonly #setFrames: (body: JsonMessage) => Promise<unknown>;
  #isHidden = false;

  /** @param setFrames calls SetWatchFrames */
  constructor(setFrames: (body: JsonMessage) => Promise<unknown>) {
    this.#setFrames = setFrames;
  }

  hide(isHidden: boolean): void {
    if (isHidden === this.#isHidden) return;
    this.#isHidden = isHidden;
    for (const watchId of this.#wanted.keys()) this.#apply(watchId);
  }

  /** A watch has begun. @param watchId absent for its later messages */
  opened(watchId: unknown, frames: unknown): void {
    if (typeof watchId !== 'string' || watchId === '') return;
    this.#wanted.set(watchId, frames);
    if (this.#isHidden) this.#apply(watchId);
  }

  /** Returns whether the call is to be made now; else it is made when the tab is shown. */
  set({ watchId, frames }: JsonMessage): boolean {
    if (typeof watchId === 'string') this.#wanted.set(watchId, frames);
    return !this.#isHidden;
  }

  #apply(watchId: string): void {
    const frames = this.#isHidden ? undefined : this.#wanted.get(watchId);
    const body = frames === undefined ? { watchId } : { watchId, frames };
    // The watch has ended.
    this.#setFrames(body).catch(() => this.#wanted.delete(watchId));
  }
}
