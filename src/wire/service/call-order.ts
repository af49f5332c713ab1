import { deferred } from '#base';

/** A call's place in a {@link CallOrder}. */
export interface OrderedCall {
  /** Resolves when all calls before it are done. */
  readonly ready: Promise<void>;
  /** Lets the next call proceed. Further calls of it do nothing. */
  done(): void;
}

/**
 * Keeps calls in the order in which they were added, however long each takes to be ready. The client
 * orders the opening of streams with it. The server orders requests, which may become complete in
 * another order because of their sizes.
 */
export class CallOrder {
  #last: Promise<void> = Promise.resolve();

  add(): OrderedCall {
    const { promise: finished, resolve: done } = deferred();
    const ready = this.#last;
    this.#last = ready.then(() => finished);
    return { ready, done };
  }
}
