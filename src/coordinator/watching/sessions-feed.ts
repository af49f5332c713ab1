import type { Clock, Disposable } from '#base';
import {
  checkPerSecond,
  type FramesRequest,
  type SessionInfo,
  type SessionRef,
  type SessionsEvent,
  type SessionsWatch,
} from '#model';
import { FrameMaker, type SessionRows } from './session-rows.ts';

/** What a feed reads. */
export interface FeedSources {
  readonly clock: Clock;
  /** Returns the infos of all sessions, oldest first. */
  infos(): readonly SessionInfo[];
  /** Returns the info of a session; null if it was removed. The same object as long as nothing changed. */
  info(id: string): SessionInfo | null;
  /** Returns the id of a session; null if there is none. */
  idOf(ref: SessionRef): string | null;
  /** Calls `onChange` now and after each change of a session's screen. */
  watchScreen(id: string, onChange: (rows: SessionRows) => void): Disposable;
  /** The consumer is a person who looks at a session, until the result is disposed. */
  look(id: string): Disposable;
  /** Called when the consumer leaves. */
  onDispose(feed: SessionsFeed): void;
}

type Result = IteratorResult<SessionsEvent>;

const done: Result = { done: true, value: undefined };

/**
 * The sessions of a coordinator for one consumer. Only what is not up to date is remembered, at most
 * once for each session, and an event is made when the consumer takes it: a slow consumer gets the newest
 * state.
 */
export class SessionsFeed implements SessionsWatch, AsyncIterator<SessionsEvent> {
  readonly #sources: FeedSources;
  /** The infos that the consumer has, by id; null before the first event. */
  #infos: Map<string, SessionInfo> | null = null;
  /** The ids of sessions that changed, and of those with a frame that is due, in the order of serving. */
  readonly #due = new Map<string, { readonly id: string; readonly isFrame: boolean }>();
  readonly #frames = new Map<string, SessionFrames>();
  readonly #takers: ((result: Result) => void)[] = [];
  #nextPlace = 0;
  #isEnded = false;

