import { availableParallelism } from 'node:os';
import { type Clock, type Disposable, toDisposable } from '#base';
import {
  type Activity,
  type CommandList,
  type CommandListRequest,
  type CommandOutput,
  type CommandOutputRequest,
  type Coordinator,
  checkSessionName,
  type EndOptions,
  type ExitStatus,
  type InputReceipt,
  type KeyPress,
  type LabelChanges,
  type Lease,
  type LinesRead,
  type ListRequest,
  type Publication,
  type PublishRequest,
  type ReadLinesRequest,
  type ReadMark,
  type ReadRequest,
  type ReadResult,
  type RemoveOptions,
  type RunRequest,
  type RunResult,
  type ScreenRequest,
  type ScreenSnapshot,
  type SearchRequest,
  type SearchResult,
  type SendOptions,
  type SendResult,
  type SendTextOptions,
  type SessionInfo,
  type SessionLimits,
  type SessionRef,
  type SignalName,
  type Size,
  type SpawnedSession,
  type SpawnRequest,
  type Subscription,
  startMark,
  VtrError,
  type WaitRequest,
  type WaitResult,
} from '#model';
import {
  createPtyHost,
  type ProcessEntry,
  type PtyHost,
  type Session,
  type SessionDefaults,
  SessionFactory,
} from '#session';
import {
  checkWait,
  commandOutput,
  EventFeed,
  markNow,
  markOffset,
  read,
  searchLines,
  searchOutput,
} from '#watch';
import { inSession } from './in-session.ts';
import { Leases } from './leases.ts';
import { Lifetimes } from './lifetimes.ts';
import { LimitWatch } from './limit-watch.ts';
import { LocalPublication } from './local-publication.ts';
import { Registry } from './registry.ts';
import { runLine } from './run-line.ts';
import { sendAndWait } from './send-and-wait.ts';
import { publishSession, type ReusedOrMade, reuseOrSpawn, spawnSession } from './spawning.ts';
import { systemClock } from './system-clock.ts';
import { waitInSession } from './wait-in-session.ts';

export interface LocalCoordinatorOptions {
  /** The limit of running sessions. Default: 1000. */
  readonly maxSessions?: number;
  /**
   * The limit of exited sessions with `keepExitedMs`. Above it, the one that exited
   * first is removed. Default: 100.
   */
  readonly maxKeptExited?: number;
  /**
   * The owner of the pseudo-terminals, which `close` closes. Default: this process, which must then
   * not start children by other means.
   */
  readonly ptyHost?: PtyHost;
  /** Defaults of new sessions. */
  readonly defaults?: SessionDefaults;
  /** The source of time, for tests. Default: the clock of the system. */
  readonly clock?: Clock;
  /**
   * Called with errors that no operation can report: those thrown by an observer, which is then
   * removed, and those thrown by the terminal engine. Default: they are ignored.
   */
  readonly onFault?: (error: unknown) => void;
}

const defaultMaxSessions = 1000;
const defaultMaxKeptExited = 100;

/**
 * The time limit of finding the activity of a session for a list, in ms. A list of a
 * thousand sessions needs less: a session has no activity only if its system does not answer.
 */
const maxListingMs = 10_000;

/** A {@link Coordinator} whose terminals are in this process. */
export class LocalCoordinator implements Coordinator {
  readonly #registry = new Registry();
  readonly #factory: SessionFactory;
  readonly #leases = new Leases();
  readonly #lifetimes: Lifetimes;
  readonly #limitWatches = new Map<Session, Disposable>();
  readonly #onFault: (error: unknown) => void;
  readonly #clock: Clock;
  readonly #maxSessions: number;
  #closing: Promise<void> | null = null;

