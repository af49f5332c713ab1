import { beginWork, type Clock, currentWork, endWork } from '#base';

/** The length of a slice, in ms. */
const sliceMs = 2;

/** Cuts work that takes long into slices of time, between which other work goes on. */
export class Slices {
  readonly #clock: Clock;
  readonly #onNext: () => void;
  /** Whose call this is part of, if that is shown. */
  readonly #session = currentWork()?.session;
  #endMs: number;

  /** @param onNext called at the beginning of each slice but the first; ends the work by an error */
  constructor(clock: Clock, onNext: () => void = () => {}) {
    this.#clock = clock;
    this.#onNext = onNext;
    this.#endMs = clock.nowMs() + sliceMs;
    this.#begin();
  }

  /** Whether the current slice is over. */
  get over(): boolean {
    return this.#clock.nowMs() >= this.#endMs;
  }

  /** Yields to the event loop, then begins the next slice. */
  async next(): Promise<void> {
    endWork();
    await new Promise<void>((resolve) => this.#clock.afterPendingIo(resolve));
    this.#begin();
    this.#onNext();
    this.#endMs = this.#clock.nowMs() + sliceMs;
  }

  #begin(): void {
    if (this.#session !== undefined) beginWork('search', this.#session);
  }
}
