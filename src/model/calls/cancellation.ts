import type { CancelSignal } from './wait.ts';

/**
 * A signal for its owner to abort: the part of an `AbortController` and its signal that vtr uses. Those cost
 * many times as much, and each call and each input needs one.
 */
export class Cancellation implements CancelSignal {
  #isAborted = false;
  #reason: unknown;
  readonly #listeners = new Set<() => void>();

  get aborted(): boolean {
    return this.#isAborted;
  }

  /** As it was given to {@link abort}. */
  get reason(): unknown {
    return this.#reason;
  }

  /** Calls the listeners. Further calls do nothing. */
  abort(reason?: unknown): void {
    if (this.#isAborted) return;
    this.#isAborted = true;
    this.#reason = reason;
    for (const listener of this.#listeners) listener();
  }

  /** @throws the reason */
  throwIfAborted(): void {
    if (this.#isAborted) throw this.#reason;
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.delete(listener);
  }
}
