import { type Disposable, toDisposable } from './disposable.ts';

export type Listener<T> = (value: T) => void;

/**
 * Delivers values to listeners in the order in which they subscribed.
 *
 * A listener that throws is removed, and its error is passed to `onListenerError`. The other
 * listeners and the caller of `emit` are not affected.
 */
export class Emitter<T> {
  // Replaced, never changed in place: a listener may subscribe or unsubscribe during delivery.
  #listeners: readonly Listener<T>[] = [];
  readonly #onListenerError: (error: unknown) => void;

  constructor(onListenerError: (error: unknown) => void = () => {}) {
    this.#onListenerError = onListenerError;
  }

  get listenerCount(): number {
    return this.#listeners.length;
  }

  on(listener: Listener<T>): Disposable {
    // A wrapper, so that the same function may subscribe twice.
    const own: Listener<T> = (value) => listener(value);
    this.#listeners = [...this.#listeners, own];
    return toDisposable(() => this.#remove(own));
  }

  emit(value: T): void {
    for (const listener of this.#listeners) {
      try {
        listener(value);
      } catch (error) {
        this.#remove(listener);
        this.#onListenerError(error);
      }
    }
  }

  #remove(listener: Listener<T>): void {
    this.#listeners = this.#listeners.filter((each) => each !== listener);
  }
}
