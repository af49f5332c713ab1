import type { SubscribeEvent } from '#messages';
import type { Subscription, SubscriptionEvent } from '#model';
import { fromEvent } from '../convert/output/event.ts';
import { type OpenedStream, RepeatedStream, type StreamCalls } from './repeated-stream.ts';

const done = { done: true, value: undefined } as const;

export interface SubscriptionCalls extends Omit<StreamCalls<SubscribeEvent>, 'open'> {
  /** @throws VtrError */
  open(isFirst: boolean): Promise<OpenedStream<SubscribeEvent>>;
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
  readonly #stream: RepeatedStream<SubscribeEvent>;
  #last: Promise<IteratorResult<SubscriptionEvent>> = Promise.resolve(done);
  #ended = false;

  /** Resolves when the server has accepted the subscription. @throws VtrError as `Coordinator.subscribe` */
  static async begin(calls: SubscriptionCalls): Promise<RemoteSubscription> {
    return new RemoteSubscription(calls, await calls.repeat(() => calls.open(true)));
  }

  private constructor(calls: SubscriptionCalls, first: OpenedStream<SubscribeEvent>) {
    this.#calls = calls;
    this.#stream = new RepeatedStream({ ...calls, open: () => calls.open(false) }, first);
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
    this.#stream.end();
    this.#calls.cancel.abort();
  }

  async #next(): Promise<IteratorResult<SubscriptionEvent>> {
    try {
      while (!this.#ended) {
        const message = await this.#stream.take();
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
}
