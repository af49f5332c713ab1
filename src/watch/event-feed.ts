import { type Clock, type Disposable, type Listener, Queue } from '#base';
import {
  flow,
  maxWaitingBytes,
  type SessionEvent,
  type SnapshotEvent,
  type SubscriptionEvent,
} from '#model';
import type { Watched } from './watched.ts';

const { maxViewerBytes, maxWaitingEvents, turnMs } = flow.subscribers;

/** The state of a session, which is made in parts, because it may be large. */
export interface Snapshotting {
  /**
   * Makes a part, in about 1 ms. Returns the state as of this call if that was the last part; else
   * null.
   */
  next(): SnapshotEvent | null;
}

export interface FeedSource extends Pick<Watched, 'exitStatus'> {
  onEvent(listener: Listener<Exclude<SubscriptionEvent, SnapshotEvent>>): Disposable;
  readonly terminal: Pick<Watched['terminal'], 'revision'>;
  /** Begins to make the current state. @param scrollbackLines the most lines above the screen */
  snapshotting(scrollbackLines?: number): Snapshotting;
}

export interface FeedOptions {
  readonly clock: Clock;
  /** The most lines above the screen in a state; default all. */
  readonly scrollbackLines?: number;
  /**
   * Output that waits for the consumer, in bytes. One with more waiting gets a state instead. Default:
   * 8 MiB, or 1 MiB if states have no lines above the screen.
   */
  readonly maxWaitingBytes?: number;
  /** Events that are first, in place of the state. */
  readonly missed?: readonly SessionEvent[];
}

/**
 * The events of a session for one consumer: its state, then every later event, until the exit. A
 * consumer that falls too far behind loses the buffered events and continues from a new state, with the last event of
 * the agent behind it, so it never misses events without notice. A large state is made when the consumer takes it.
 */
export class EventFeed implements AsyncIterator<SubscriptionEvent>, Disposable {
  readonly #source: FeedSource;
  readonly #options: FeedOptions;
  readonly #listening: Disposable;
  readonly #waiting = new Queue<SubscriptionEvent>();
  readonly #maxBytes: number;
  #waitingBytes = 0;
  /** The next event is a state, in place of the events before it. */
  #state: Snapshotting | null = null;
  /** The turn in which the next part of the state is made. */
  #turn: Disposable | null = null;
  #exit: SubscriptionEvent | null = null;
  /** The last event of the agent that was not given: no state has what it says. */
  #agent: SubscriptionEvent | null = null;
  #ended = false;
  /** Pending calls of `next`. */
  readonly #takers = new Queue<(result: IteratorResult<SubscriptionEvent>) => void>();

  constructor(source: FeedSource, options: FeedOptions) {
    this.#source = source;
    this.#options = options;
    const usual = options.scrollbackLines === 0 ? maxViewerBytes : maxWaitingBytes;
    this.#maxBytes = options.maxWaitingBytes ?? usual;
    if (options.missed === undefined) this.#begin();
    else for (const event of options.missed) this.#push(event);
    this.#listening = source.onEvent((event) => this.#add(event));
    const { exitStatus } = source;
    if (exitStatus === null) return;
    const { revision } = source.terminal;
    this.#add({ type: 'exit', status: exitStatus, revision, atMs: options.clock.wallMs() });
  }

  /** A small state is made at once, so that it is that of the subscription. */
  #begin(): void {
    const state = this.#source.snapshotting(this.#options.scrollbackLines);
    const snapshot = state.next();
    if (snapshot === null) this.#state = state;
    else this.#waiting.push(snapshot);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<SubscriptionEvent>> {
    const event = this.#take();
    if (event !== undefined) return Promise.resolve({ done: false, value: event });
    if (this.#ended) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => this.#takers.push(resolve));
  }

  return(): Promise<IteratorResult<SubscriptionEvent>> {
    this.dispose();
    return Promise.resolve({ done: true, value: undefined });
  }

  dispose(): void {
    this.#waiting.clear();
    this.#state = null;
    this.#exit = null;
    this.#end();
  }

  #add(event: SubscriptionEvent): void {
    // The exit is never dropped.
    if (event.type === 'agent') this.#agent = event;
    if (event.type === 'exit') this.#exit = event;
    else if (this.#state === null) this.#keep(lastingOf(event));
    if (this.#turn === null) this.#give();
  }

  /** Gives the next event to the first call that waits for it. */
  #give(): void {
    if (this.#takers.length === 0) return;
    const value = this.#take();
    if (value !== undefined) this.#takers.shift()?.({ done: false, value });
    if (this.#ended) this.#end();
    else if (value !== undefined) this.#give();
  }

  #push(event: SubscriptionEvent): void {
    this.#waiting.push(event);
    if (event.type === 'output') this.#waitingBytes += event.bytes.length;
  }

  #pushAgent(revision: number): void {
    if (this.#agent === null) return;
    this.#agent = { ...this.#agent, revision };
    this.#push(this.#agent);
  }

  #keep(event: SubscriptionEvent): void {
    this.#push(event);
    const { length } = this.#waiting;
    if (this.#waitingBytes <= this.#maxBytes && length <= maxWaitingEvents) return;
    this.#state = this.#source.snapshotting(this.#options.scrollbackLines);
    this.#waiting.clear();
    this.#waitingBytes = 0;
  }

  #take(): SubscriptionEvent | undefined {
    if (this.#state !== null) return this.#takeState(this.#state);
    const event = this.#waiting.shift();
    if (event?.type === 'output') this.#waitingBytes -= event.bytes.length;
    if (event !== undefined && event === this.#agent) this.#agent = null;
    return event ?? this.#takeExit();
  }

  /** Returns the state if that can be made in one turn; else another turn delivers it. */
  #takeState(state: Snapshotting): SubscriptionEvent | undefined {
    const { clock } = this.#options;
    const endMs = clock.nowMs() + turnMs;
    while (this.#turn === null) {
      const snapshot = state.next();
      if (snapshot !== null) {
        this.#state = null;
        this.#pushAgent(snapshot.revision);
        return snapshot;
      }
      if (clock.nowMs() < endMs) continue;
      this.#turn = clock.afterPendingIo(() => {
        this.#turn = null;
        this.#give();
      });
    }
    return undefined;
  }

  #takeExit(): SubscriptionEvent | undefined {
    const exit = this.#exit;
    if (exit === null) return undefined;
    this.#exit = null;
    this.#ended = true;
    this.#listening.dispose();
    return exit;
  }

  #end(): void {
    this.#ended = true;
    this.#turn?.dispose();
    this.#turn = null;
    this.#listening.dispose();
    const done = { done: true, value: undefined } as const;
    for (let taker = this.#takers.shift(); taker; taker = this.#takers.shift()) taker(done);
  }
}

/** Returns an event that may be kept: the bytes of one that is delivered are not valid afterwards. */
function lastingOf(event: SubscriptionEvent): SubscriptionEvent {
  return event.type === 'output' ? { ...event, bytes: new Uint8Array(event.bytes) } : event;
}
