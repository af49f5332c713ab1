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

/** An object that owns a resource until it is disposed. To dispose it again has no effect. */
export interface Disposable {
  dispose(): void;
}

/** Returns a {@link Disposable} that calls `release` on the first `dispose` only. */
export function toDisposable(release: () => void): Disposable {
  let isOwned = true;
  return {
    dispose() {
      if (!isOwned) return;
      isOwned = false;
      release();
    },
  };
}

/** The queue is compacted when it has this many free slots at the front. */
const compactAt = 1024;

/** A first-in, first-out queue with operations in constant time. */
export class Queue<T> {
  #items: (T | undefined)[] = [];
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  /** Removes and returns the oldest item; undefined if there is none. */
  shift(): T | undefined {
    if (this.length === 0) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head++] = undefined;
    if (this.#head >= compactAt && this.#head * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }

  clear(): void {
    this.#items = [];
    this.#head = 0;
  }
}

const done = { done: true, value: undefined } as const;

/**
 * A value that changes, for consumers that need only the newest: each gets the present value, then the
 * newest one after each change. Ends with {@link close}, or with the error of {@link fail}.
 */
export class Latest<T> implements AsyncIterable<T> {
  #current: T;
  /** Counts the values from 1. */
  #version = 1;
  #isOver = false;
  #error: { readonly thrown: unknown } | null = null;
  #changed = deferred();

  constructor(first: T) {
    this.#current = first;
  }

  get current(): T {
    return this.#current;
  }

  set(value: T): void {
    if (this.#isOver) return;
    this.#current = value;
    this.#version++;
    this.#wake();
  }

  /** Ends it for all consumers, also with an unread value. */
  close(): void {
    this.#isOver = true;
    this.#wake();
  }

  /** Ends it for all consumers, whose next read throws. */
  fail(thrown: unknown): void {
    if (!this.#isOver) this.#error = { thrown };
    this.close();
  }

  [Symbol.asyncIterator](): AsyncIterator<T> {
    let count = 0;
    let hasLeft = false;
    const next = async (): Promise<IteratorResult<T>> => {
      while (!hasLeft && !this.#isOver && count === this.#version) await this.#changed.promise;
      if (hasLeft) return done;
      if (this.#error !== null) throw this.#error.thrown;
      if (this.#isOver) return done;
      count = this.#version;
      return { done: false, value: this.#current };
    };
    const leave = async (): Promise<IteratorResult<T>> => {
      hasLeft = true;
      this.#wake();
      return done;
    };
    return { next, return: leave };
  }

  #wake(): void {
    const { resolve } = this.#changed;
    this.#changed = deferred();
    resolve();
  }
}

/** A promise that another part resolves. */
export interface Deferred {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

export function deferred(): Deferred {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
