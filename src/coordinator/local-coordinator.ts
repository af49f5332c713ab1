import type { Clock } from '#base';
import {
  type Coordinator,
  type ExitStatus,
  type InputReceipt,
  type KeyPress,
  type LinesRead,
  type ReadLinesRequest,
  type RemoveOptions,
  type ScreenRequest,
  type ScreenSnapshot,
  type SearchRequest,
  type SearchResult,
  type SendOptions,
  type SendTextOptions,
  type SessionInfo,
  type SessionRef,
  type SignalName,
  type Size,
  type SpawnRequest,
  type Subscription,
  VtrError,
  type WaitForIdleRequest,
  type WaitForTextRequest,
  type WaitOptions,
  type WaitResult,
} from '#model';
import { inSession, type Session, type SessionDefaults, SessionFactory } from '#session';
import {
  type Condition,
  EventFeed,
  exitOnly,
  idleCondition,
  Pattern,
  searchLines,
  textCondition,
  waitFor,
} from '#watch';
import { Registry } from './registry.ts';
import { spawnSession } from './spawning.ts';
import { systemClock } from './system-clock.ts';

export interface LocalCoordinatorOptions {
  /** Sessions that may run at once; 1000 when absent. */
  readonly maxSessions?: number;
  readonly defaults?: SessionDefaults;
  /** The machine's time when absent. */
  readonly clock?: Clock;
  /**
   * Told of defects that no caller can be told of: what an observer threw before it was dropped,
   * what the terminal threw. Nobody is told when absent.
   */
  readonly onFault?: (error: unknown) => void;
}

const defaultMaxSessions = 1000;

/** Owns sessions in this process. Contract: {@link Coordinator}. */
export class LocalCoordinator implements Coordinator {
  readonly #registry = new Registry();
  readonly #factory: SessionFactory;
  readonly #clock: Clock;
  readonly #maxSessions: number;
  #closing: Promise<void> | null = null;

  /** @throws VtrError SPAWN_FAILED where this platform has no pseudo-terminals that we know. */
  constructor(options: LocalCoordinatorOptions = {}) {
    const { clock = systemClock, defaults = {}, onFault = () => {} } = options;
    this.#clock = clock;
    this.#maxSessions = options.maxSessions ?? defaultMaxSessions;
    this.#factory = new SessionFactory({ clock, defaults, onFault });
  }

  async spawn(request: SpawnRequest): Promise<SessionInfo> {
    this.#checkOpen();
    const session = await spawnSession(request, this.#registry, this.#factory, this.#maxSessions);
    return session.info();
  }

  async list(): Promise<readonly SessionInfo[]> {
    this.#checkOpen();
    return this.#registry.list().map((session) => session.info());
  }

  async info(session: SessionRef): Promise<SessionInfo> {
    return this.#find(session).info();
  }

  async sendText(
    session: SessionRef,
    text: string,
    options: SendTextOptions = {},
  ): Promise<InputReceipt> {
    return this.#find(session).sendText(text, options);
  }

  async sendKeys(
    session: SessionRef,
    keys: readonly (string | KeyPress)[],
    options: SendOptions = {},
  ): Promise<InputReceipt> {
    return this.#find(session).sendKeys(keys, options);
  }

  async sendBytes(
    session: SessionRef,
    bytes: Uint8Array,
    options: SendOptions = {},
  ): Promise<InputReceipt> {
    return this.#find(session).sendBytes(bytes, options);
  }

  async resize(session: SessionRef, size: Size): Promise<void> {
    await this.#find(session).resize(size);
  }

  async kill(session: SessionRef, signal: SignalName = 'TERM'): Promise<void> {
    await this.#find(session).kill(signal);
  }

  async remove(ref: SessionRef, options: RemoveOptions = {}): Promise<ExitStatus> {
    const session = this.#find(ref);
    const status = await session.end(options);
    this.#registry.remove(session);
    return status;
  }

  async screen(ref: SessionRef, request: ScreenRequest = {}): Promise<ScreenSnapshot> {
    const session = this.#find(ref);
    return inSession(session.name, () => session.screen(request));
  }

  async readLines(session: SessionRef, request: ReadLinesRequest = {}): Promise<LinesRead> {
    return this.#find(session).readLines(request);
  }

  async search(ref: SessionRef, request: SearchRequest): Promise<SearchResult> {
    const session = this.#find(ref);
    return inSession(session.name, () => searchLines(session, request, this.#clock));
  }

  async waitForText(session: SessionRef, request: WaitForTextRequest): Promise<WaitResult> {
    return this.#wait(session, () => textCondition(new Pattern(request.pattern)), request);
  }

  async waitForIdle(session: SessionRef, request: WaitForIdleRequest = {}): Promise<WaitResult> {
    return this.#wait(session, () => idleCondition(request.quietMs), request);
  }

  async waitForExit(session: SessionRef, options: WaitOptions = {}): Promise<WaitResult> {
    return this.#wait(session, () => exitOnly, options);
  }

  async subscribe(session: SessionRef): Promise<Subscription> {
    return new EventFeed(this.#find(session));
  }

  close(): Promise<void> {
    this.#closing ??= this.#factory.close();
    return this.#closing;
  }

  async #wait(
    ref: SessionRef,
    condition: () => Condition,
    options: WaitOptions,
  ): Promise<WaitResult> {
    const session = this.#find(ref);
    return inSession(session.name, () => waitFor(session, condition(), options, this.#clock));
  }

  #find(ref: SessionRef): Session {
    this.#checkOpen();
    return this.#registry.find(ref);
  }

  #checkOpen(): void {
    if (this.#closing === null) return;
    throw new VtrError('UNAVAILABLE', 'the coordinator is shutting down; start another one');
  }
}
