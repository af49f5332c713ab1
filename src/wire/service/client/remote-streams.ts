import { ignored } from '#base';
import type { SubscribeEvent, WatchSessionsResponse } from '#messages';
import {
  asVtrError,
  checkPerSecond,
  type FramesRequest,
  mergeFrames,
  type SessionsEvent,
  type SessionsWatch,
  type Subscription,
  type SubscriptionEvent,
  type VtrError,
} from '#model';
import { fromEvent } from '../convert/event.ts';
import { fromSessionsEvent } from '../convert/frame.ts';

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

type Result = IteratorResult<SessionsEvent>;

const ended: Result = { done: true, value: undefined };

export interface SessionsWatchCalls extends Omit<StreamCalls<WatchSessionsResponse>, 'open'> {
  /** @throws VtrError */
  open(frames: FramesRequest | null): Promise<OpenedStream<WatchSessionsResponse>>;
  /** @throws VtrError */
  setFrames(watchId: string, frames: FramesRequest | null): Promise<unknown>;
  /** Ends the streams. */
  readonly cancel: AbortController;
}

/**
 * All sessions of a coordinator over the stream of one call. Events are read as they arrive, and newer
 * ones replace those that the consumer has not taken. If the coordinator is replaced, a new stream begins
 * with all sessions again.
 */
export class RemoteSessionsWatch implements SessionsWatch, AsyncIterator<SessionsEvent> {
  readonly #calls: SessionsWatchCalls;
  #frames: FramesRequest | null;
  readonly #stream: RepeatedStream<WatchSessionsResponse>;
  /** Those with which the stream was opened. */
  #opened: FramesRequest | null;
  #watchId = '';
  /** What the consumer has not taken, by kind and session. */
  readonly #waiting = new Map<string, SessionsEvent>();
  readonly #takers: { resolve(result: Result): void; reject(error: unknown): void }[] = [];
  #failure: VtrError | null = null;
  #isEnded = false;

  /** Resolves when the server has accepted the watch. @throws VtrError as `Coordinator.watchSessions` */
  static async begin(
    calls: SessionsWatchCalls,
    frames: FramesRequest | null,
  ): Promise<RemoteSessionsWatch> {
    const stream = await calls.repeat(() => calls.open(frames));
    return new RemoteSessionsWatch(calls, frames, stream);
  }

  private constructor(
    calls: SessionsWatchCalls,
    frames: FramesRequest | null,
    first: OpenedStream<WatchSessionsResponse>,
  ) {
    this.#calls = calls;
    this.#frames = frames;
    this.#opened = frames;
    const open = () => {
      this.#opened = this.#frames;
      return calls.open(this.#opened);
    };
    this.#stream = new RepeatedStream({ ...calls, open }, first);
    this.#noteId(first.first?.value);
    void this.#read();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<Result> {
    const [first] = this.#waiting;
    if (first !== undefined) {
      this.#waiting.delete(first[0]);
      return { done: false, value: first[1] };
    }
    if (this.#failure !== null) {
      const failure = this.#failure;
      this.#failure = null;
      throw failure;
    }
    if (this.#isEnded) return ended;
    return new Promise((resolve, reject) => this.#takers.push({ resolve, reject }));
  }

  async return(): Promise<Result> {
    this.dispose();
    return ended;
  }

  async setFrames(frames: FramesRequest | null): Promise<void> {
    if (frames !== null) checkPerSecond(frames);
    this.#frames = frames;
    // Frames that are no longer wanted.
    for (const [key, { type }] of this.#waiting) if (type === 'frame') this.#waiting.delete(key);
    try {
      if (!this.#isEnded) await this.#calls.setFrames(this.#watchId, frames);
    } catch (thrown) {
      const error = asVtrError(thrown);
      // If the coordinator was replaced, the next stream begins with the frames.
      if (error.details['watchId'] === undefined) throw error;
    }
  }

  dispose(): void {
    this.#waiting.clear();
    this.#end();
    this.#calls.cancel.abort();
  }

  async #read(): Promise<void> {
    try {
      while (!this.#isEnded) {
        const message = await this.#stream.take();
        if (message === null) break;
        this.#noteId(message);
        const event = fromSessionsEvent(message);
        if (event !== null && !this.#isEnded) this.#add(event);
      }
    } catch (error) {
      if (!this.#isEnded) this.#failure = asVtrError(error);
    }
    this.#end();
  }

  #noteId(message: WatchSessionsResponse | undefined): void {
    if (!message?.watchId || message.watchId === this.#watchId) return;
    this.#watchId = message.watchId;
    if (this.#opened !== this.#frames)
      ignored(this.setFrames(this.#frames), 'the reader of the stream notices a loss');
  }

  #add(event: SessionsEvent): void {
    const taker = this.#waiting.size === 0 ? this.#takers.shift() : undefined;
    if (taker !== undefined) taker.resolve({ done: false, value: event });
    else this.#keep(event);
  }

  #keep(event: SessionsEvent): void {
    switch (event.type) {
      case 'sessions':
        this.#waiting.clear();
        this.#waiting.set('sessions', event);
        break;
      case 'session':
        this.#waiting.set(event.session.id, event);
        break;
      case 'removed':
        this.#waiting.delete(`frame ${event.id}`);
        this.#waiting.set(event.id, event);
        break;
      case 'frame': {
        const key = `frame ${event.id}`;
        const before = this.#waiting.get(key);
        const isSecond = before?.type === 'frame';
        const frame = isSecond ? mergeFrames(before.frame, event.frame) : event.frame;
        this.#waiting.set(key, { ...event, frame });
      }
    }
  }

  #end(): void {
    this.#isEnded = true;
    this.#stream.end();
    for (const { resolve, reject } of this.#takers.splice(0)) {
      const failure = this.#failure;
      this.#failure = null;
      if (failure === null) resolve(ended);
      else reject(failure);
    }
  }
}

/** The stream of one call. */
export interface OpenedStream<Message> {
  /** Read by the call, which then knows that the server has accepted it; null once it was taken. */
  first: IteratorResult<Message> | null;
  readonly rest: AsyncIterator<Message>;
}

interface StreamCalls<Message> {
  /** Makes the call again. @throws VtrError */
  open(): Promise<OpenedStream<Message>>;
  /** Repeats an attempt if the coordinator was replaced. */
  repeat<T>(attempt: () => Promise<T>): Promise<T>;
  toError(error: unknown): VtrError;
}

/** The messages of a call with a stream of answers, which is made again if the coordinator was replaced. */
class RepeatedStream<Message> {
  readonly #calls: StreamCalls<Message>;
  #stream: OpenedStream<Message> | null;
  #isEnded = false;

  /** @param first of the first call */
  constructor(calls: StreamCalls<Message>, first: OpenedStream<Message>) {
    this.#calls = calls;
    this.#stream = first;
  }

  /** Returns the next message; null at the end. @throws VtrError */
  take(): Promise<Message | null> {
    const { repeat, open, toError } = this.#calls;
    return repeat(async () => {
      const stream = this.#stream ?? (await open());
      if (this.#isEnded) return null;
      this.#stream = stream;
      try {
        const { first } = stream;
        stream.first = null;
        const { done, value } = first ?? (await stream.rest.next());
        return done ? null : value;
      } catch (error) {
        this.#stream = null;
        throw toError(error);
      }
    });
  }

  /** No message is taken any more. */
  end(): void {
    this.#isEnded = true;
    this.#stream = null;
  }
}
