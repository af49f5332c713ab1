import { type Disposable, Queue } from '#base';
import type { SnapshotEvent, SubscriptionEvent } from '#model';
import type { Watched } from './watched.ts';

/**
 * Output buffered for a subscriber, in bytes. A subscriber with more waiting gets a snapshot
 * instead.
 */
const maxWaitingBytes = 8 * 1024 * 1024;
/** Events of any kind buffered for a subscriber. */
const maxWaitingEvents = 100_000;

export interface FeedSource extends Pick<Watched, 'exitStatus' | 'onEvent'> {
  /** Returns the current state. */
  snapshot(): SnapshotEvent;
}

/**
 * The events of a session for one consumer: a snapshot, then every later event, until the exit. A
 * consumer that falls too far behind loses the buffered events and continues from a new snapshot,
 * so it never misses events without notice.
 */
export class EventFeed implements AsyncIterator<SubscriptionEvent>, Disposable {
  readonly #source: FeedSource;
  readonly #listening: Disposable;
  readonly #waiting = new Queue<SubscriptionEvent>();
  #waitingBytes = 0;
  /** Events were dropped; the next event is a snapshot in their place. */
  #behind = false;
  #exit: SubscriptionEvent | null = null;
  #ended = false;
  /** Pending calls of `next`. */
  readonly #takers = new Queue<(result: IteratorResult<SubscriptionEvent>) => void>();

  constructor(source: FeedSource) {
    this.#source = source;
    const snapshot = source.snapshot();
    this.#waiting.push(snapshot);
    this.#listening = source.onEvent((event) => this.#add(event));
    const { exitStatus } = source;
    if (exitStatus === null) return;
    const { revision, atMs } = snapshot;
    this.#add({ type: 'exit', status: exitStatus, revision, atMs });
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
    this.#behind = false;
    this.#exit = null;
    this.#end();
  }

  #add(event: SubscriptionEvent): void {
    // The exit is never dropped.
    if (event.type === 'exit') this.#exit = event;
    else if (!this.#behind) this.#keep(event);
    if (this.#takers.length === 0) return;
    const value = this.#take();
    if (value !== undefined) this.#takers.shift()?.({ done: false, value });
    if (this.#ended) this.#end();
  }

  #keep(event: SubscriptionEvent): void {
    this.#waiting.push(event);
    if (event.type === 'output') this.#waitingBytes += event.bytes.length;
    const { length } = this.#waiting;
    if (this.#waitingBytes <= maxWaitingBytes && length <= maxWaitingEvents) return;
    this.#behind = true;
    this.#waiting.clear();
    this.#waitingBytes = 0;
  }

  #take(): SubscriptionEvent | undefined {
    if (this.#behind) {
      this.#behind = false;
      return this.#source.snapshot();
    }
    const event = this.#waiting.shift();
    if (event?.type === 'output') this.#waitingBytes -= event.bytes.length;
    return event ?? this.#takeExit();
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
    this.#listening.dispose();
    const done = { done: true, value: undefined } as const;
    for (let taker = this.#takers.shift(); taker; taker = this.#takers.shift()) taker(done);
  }
}
