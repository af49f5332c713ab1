import type { Subscription, SubscriptionEvent, VtrError } from '#model';
import { fromEvent } from '../convert/event.ts';
import type { SubscribeEvent } from '../gen/vtr.gen.ts';

const done = { done: true, value: undefined } as const;

/** The stream of one call. */
interface EventStream {
  /** Read by the call, which then knows that the server has accepted it; null once it was taken. */
  first: IteratorResult<SubscribeEvent> | null;
  readonly rest: AsyncIterator<SubscribeEvent>;
}

export interface SubscriptionCalls {
  /** @throws VtrError */
  open(isFirst: boolean): Promise<EventStream>;
  /** Repeats an attempt if the coordinator was replaced. */
  repeat<T>(attempt: () => Promise<T>): Promise<T>;
  toError(error: unknown): VtrError;
  /** Ends the streams. */
  readonly cancel: AbortController;
}

/**
 * A session's events over the stream of one call. Events that the consumer has not read wait on the
 * server, which continues with a new snapshot when too many wait. If the coordinator is replaced, a new
 * stream begins with a snapshot, too.
 */
export class RemoteSubscription implements Subscription, AsyncIterator<SubscriptionEvent> {
  readonly #calls: SubscriptionCalls;
  #stream: EventStream | null;
  #last: Promise<IteratorResult<SubscriptionEvent>> = Promise.resolve(done);
  #ended = false;

  /** Resolves when the server has accepted the subscription. @throws VtrError as `Coordinator.subscribe` */
  static async begin(calls: SubscriptionCalls): Promise<RemoteSubscription> {
    return new RemoteSubscription(calls, await calls.repeat(() => calls.open(true)));
  }

  private constructor(calls: SubscriptionCalls, stream: EventStream) {
    this.#calls = calls;
    this.#stream = stream;
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
    this.#stream = null;
    this.#calls.cancel.abort();
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
      const wasEnded = this.#ended;
      this.#ended = true;
      if (!wasEnded) throw error;
    }
    this.#ended = true;
    return done;
  }

  #take(): Promise<SubscribeEvent | null> {
    const { repeat, open, toError } = this.#calls;
    return repeat(async () => {
      const stream = this.#stream ?? (await open(false));
      if (this.#ended) return null;
      this.#stream = stream;
      try {
        const { first } = stream;
        stream.first = null;
        const { done: isOver, value } = first ?? (await stream.rest.next());
        return isOver ? null : value;
      } catch (error) {
        this.#stream = null;
        throw toError(error);
      }
    });
  }
}
