import { deferred } from './deferred.ts';

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
    let seen = 0;
    let hasLeft = false;
    const next = async (): Promise<IteratorResult<T>> => {
      while (!hasLeft && !this.#isOver && seen === this.#version) await this.#changed.promise;
      if (hasLeft) return done;
      if (this.#error !== null) throw this.#error.thrown;
      if (this.#isOver) return done;
      seen = this.#version;
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