  /** @throws VtrError SPAWN_FAILED if this platform is not supported */
  constructor(options: LocalCoordinatorOptions = {}) {
    const { clock = systemClock, defaults = {}, onFault = () => {} } = options;
    this.#clock = clock;
    this.#onFault = onFault;
    this.#maxSessions = options.maxSessions ?? defaultMaxSessions;
    const ptyHost = options.ptyHost ?? createPtyHost({ onListenerError: onFault });
    this.#factory = new SessionFactory({ ptyHost, clock, defaults, onFault });
    this.#lifetimes = new Lifetimes({
      clock,
      maxKeptExited: options.maxKeptExited ?? defaultMaxKeptExited,
      forget: (session) => this.#forget(session),
      onFault,
    });
  }

  async spawn(request: SpawnRequest): Promise<SpawnedSession> {
    this.#checkOpen();
    const { lease, wait } = request;
    if (lease !== undefined) this.#leases.check(lease);
    if (wait !== undefined) checkWait(wait);
    const { session, reused } = await this.#make(request);
    // Before anything else is awaited, so that no output has been read.
    const waiting = wait && this.wait(session, { ...wait, since: startMark });
    waiting?.catch(() => {});
    if (reused) await this.#reuse(session, request);
    else await this.#begin(session, request);
    const end = waiting === undefined ? {} : { wait: await waiting };
    return { ...session.info(), ...(reused && { reused }), ...end };
  }

  async #make(request: SpawnRequest): Promise<ReusedOrMade> {
    const how = [this.#registry, this.#factory, this.#maxSessions] as const;
    if (!request.reuse) return { session: await spawnSession(request, ...how), reused: false };
    return reuseOrSpawn(request, ...how, (session) => this.#forget(session));
  }

  async #reuse(session: Session, { labels = {} }: SpawnRequest): Promise<void> {
    this.#lifetimes.use(session).dispose();
    await inSession(session, () => session.changeLabels(labels));
  }

  /** Begins the lifetime, limits and lease of a new session. */
  async #begin(session: Session, request: SpawnRequest): Promise<void> {
    const { lifetime, limits, lease } = request;
    if (lifetime !== undefined) this.#lifetimes.begin(session, { ...lifetime });
    if (limits !== undefined) this.#limit(session, { ...limits });
    if (lease !== undefined) await this.#holdBy(lease, session);
  }

  async publish(request: PublishRequest): Promise<Publication> {
    this.#checkOpen();
    const { lifetime } = request;
    const fed = await publishSession(request, this.#registry, this.#factory, this.#maxSessions);
    if (lifetime !== undefined) this.#lifetimes.begin(fed.session, { ...lifetime });
    return new LocalPublication(fed);
  }

  async list({ activity = false }: ListRequest = {}): Promise<readonly SessionInfo[]> {
    this.#checkOpen();
    const sessions = this.#registry.list();
    if (!activity) return sessions.map((session) => session.info());
    const listed = await this.#factory.listProcesses();
    return Promise.all(sessions.map((session) => this.#listed(session, listed)));
  }

  /** A session whose activity cannot be found, or not in time, has none and does not fail the list. */
  async #listed(session: Session, listed: readonly ProcessEntry[]): Promise<SessionInfo> {
    let timer: Disposable | undefined;
    const late = new Promise<null>((resolve) => {
      timer = this.#clock.schedule(maxListingMs, () => resolve(null));
    });
    const found = session.listedActivity(listed).catch((error) => {
      this.#onFault(error);
      return null;
    });
    const activity = await Promise.race([found, late]);
    timer?.dispose();
    return { ...session.info(), ...(activity && { activity }) };
  }

  async info(session: SessionRef): Promise<SessionInfo> {
    return this.#find(session).info();
  }

  async rename(ref: SessionRef, name: string): Promise<SessionInfo> {
    return this.#glance(ref, (session) => {
      this.#registry.rename(session, checkSessionName(name));
      return session.info();
    });
  }

  async setLabels(ref: SessionRef, changes: LabelChanges): Promise<SessionInfo> {
    return this.#glance(ref, (session) => {
      session.changeLabels(changes);
      return session.info();
    });
  }

  async sendText(
    session: SessionRef,
    text: string,
    options: SendTextOptions = {},
  ): Promise<SendResult> {
    return this.#send(session, options, (found) => found.sendText(text, options));
  }

  async sendKeys(
    session: SessionRef,
    keys: readonly (string | KeyPress)[],
    options: SendOptions = {},
  ): Promise<SendResult> {
    return this.#send(session, options, (found) => found.sendKeys(keys, options));
  }

  async sendBytes(
    session: SessionRef,
    bytes: Uint8Array,
    options: SendOptions = {},
  ): Promise<SendResult> {
    return this.#send(session, options, (found) => found.sendBytes(bytes, options));
  }

  async resize(session: SessionRef, size: Size): Promise<void> {
    await this.#on(session, (found) => found.resize(size));
  }

  async kill(session: SessionRef, signal: SignalName = 'TERM'): Promise<void> {
    await this.#on(session, (found) => found.kill(signal));
  }

  async end(ref: SessionRef, options: EndOptions = {}): Promise<ExitStatus> {
    return this.#on(ref, (session) => session.end(options));
  }

  async remove(ref: SessionRef, options: RemoveOptions = {}): Promise<ExitStatus> {
    return this.#on(ref, async (session) => {
      const status = await session.end(options);
      this.#forget(session);
      return status;
    });
  }

  async screen(ref: SessionRef, request: ScreenRequest = {}): Promise<ScreenSnapshot> {
    return this.#on(ref, (session) => session.screen(request));
  }

  async readLines(session: SessionRef, request: ReadLinesRequest = {}): Promise<LinesRead> {
    return this.#on(session, (found) => found.readLines(request));
  }

  async search(ref: SessionRef, request: SearchRequest): Promise<SearchResult> {
    return this.#on(ref, (session) => {
      const { command } = request;
      if (command === undefined) return searchLines(session.view, request, this.#clock);
      return searchOutput(session.view, session.command(command), request, this.#clock);
    });
  }

  async read(ref: SessionRef, request: ReadRequest = {}): Promise<ReadResult> {
    return this.#on(ref, ({ view }) => {
      if (request.format !== 'raw') return read(view, request);
      return view.withKeptOutput(markOffset(view, request.since), () => read(view, request));
    });
  }

  async mark(ref: SessionRef): Promise<ReadMark> {
    return this.#glance(ref, ({ view }) => markNow(view));
  }

  async wait(ref: SessionRef, request: WaitRequest = {}): Promise<WaitResult> {
    return this.#on(ref, (session) => {
      const wait = () => waitInSession(session, request, this.#clock);
      if (!request.raw || request.since === undefined) return wait();
      return session.view.withKeptOutput(markOffset(session.view, request.since), wait);
    });
  }

  async activity(ref: SessionRef): Promise<Activity> {
    return this.#glance(ref, (session) => session.activity());
  }

  async commands(ref: SessionRef, request: CommandListRequest = {}): Promise<CommandList> {
    return this.#glance(ref, (session) => session.commands(request));
  }

  async commandOutput(ref: SessionRef, request: CommandOutputRequest = {}): Promise<CommandOutput> {
    return this.#on(ref, (session) => {
      const { view } = session;
      const command = session.command(request.command ?? 'last');
      const output = () => commandOutput(view, command, request);
      return request.format === 'raw' ? view.withKeptOutput(command.from.offset, output) : output();
    });
  }

  async run(ref: SessionRef, request: RunRequest): Promise<RunResult> {
    return this.#on(ref, (session) => runLine(session, request, this.#clock));
  }

  async openLease(): Promise<Lease> {
    this.#checkOpen();
    return this.#leases.open();
  }

  async subscribe(ref: SessionRef): Promise<Subscription> {
    const session = this.#find(ref);
    const { view } = session;
    return new EventFeed({
      snapshot: () => view.snapshot(),
      exitStatus: view.exitStatus,
      onEvent: (listener) => {
        const parts = [view.onEvent(listener), this.#lifetimes.use(session)];
        return toDisposable(() => {
          for (const part of parts) part.dispose();
        });
      },
    });
  }

  close(): Promise<void> {
    this.#lifetimes.close();
    for (const watch of this.#limitWatches.values()) watch.dispose();
    this.#closing ??= this.#factory.close();
    return this.#closing;
  }

  /**
   * Adds a session to a lease; if the lease is closed, ends and removes it.
   *
   * @throws VtrError LEASE_CLOSED
   */
  async #holdBy(lease: string, session: Session): Promise<void> {
    try {
      this.#leases.add(lease, session);
    } catch (error) {
      await session.end({ force: true });
      this.#forget(session);
      throw error;
    }
  }

  #limit(session: Session, limits: SessionLimits): void {
    const processors = availableParallelism();
    const options = { clock: this.#clock, processors, onFault: this.#onFault };
    this.#limitWatches.set(session, new LimitWatch(session, limits, options));
  }

  #forget(session: Session): void {
    this.#limitWatches.get(session)?.dispose();
    this.#limitWatches.delete(session);
    this.#registry.remove(session);
    this.#lifetimes.end(session);
    this.#leases.remove(session);
    session.forget();
  }

  #send(
    ref: SessionRef,
    options: SendOptions,
    write: (session: Session) => Promise<InputReceipt>,
  ): Promise<SendResult> {
    return this.#on(ref, (session) => {
      return sendAndWait(session, options, this.#clock, () => write(session));
    });
  }

  #on<T>(ref: SessionRef, operation: (session: Session) => Promise<T> | T): Promise<T> {
    const session = this.#find(ref);
    return this.#lifetimes.during(session, () => inSession(session, () => operation(session)));
  }

  /**
   * As `#on`, but does not count as use: listing what a session does must not extend its lifetime.
   */
  #glance<T>(ref: SessionRef, operation: (session: Session) => Promise<T> | T): Promise<T> {
    const session = this.#find(ref);
    return inSession(session, () => operation(session));
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
