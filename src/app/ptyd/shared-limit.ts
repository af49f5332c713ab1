import { flow } from '#model';

const { maxAllBytes } = flow.steps;

/** The memory that the steps of all sessions take. */
export class SharedLimit {
  readonly #onReleased: () => void;
  #bytes = 0;

  /** @param onReleased called when the limit is no longer reached */
  constructor(onReleased: () => void) {
    this.#onReleased = onReleased;
  }

  get isReached(): boolean {
    return this.#bytes > maxAllBytes;
  }

  add(bytes: number): void {
    const wasReached = this.isReached;
    this.#bytes += bytes;
    if (wasReached && !this.isReached) this.#onReleased();
  }
}
