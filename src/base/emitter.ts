import { type Disposable, toDisposable } from './disposable.ts';

export type Listener<T> = (value: T) => void;

/**
 * Delivers values to listeners in the order in which they subscribed.
 *
 * A listener that throws is removed and reported to `onListenerError`; the others, and whoever
 * emits, never notice: an observer must not be able to hurt what it observes.
 */
export class Emitter<T> {
  // Replaced, never changed in place: a listener may subscribe or leave while a value goes round.
  #listeners: readonly Listener<T>[] = [];
  readonly #onListenerError: (error: unknown) => void;

  constructor(onListenerError: (error: unknown) => void = () => {}) {
    this.#onListenerError = onListenerError;
  }

  get listenerCount(): number {
    return this.#listeners.length;
  }

  on(listener: Listener<T>): Disposable {
    // A wrapper of its own, so that the same function may subscribe twice.
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
