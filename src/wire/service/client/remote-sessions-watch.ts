import type { WatchSessionsResponse } from '#messages';
import {
  asVtrError,
  checkPerSecond,
  type FramesRequest,
  mergeFrames,
  type SessionsEvent,
  type SessionsWatch,
  type VtrError,
} from '#model';
import { fromSessionsEvent } from '../convert/sessions/watching.ts';
import { type OpenedStream, RepeatedStream, type StreamCalls } from './repeated-stream.ts';

type Result = IteratorResult<SessionsEvent>;

const done: Result = { done: true, value: undefined };

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
    if (this.#isEnded) return done;
    return new Promise((resolve, reject) => this.#takers.push({ resolve, reject }));
  }

  async return(): Promise<Result> {
    this.dispose();
    return done;
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
    if (this.#opened !== this.#frames) this.setFrames(this.#frames).catch(() => {});
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
      if (failure === null) resolve(done);
      else reject(failure);
    }
  }
}
