import type { Subscription, SubscriptionEvent, VtrError } from '#model';
import { fromEvent } from '../convert/event.ts';
import type { SubscribeEvent } from '../gen/vtr.gen.ts';

const done = { done: true, value: undefined } as const;

/**
 * A session's events over a stream of one gRPC call. Events that the consumer has not read wait on the
 * server, which continues with a new snapshot when too many wait.
 */
export class RemoteSubscription implements Subscription, AsyncIterator<SubscriptionEvent> {
  readonly #events: AsyncIterator<SubscribeEvent>;
  readonly #cancel: AbortController;
  readonly #toError: (error: unknown) => VtrError;
  /** The first event, which {@link begin} reads to know that the server accepted the subscription. */
  #first: SubscribeEvent | null = null;
  #last: Promise<IteratorResult<SubscriptionEvent>> = Promise.resolve(done);
  #ended = false;

  constructor(
    events: AsyncIterable<SubscribeEvent>,
    cancel: AbortController,
    toError: (error: unknown) => VtrError,
  ) {
    this.#events = events[Symbol.asyncIterator]();
    this.#cancel = cancel;
    this.#toError = toError;
  }

  /** Resolves when the server has accepted the subscription. @throws VtrError as `Coordinator.subscribe` */
  async begin(): Promise<this> {
    try {
      const { value } = await this.#events.next();
      this.#first = value ?? null;
      return this;
    } catch (error) {
      throw this.#toError(error);
    }
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Calls may overlap; events are returned in the order of the calls. */
  next(): Promise<IteratorResult<SubscriptionEvent>> {
    this.#last = this.#last.then(
      () => this.#next(),
      () => this.#next(),
    );
    return this.#last;
  }

  async return(): Promise<IteratorResult<SubscriptionEvent>> {
    this.dispose();
    return done;
  }

  dispose(): void {
    this.#ended = true;
    this.#first = null;
    this.#cancel.abort();
  }

  async #next(): Promise<IteratorResult<SubscriptionEvent>> {
    try {
      while (!this.#ended) {
        const message = await this.#take();
        const event = message && fromEvent(message);
        if (this.#ended || message === null) break;
        if (event !== null) return { done: false, value: event };
      }
    } catch (error) {
      if (!this.#ended) throw this.#toError(error);
    }
    this.#ended = true;
    return done;
  }

  async #take(): Promise<SubscribeEvent | null> {
    const first = this.#first;
    this.#first = null;
    if (first !== null) return first;
    const { done: isOver, value } = await this.#events.next();
    return isOver ? null : value;
  }
}
