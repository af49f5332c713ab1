import { asVtrError, type Coordinator, type SessionRef } from '#model';

export interface ReleasedOptions {
  readonly coordinator: Coordinator;
  readonly keepReleasedMs: number;
  readonly maxKeptReleased: number;
  readonly onFault: (error: unknown) => void;
}

/** Sessions whose terminals were released: they can be looked at for a while, and go then. */
export class ReleasedSessions {
  readonly #options: ReleasedOptions;
  /** Oldest first. */
  readonly #kept = new Map<SessionRef, NodeJS.Timeout>();

  constructor(options: ReleasedOptions) {
    this.#options = options;
  }

  /** Resolves when nothing is there any more of what is not to be kept. */
  async keep(session: SessionRef): Promise<void> {
    const { keepReleasedMs, maxKeptReleased } = this.#options;
    // No process is kept alive for it: the coordinator forgets the session itself in the end.
    this.#kept.set(session, setTimeout(() => this.#remove(session), keepReleasedMs).unref());
    const count = keepReleasedMs === 0 ? this.#kept.size : this.#kept.size - maxKeptReleased;
    const excess = [...this.#kept.keys()].slice(0, Math.max(0, count));
    await Promise.all(excess.map((each) => this.#remove(each)));
  }

  async #remove(session: SessionRef): Promise<void> {
    clearTimeout(this.#kept.get(session));
    this.#kept.delete(session);
    try {
      await this.#options.coordinator.remove(session);
    } catch (error) {
      const { code } = asVtrError(error);
      if (code !== 'SESSION_NOT_FOUND' && code !== 'UNAVAILABLE') this.#options.onFault(error);
    }
  }
}