  constructor(sources: FeedSources, frames: FramesRequest | null) {
    this.#sources = sources;
    if (frames !== null) this.#setFrames(frames);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Result> {
    const value = this.#take();
    if (value !== null) return Promise.resolve({ done: false, value });
    if (this.#isEnded) return Promise.resolve(done);
    return new Promise((resolve) => this.#takers.push(resolve));
  }

  async return(): Promise<Result> {
    this.dispose();
    return done;
  }

  async setFrames(frames: FramesRequest | null): Promise<void> {
    this.#setFrames(frames ?? { sessions: [] });
  }

  dispose(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#setFrames({ sessions: [] });
    this.#due.clear();
    this.#sources.onDispose(this);
    for (const taker of this.#takers.splice(0)) taker(done);
  }

  /** Must be called when a session was added or removed, or its info changed. */
  changed(id: string): void {
    if (this.#isEnded) return;
    this.#due.set(id, { id, isFrame: false });
    this.#give();
  }

  #setFrames(request: FramesRequest): void {
    const { sessions, looking = false } = request;
    const intervalMs = 1000 / checkPerSecond(request);
    const ids = new Set(sessions.flatMap((ref) => this.#sources.idOf(ref) ?? []));
    for (const [id, frames] of this.#frames) {
      if (ids.has(id)) frames.intervalMs = intervalMs;
      else this.#endFrames(id);
    }
    for (const id of ids) if (!this.#frames.has(id)) this.#beginFrames(id, intervalMs);
    for (const frames of this.#frames.values()) frames.look(looking);
  }

  #beginFrames(id: string, intervalMs: number): void {
    const onDue = () => {
      this.#due.set(`frame ${id}`, { id, isFrame: true });
      this.#give();
    };
    this.#frames.set(
      id,
      new SessionFrames(id, this.#sources, { intervalMs, place: this.#nextPlace++, onDue }),
    );
  }

  #endFrames(id: string): void {
    this.#frames.get(id)?.dispose();
    this.#frames.delete(id);
    this.#due.delete(`frame ${id}`);
  }

  #give(): void {
    while (this.#takers.length > 0) {
      const value = this.#take();
      if (value === null) return;
      this.#takers.shift()?.({ done: false, value });
    }
  }

  #take(): SessionsEvent | null {
    if (this.#isEnded) return null;
    if (this.#infos === null) return this.#takeAll();
    for (const [key, { id, isFrame }] of this.#due) {
      this.#due.delete(key);
      const event = isFrame ? this.#frameOf(id) : this.#changeOf(id, this.#infos);
      if (event !== null) return event;
    }
    return null;
  }

  #takeAll(): SessionsEvent {
    const sessions = this.#sources.infos();
    this.#infos = new Map(sessions.map((info) => [info.id, info]));
    for (const [key, { isFrame }] of this.#due) if (!isFrame) this.#due.delete(key);
    return { type: 'sessions', sessions };
  }

  /** Null if the consumer has the newest info. */
  #changeOf(id: string, infos: Map<string, SessionInfo>): SessionsEvent | null {
    const before = infos.get(id);
    const session = this.#sources.info(id);
    if (session === null) {
      this.#endFrames(id);
      infos.delete(id);
      return before === undefined ? null : { type: 'removed', id, name: before.name };
    }
    if (session === before) return null;
    infos.set(id, session);
    return { type: 'session', session };
  }

  #frameOf(id: string): SessionsEvent | null {
    const frame = this.#frames.get(id)?.take() ?? null;
    return frame && { type: 'frame', id, frame };
  }
}

/**
 * The frames of different sessions are due at different times, this far apart in ms, so that not all are
 * due at once after a pause of this process. A screen shows a picture as often.
 */
const stepMs = 16;

/** When the frames of a session are due: the first change after a pause at once. */
class SessionFrames {
  intervalMs: number;
  readonly #place: number;
  readonly #clock: Clock;
  readonly #onDue: () => void;
  readonly #screen: Disposable;
  #maker: FrameMaker | null = null;
  #rows: SessionRows | null = null;
  #timer: Disposable | null = null;
  #takenMs = Number.NEGATIVE_INFINITY;
  /** Whether a frame is due and was not taken. */
  #isDue = false;
  #look: Disposable | null = null;
  readonly #beginLook: () => Disposable;

  constructor(
    id: string,
    sources: FeedSources,
    { intervalMs, place, onDue }: { intervalMs: number; place: number; onDue: () => void },
  ) {
    this.#place = place;
    this.intervalMs = intervalMs;
    this.#clock = sources.clock;
    this.#onDue = onDue;
    this.#beginLook = () => sources.look(id);
    this.#screen = sources.watchScreen(id, (rows) => this.#changed(rows));
  }

  take() {
    this.#isDue = false;
    const frame = this.#maker?.next() ?? null;
    if (frame !== null) this.#takenMs = this.#clock.nowMs();
    return frame;
  }

  look(looking: boolean): void {
    if (looking) this.#look ??= this.#beginLook();
    else {
      this.#look?.dispose();
      this.#look = null;
    }
  }

  dispose(): void {
    this.look(false);
    this.#screen.dispose();
    this.#timer?.dispose();
  }

  #changed(rows: SessionRows): void {
    // Another one after the session was restored.
    if (rows !== this.#rows) this.#maker = new FrameMaker(rows);
    this.#rows = rows;
    if (this.#isDue || this.#timer !== null) return;
    const leftMs = this.#nextMs() - this.#clock.nowMs();
    // What is read in the same turn belongs to the frame.
    this.#timer =
      leftMs > 0
        ? this.#clock.schedule(leftMs, () => this.#due())
        : this.#clock.afterPendingIo(() => this.#due());
  }

  /** Returns the earliest time of the next frame: one in each interval, at this session's place in it. */
  #nextMs(): number {
    const steps = Math.max(1, Math.floor(this.intervalMs / stepMs));
    const placeMs = ((this.#place % steps) * this.intervalMs) / steps;
    const intervals = Math.floor((this.#takenMs - placeMs) / this.intervalMs) + 1;
    return intervals * this.intervalMs + placeMs;
  }

  #due(): void {
    this.#timer = null;
    this.#isDue = true;
    this.#onDue();
  }
}
