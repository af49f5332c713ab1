import { type Clock, type Disposable, encodeUtf8, Utf8Decoder } from '#base';
import {
  type FramesRequest,
  type SessionInfo,
  type SessionsEvent,
  type SessionsWatch,
  type SnapshotEvent,
  type Subscription,
  type SubscriptionEvent,
  VtrError,
} from '#model';
import { Redactor, type SecretRule } from '#recording';
import { EventFeed, type FeedSource } from '#watch';
import { type TerminalAtCursor, textBefore } from '../cast-events.ts';
import { redactedTexts } from './redaction.ts';

/** How long output is held back because it may be a secret, in ms; longer only if it is the beginning of one. */
const settleMs = 200;

const done = { done: true, value: undefined } as const;

export interface RedactedSource extends Omit<FeedSource, 'terminal'> {
  readonly terminal: FeedSource['terminal'] & TerminalAtCursor;
}

type FeedOptions = ConstructorParameters<typeof EventFeed>[1];

/**
 * The events of a session for one consumer, without secrets. Output is searched as a stream, so that its end waits
 * while it may be the beginning of a secret. Offsets count the bytes that are given out.
 */
export class RedactedEvents implements Subscription, AsyncIterator<SubscriptionEvent> {
  readonly #feed: EventFeed;
  readonly #rules: readonly SecretRule[];
  readonly #clock: Clock;
  /** The text before the cursor when a snapshot was taken. */
  readonly #before = new WeakMap<SnapshotEvent, string>();
  readonly #redactor: Redactor;
  #decoder = new Utf8Decoder();
  /** The last event of output. */
  #last: SubscriptionEvent & { readonly type: 'output' } = noOutput;
  #offset = 0;
  readonly #ready: SubscriptionEvent[] = [];
  #taken: Promise<IteratorResult<SubscriptionEvent>> | null = null;
  #isSettled = true;
  #isOver = false;

  constructor(source: RedactedSource, rules: readonly SecretRule[], options: FeedOptions) {
    this.#rules = rules;
    this.#clock = options.clock;
    this.#redactor = new Redactor(rules);
    const snapshotting = (lines?: number) => {
      const events = source.snapshotting(lines);
      return {
        next: () => {
          const snapshot = events.next();
          if (snapshot !== null) this.#before.set(snapshot, textBefore(source.terminal));
          return snapshot;
        },
      };
    };
    const { terminal, exitStatus } = source;
    const onEvent: FeedSource['onEvent'] = (listener) => source.onEvent(listener);
    this.#feed = new EventFeed({ snapshotting, terminal, exitStatus, onEvent }, options);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<SubscriptionEvent>> {
    while (this.#ready.length === 0 && !this.#isOver) {
      this.#taken ??= this.#feed.next();
      const result = await (this.#isSettled ? this.#taken : this.#orSettled(this.#taken));
      if (result === null) {
        this.#settle(false);
        continue;
      }
      this.#taken = null;
      if (result.done) break;
      this.#add(result.value);
    }
    const value = this.#ready.shift();
    return value === undefined ? done : { done: false, value };
  }

  async return(): Promise<IteratorResult<SubscriptionEvent>> {
    this.dispose();
    return done;
  }

  dispose(): void {
    this.#isOver = true;
    this.#ready.length = 0;
    this.#feed.dispose();
  }

  /** Resolves with null if nothing comes for a while. */
  async #orSettled<T>(next: Promise<T>): Promise<T | null> {
    let timer: Disposable | null = null;
    const settled = new Promise<null>((resolve) => {
      timer = this.#clock.schedule(settleMs, () => resolve(null));
    });
    const result = await Promise.race([next, settled]);
    (timer as Disposable | null)?.dispose();
    return result;
  }

  #add(event: SubscriptionEvent): void {
    if (this.#isOver) return;
    switch (event.type) {
      case 'snapshot':
        this.#begin(event);
        break;
      case 'output':
        this.#last = event;
        this.#output(this.#redactor.push(this.#decoder.push(event.bytes)));
        this.#isSettled = !this.#redactor.isHolding;
        // A frame is shown as far as it is drawn.
        if (event.bytes.length === 0) this.#ready.push({ ...event, offset: this.#offset });
        break;
      case 'clipboard':
        // Recordings do not show what was copied, either.
        break;
      default:
        // Other events may overtake output that is held back.
        if (event.type === 'resize' || event.type === 'exit') this.#settle(true);
        this.#ready.push(redactedTexts(event, this.#rules));
    }
  }

  #begin(snapshot: SnapshotEvent): void {
    this.#decoder = new Utf8Decoder();
    this.#isSettled = true;
    this.#offset = snapshot.offset;
    const { revision, atMs } = snapshot;
    this.#last = { ...noOutput, revision, atMs };
    const before = this.#before.get(snapshot) ?? '';
    // It may end within a character, which the output that follows completes.
    const dump = encodeUtf8(this.#redactor.draw(this.#decoder.push(snapshot.dump), before));
    this.#ready.push({ ...snapshot, dump });
  }

  #settle(isWhole: boolean): void {
    this.#isSettled = true;
    this.#output(this.#redactor.settle(isWhole));
  }

  #output(text: string): void {
    if (text === '') return;
    const bytes = encodeUtf8(text);
    this.#ready.push({ ...this.#last, offset: this.#offset, bytes });
    this.#offset += bytes.length;
  }
}

const noOutput = {
  type: 'output' as const,
  revision: 0,
  atMs: 0,
  offset: 0,
  bytes: new Uint8Array(),
};

/** All sessions as they change, without secrets. */
export class RedactedWatch implements SessionsWatch {
  readonly #watch: SessionsWatch;
  readonly #redacted: (info: SessionInfo) => SessionInfo | null;

  /** @param redacted returns null for a session that was removed meanwhile */
  constructor(watch: SessionsWatch, redacted: (info: SessionInfo) => SessionInfo | null) {
    this.#watch = watch;
    this.#redacted = redacted;
  }

  async *[Symbol.asyncIterator](): AsyncIterator<SessionsEvent> {
    for await (const event of this.#watch) {
      if (event.type === 'sessions') {
        const sessions = event.sessions.flatMap((info) => this.#redacted(info) ?? []);
        yield { ...event, sessions };
      } else if (event.type === 'session') {
        const session = this.#redacted(event.session);
        if (session !== null) yield { ...event, session };
      } else yield event;
    }
  }

  async setFrames(frames: FramesRequest | null): Promise<void> {
    if (frames !== null && frames.sessions.length > 0) throw framesNotRedacted();
  }

  dispose(): void {
    this.#watch.dispose();
  }
}

export const framesNotRedacted = (): VtrError =>
  new VtrError('INVALID_ARGUMENT', 'frames cannot be redacted; leave out frames or redact');
