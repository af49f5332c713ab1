import { availableParallelism } from 'node:os';
import type { AgentKind } from '#agents';
import { type Clock, defined, Emitter, ignored } from '#base';
import {
  type Activity,
  type AgentInfo,
  type CommandList,
  type CommandListRequest,
  type CommandOutput,
  type CommandOutputRequest,
  type Coordinator,
  checkSessionName,
  type DriverState,
  defaultLimits,
  driverName,
  type EndedBy,
  type EndOptions,
  type EnvironmentMode,
  type ExitStatus,
  type ExplainAgentRequest,
  type ExplainedAgent,
  type FileRecording,
  type FollowRequest,
  type FollowResult,
  type GiveRequest,
  type InputReceipt,
  isLost,
  type KeyPress,
  type LabelChanges,
  type Lease,
  type LinesRead,
  type ListRequest,
  type MouseInput,
  type ObservedInput,
  type OpenLeaseRequest,
  type Persistence,
  type Publication,
  type PublishRequest,
  personTypesMs,
  type ReadLinesRequest,
  type ReadMark,
  type ReadRequest,
  type ReadResult,
  type RecordRequest,
  type RedactRequest,
  type RemoveOptions,
  type ReportRequest,
  type ReportResult,
  type ResizeOptions,
  type ResumedAgent,
  type RevivedSession,
  type ReviveRequest,
  type RunRequest,
  type RunResult,
  type ScreenRequest,
  type ScreenSnapshot,
  type SearchRequest,
  type SearchResult,
  type Sender,
  type SendMouseOptions,
  type SendMouseResult,
  type SendOptions,
  type SendResult,
  type SendTextOptions,
  type SessionFrame,
  type SessionInfo,
  type SessionRecord,
  type SessionRef,
  type SessionsWatch,
  type SessionWorktree,
  type SignalName,
  type Size,
  type Sizing,
  type SpawnedSession,
  type SpawnRequest,
  type StartRecordingRequest,
  type SubscribeRequest,
  type Subscription,
  startMark,
  type TakeRequest,
  type Viewing,
  type ViewRequest,
  VtrError,
  type WaitRequest,
  type WaitResult,
  type WatchSessionsRequest,
  watchLabel,
  worktreeOf,
} from '#model';
import { secretValues } from '#recording';
import {
  contentHash,
  createPtyHost,
  endOfLines,
  type LineArchives,
  type PtyHost,
  type Session,
  type SessionDefaults,
  SessionFactory,
  spawnContent,
} from '#session';
import {
  type AgentSource,
  checkWait,
  commandOutput,
  defaultRecordingLimits,
  follow,
  markNow,
  markOffset,
  type RecordingLimits,
  read,
  readTranscript,
  searchLines,
  searchOutput,
} from '#watch';
import { type CoordinatorCounts, Counts } from './counting.ts';
import { Drivers } from './driving/drivers.ts';
import type { DriversNote } from './driving/session-driver.ts';
import { Leases } from './lifetimes/leases.ts';
import { Lifetimes, type OnEnd } from './lifetimes/lifetimes.ts';
import { LimitWatches } from './lifetimes/limit-watch.ts';
import { type BranchOf, restoredInTime } from './listing.ts';
import { OpenCalls } from './open-calls.ts';
import type { EarlierState, Turns } from './recording/earlier-state.ts';
import { type FileOptions, Recorders } from './recording/recorders.ts';
import type { RedactionOptions } from './recording/session-secrets.ts';
import { rawContext, rawNotRedacted, withoutRawSecrets } from './redacting/redacted-raw.ts';
import { framesNotRedacted, RedactedWatch } from './redacting/redacted-streams.ts';
import { redactedLines } from './redacting/redacted-terminal.ts';
import type { Redaction } from './redacting/redaction.ts';
import { type Reading, Redactions } from './redacting/redactions.ts';
import { inSession, type Registered, Registry } from './registry.ts';
import { RunIds } from './running/run-ids.ts';
import { Keeping } from './saving/keeping.ts';
import type { Ended } from './saving/restoring.ts';
import { Saver } from './saving/saver.ts';
import type { SessionStore } from './saving/session-save.ts';
import { type FindConversations, type ResumePlan, Resuming } from './starting/resuming.ts';
import { forkSession, reviveSession } from './starting/reviving.ts';
import {
  LocalPublication,
  publishSession,
  type ReusedOrMade,
  reuseOrSpawn,
  SpawnIds,
  spawnSession,
} from './starting/spawning.ts';
import { answerQuestion } from './submitting/answer-question.ts';
import { areText, isTyped, whenStarted } from './submitting/program-start.ts';
import { submitText } from './submitting/submit-text.ts';
import { Resizes, subscribe } from './subscribing.ts';
import { systemClock } from './system-clock.ts';
import { type SentInput, sendAndWait, waitInSession } from './waiting/send-and-wait.ts';
import { sendMouseOn } from './waiting/text-on-screen.ts';
import { Looks } from './watching/looks.ts';
import { SessionAgents } from './watching/session-agents.ts';
import { SessionReports } from './watching/session-reports.ts';
import { fullFrame } from './watching/session-rows.ts';
import { WatchedSessions } from './watching/watched-sessions.ts';

export interface RecordingOptions {
  /** The limits of the recordings in memory. Default: {@link defaultRecordingLimits}. */
  readonly limits?: Partial<RecordingLimits>;
  readonly redaction?: RedactionOptions;
  readonly files?: FileOptions;
}

/** What a coordinator does without a call, and who drives a session as a result of calls or of time. */
export type OwnAction = { readonly session: { readonly name: string; readonly id: string } } & (
  | { readonly action: 'end'; readonly endedBy: EndedBy }
  | {
      readonly action: 'driver';
      /** The person. */
      readonly by: string;
      readonly done: 'took over' | 'gave back';
    }
);

export interface LocalCoordinatorOptions {
  /** The limit of running sessions. Default: 1000. */
  readonly maxSessions?: number;
  /**
   * The limit of exited sessions with `keepExitedMs`. Above it, the one that exited
   * first is removed. Default: 100.
   */
  readonly maxKeptExited?: number;
  /** For how long agents wait after a person has typed, in ms. Default: {@link personTypesMs}. */
  readonly waitForPersonMs?: number;
  /** Whose windows size a session that does not say. Default: `latest`. */
  readonly sizing?: Sizing;
  /**
   * The owner of the pseudo-terminals, which `close` closes. Default: this process, which must then
   * not start children by other means.
   */
  readonly ptyHost?: PtyHost;
  /**
   * Keeps sessions where they survive the process that owns the pseudo-terminals. The caller closes it,
   * after the coordinator.
   */
  readonly store?: SessionStore;
  /** For the lines that scrollbacks drop; the caller closes it, after the coordinator. Default: they are lost. */
  readonly archives?: LineArchives;
  /** Defaults of new sessions. */
  readonly defaults?: SessionDefaults;
  readonly recording?: RecordingOptions;
  /** The path of the socket at which programs of sessions report what they do. Default: there is none. */
  readonly reportSocket?: string;
  /** The source of time, for tests. Default: the clock of the system. */
  readonly clock?: Clock;
  /** Returns the kinds of coding agents that are known. Default: none. */
  readonly agentKinds?: () => Promise<readonly AgentKind[]>;
  /** Finds the branches of git in the directories of sessions. Default: none are found. */
  readonly branchOf?: BranchOf;
  /** Checks that a worktree has no work left. @throws VtrError WORK_LEFT, IO_ERROR. Default: nothing is checked */
  readonly checkWorktree?: (session: string, worktree: SessionWorktree) => Promise<void>;
  /** Finds conversations of agents in their files. Default: they have none. */
  readonly findConversations?: FindConversations;
  /** Called with what the coordinator does itself. */
  readonly onOwnAction?: (action: OwnAction) => void;
  /**
   * Called with errors that no operation can report: those thrown by an observer, which is then
   * removed, and those thrown by the terminal engine. Default: they are ignored.
   */
  readonly onFault?: (error: unknown) => void;
}

/** A session whose program was ended with the owner of its terminal. */
export interface LostSession {
  readonly name: string;
  readonly id: string;
  /** As its spawn requested. */
  readonly environment: EnvironmentMode;
}

/** The time in which a shell that was started again must show its prompt, in ms. */
const promptMs = 20_000;

const nameAndId = ({ name, id }: Registered) => ({ name, id });

/** A {@link Coordinator} whose terminals are in this process. */
export class LocalCoordinator implements Coordinator {
  readonly #registry = new Registry();
  readonly #factory: SessionFactory;
  readonly #store: SessionStore | null;
  readonly #archives: LineArchives | null;
  readonly #checkWorktree: LocalCoordinatorOptions['checkWorktree'];
  readonly #saver: Saver;
  readonly #keeping: Keeping;
  readonly #spawned = new SpawnIds();
  readonly #runs = new RunIds();
  readonly #resizes = new Resizes();
  readonly #drivers: Drivers;
  readonly #calls = new OpenCalls();
  readonly #counts: Counts;
  readonly #leases: Leases;
  readonly #lifetimes: Lifetimes;
  readonly #limits: LimitWatches;
  readonly #agents: SessionAgents;
  readonly #reports: SessionReports;
  readonly #looks: Looks;
  /** Ids of sessions. */
  readonly #agentChanges = new Emitter<string>();
  readonly #resuming: Resuming;
  readonly #watched: WatchedSessions;
  readonly #recorders: Recorders;
  readonly #redactions: Redactions;
  readonly #clock: Clock;
  readonly #agentKinds: () => Promise<readonly AgentKind[]>;
  readonly #maxSessions: number;
  #closing: Promise<void> | null = null;

  /** @throws VtrError SPAWN_FAILED if this platform is not supported */
  constructor(options: LocalCoordinatorOptions = {}) {
    const { clock = systemClock, defaults = {}, onFault = () => {} } = options;
    this.#clock = clock;
    this.#maxSessions = options.maxSessions ?? defaultLimits.sessions;
    const secretsOf = secretValues;
    const ptyHost = options.ptyHost ?? createPtyHost({ onListenerError: onFault });
    const { archives, reportSocket } = options;
    this.#factory = new SessionFactory({
      ptyHost,
      clock,
      defaults,
      onFault,
      secretsOf,
      ...defined({ archives, reportSocket }),
    });
    this.#archives = archives ?? null;
    this.#checkWorktree = options.checkWorktree;
    this.#store = options.store ?? null;
    this.#saver = new Saver({ clock, store: this.#store, onFault });
    const saveFacts = (session: Session) => this.#saver.saveFacts(session);
    const { limits, redaction = {}, files = {} } = options.recording ?? {};
    this.#recorders = new Recorders({
      clock,
      registry: this.#registry,
      redaction,
      files,
      onFault,
      limits: { ...defaultRecordingLimits, ...limits },
    });
    const rulesOf = (session: Registered) => this.#recorders.readingRulesOf(session);
    const learn = (session: Session) => this.#recorders.learnSecrets(session);
    const { textRules } = this.#recorders;
    const sessions = () => this.#registry.list();
    const isDefault = redaction.reads ?? false;
    this.#redactions = new Redactions({ rulesOf, textRules, sessions, learn, isDefault });
    const { onOwnAction = () => {} } = options;
    const note: DriversNote = (session, by, done) => {
      this.#recorders.note(session, `driver: ${by} ${done}`);
      onOwnAction({ session: nameAndId(session), action: 'driver', by, done });
    };
    const onEnd: OnEnd = (session, endedBy) =>
      onOwnAction({ session: nameAndId(session), action: 'end', endedBy });
    const { waitForPersonMs = personTypesMs, sizing = 'latest' } = options;
    this.#drivers = new Drivers({ clock, onFault, save: saveFacts, note, waitForPersonMs, sizing });
    this.#looks = new Looks({
      registry: this.#registry,
      clock,
      save: saveFacts,
      onLook: (id) => this.#agentChanged(id),
    });
    this.#leases = new Leases(clock, onFault, onEnd);
    this.#limits = new LimitWatches({ clock, processors: availableParallelism(), onEnd, onFault });
    this.#lifetimes = new Lifetimes({
      clock,
      maxKeptExited: options.maxKeptExited ?? defaultLimits.keptExited,
      forget: (session) => this.#forget(session),
      onUse: (session) => this.#saver.touch(session),
      onEnd,
      onFault,
    });
    const listProcesses = () => this.#factory.listProcesses();
    this.#reports = new SessionReports({
      clock,
      registry: this.#registry,
      listProcesses,
      save: saveFacts,
      onChange: (session) => {
        this.#agents.reported(session);
        this.#agentChanged(session.id);
      },
    });
    const kinds = options.agentKinds ?? (async () => []);
    this.#agentKinds = kinds;
    this.#agents = new SessionAgents(
      this.#registry,
      { clock, kinds, listProcesses, reports: this.#reports, onFault, save: saveFacts },
      (id) => {
        const session = this.#registry.withId(id);
        if (session !== null) this.#looks.agentChanged(id, this.#agents.of(session));
        this.#agentChanged(id);
      },
    );
    this.#resuming = new Resuming({
      registry: this.#registry,
      agents: this.#agents,
      kinds,
      findConversations: options.findConversations ?? (async () => null),
    });
    this.#keeping = new Keeping({
      clock,
      onFault,
      registry: this.#registry,
      factory: this.#factory,
      store: this.#store,
      saver: this.#saver,
      spawned: this.#spawned,
      runs: this.#runs,
      resizes: this.#resizes,
      drivers: this.#drivers,
      looks: this.#looks,
      leases: this.#leases,
      lifetimes: this.#lifetimes,
      limits: this.#limits,
      reports: this.#reports,
      agents: this.#agents,
      resuming: this.#resuming,
      drop: (...both) => this.#drop(...both),
      typeLine: (session, line) => void this.#resumeAgain(session, line).catch(onFault),
      isClosing: () => this.#closing !== null,
    });
    const agentOf = (session: Registered) => this.#agentOf(session);
    this.#watched = new WatchedSessions({
      registry: this.#registry,
      clock,
      onFault,
      listProcesses,
      infoOf: (session) => this.#infoOf(session),
      agentOf,
      statusOf: (session) => this.#reports.statusOf(session),
      looks: this.#looks,
      ...defined({ branchOf: options.branchOf }),
    });
    this.#counts = new Counts({ registry: this.#registry, clock, listProcesses, agentOf });
  }

  /** Returns the numbers of its sessions, bytes and waits. Does not count as use of a session. */
  counts(): Promise<CoordinatorCounts> {
    return this.#counts.read();
  }

  /** Whether sessions are saved, and where. */
  get persistence(): Persistence {
    return this.#store?.state ?? { state: 'memory' };
  }

  /**
   * Takes the sessions that another coordinator left, with all their properties. They can be listed when
   * it resolves, and are restored when they are used, or in the background. Must be called before any
   * other call; again when a PTY host is found later.
   */
  async adopt(): Promise<void> {
    await this.#keeping.adopt();
    this.#recorders.files.endLost(new Set(this.#registry.list().map(({ id }) => id)));
  }

  /** Must be called when the kinds of agents have changed. */
  agentKindsChanged(): void {
    this.#agents.kindsChanged();
  }

  /** Removes the archives that no adopted session can read. Must be called after {@link adopt}. */
  removeLeftArchives(): void {
    const sessions = this.#registry.list().filter(({ facts }) => facts.archiveKey !== undefined);
    this.#archives?.keepOnly(new Set(sessions.map(({ id }) => id)));
  }

  async spawn(request: SpawnRequest): Promise<SpawnedSession> {
    this.#checkOpen();
    return this.#calls.during(this.#spawn(request));
  }

  async #spawn(request: SpawnRequest): Promise<SpawnedSession> {
    const { lease, wait } = request;
    if (wait !== undefined) checkWait(wait);
    if (request.agent !== undefined) return this.#spawn(await this.#asAgent(request));
    const content = () => spawnContent(request);
    const before = this.#spawned.find(request.inputId, content);
    if (before !== null) return this.#repeatSpawn(await before, request);
    if (lease !== undefined) this.#leases.check(lease);
    const { session, reused } = await this.#once(request, content, this.#make(request));
    // Before anything else is awaited, so that no output has been read.
    const waiting = wait && this.wait(session, { ...wait, since: startMark });
    ignored(waiting, 'it is awaited below, and may fail before');
    if (reused) await this.#reuse(session, request);
    else await this.#begin(session, request);
    const end = waiting === undefined ? {} : { wait: await waiting };
    return { ...this.#infoOf(session), ...defined({ reused: reused || undefined }), ...end };
  }

  /**
   * Returns the request for a program that is an agent: with the label, and with the command of its kind.
   *
   * @throws VtrError INVALID_ARGUMENT for a kind that is not known
   */
  async #asAgent({ agent = '', ...request }: SpawnRequest): Promise<SpawnRequest> {
    const kinds = await this.#agentKinds();
    const kind = kinds.find((each) => each.kind === agent);
    if (kind === undefined) {
      const names = kinds.map((each) => each.kind).join(', ');
      throw new VtrError('INVALID_ARGUMENT', `no kind of agent ${JSON.stringify(agent)}: ${names}`);
    }
    const labelled = { ...request, labels: { ...request.labels, agent } };
    if (request.program !== undefined) return labelled;
    const [program = agent, ...args] = kind.start.command;
    return { ...labelled, program, args: [...args, ...(request.args ?? [])] };
  }

  /** Remembers the session that a request makes. */
  #once<T extends { readonly session: Session }>(
    { inputId }: Pick<SpawnRequest, 'inputId'>,
    content: () => string,
    making: Promise<T>,
  ): Promise<T> {
    if (inputId === undefined) return making;
    this.#spawned.add(
      inputId,
      content(),
      making.then(({ session }) => session),
    );
    return making;
  }

  async #repeatSpawn(
    ref: SessionRef,
    { wait }: Pick<SpawnRequest, 'wait'>,
  ): Promise<SpawnedSession> {
    const end =
      wait === undefined ? {} : { wait: await this.wait(ref, { ...wait, since: startMark }) };
    return { ...(await this.info(ref)), ...end };
  }

  async #make(request: SpawnRequest): Promise<ReusedOrMade> {
    const how = [this.#registry, this.#factory, this.#maxSessions] as const;
    if (!request.reuse) return { session: await spawnSession(request, ...how), reused: false };
    return reuseOrSpawn(request, ...how, (session) => this.#forget(session));
  }

  async #reuse(session: Session, { labels = {}, record = false }: SpawnRequest): Promise<void> {
    this.#lifetimes.use(session).dispose();
    const isRecorded = this.#recorders.files.of(session.id)?.state === 'on';
    if (record && !isRecorded) this.#recorders.start(session);
    await inSession(session, () => session.changeLabels(labels));
  }

  /** Begins the lifetime, limits and lease of a new session. */
  async #begin(session: Session, request: SpawnRequest): Promise<void> {
    const { lifetime, limits, lease, persist = true, sizing } = request;
    if (lifetime !== undefined) this.#lifetimes.begin(session, { ...lifetime });
    this.#keeping.save(session, persist);
    if (sizing !== undefined) this.#drivers.of(session).setSizing(sizing);
    if (limits !== undefined) this.#limits.begin(session, { ...limits });
    await this.#orEnd(session, () => {
      this.#recorders.started(session, request);
      if (lease !== undefined) this.#leases.add(lease, session);
    });
  }

  async publish(request: PublishRequest): Promise<Publication> {
    this.#checkOpen();
    const { lifetime } = request;
    const fed = await publishSession(request, this.#registry, this.#factory, this.#maxSessions);
    if (lifetime !== undefined) this.#lifetimes.begin(fed.session, { ...lifetime });
    this.#resizes.begin(fed.session, () => {});
    this.#recorders.started(fed.session, {});
    return new LocalPublication(fed, this.#infoOf(fed.session));
  }

  async list(request: ListRequest = {}): Promise<readonly SessionInfo[]> {
    this.#checkOpen();
    await restoredInTime(this.#keeping.restored, this.#clock);
    const sessions = this.#registry.list();
    const infos = request.activity
      ? await this.#watched.infos(sessions)
      : sessions.map((session) => this.#infoOf(session));
    if (!this.#redactions.isOn(request)) return infos;
    const byId = new Map(sessions.map((session) => [session.id, session]));
    return infos.map((info) => {
      return this.#redactions.info(byId.get(info.id) as Registered, request, info);
    });
  }

  async info(ref: SessionRef, request: ListRequest = {}): Promise<SessionInfo> {
    const { activity = false } = request;
    const entry = this.#find(ref);
    const shown = (session: Registered, info = this.#infoOf(session)) =>
      this.#redactions.info(session, request, info);
    if (!('live' in entry || activity)) return shown(entry);
    return this.#glance(ref, async (session) => {
      if (!activity) return shown(session);
      return shown(session, await this.#watched.info(session));
    });
  }

  #infoOf(session: Registered): SessionInfo {
    const recording = this.#recorders.files.of(session.id);
    // One object for each session, because a list may have a thousand: spreading takes longer than all else.
    const info: { -readonly [Name in keyof SessionInfo]: SessionInfo[Name] } = session.info();
    this.#drivers.of(session).addTo(info);
    const agent = this.#agentOf(session);
    if (agent !== null) info.agent = agent;
    const programStatus = this.#reports.statusOf(session);
    if (programStatus !== null) info.programStatus = programStatus;
    if (recording !== undefined) info.recording = recording;
    const isSaved = 'live' in session || session.saving !== null;
    if (!isSaved) return info;
    const persists = 'live' in session ? session.facts.persist : session.persists;
    info.persist = persists ? this.persistence : { state: 'memory' };
    return info;
  }

  #agentOf(session: Registered): AgentInfo | null {
    return this.#looks.withDone(session, this.#agents.of(session));
  }

  #agentSource(session: Session): AgentSource {
    return {
      info: () => this.#agentOf(session),
      onChange: (listener) => this.#agentChanges.on((id) => id === session.id && listener()),
    };
  }

  #agentChanged(id: string): void {
    this.#watched.agentChanged(id);
    this.#agentChanges.emit(id);
  }

  async rename(ref: SessionRef, name: string): Promise<SessionInfo> {
    return this.#glance(ref, (session) => {
      this.#registry.rename(session, checkSessionName(name));
      this.#saver.saveFacts(session);
      return this.#infoOf(session);
    });
  }

  async setLabels(ref: SessionRef, changes: LabelChanges): Promise<SessionInfo> {
    return this.#glance(ref, (session) => {
      if (Object.hasOwn(changes, watchLabel)) this.#looks.watch(session.id);
      session.changeLabels(changes);
      return this.#infoOf(session);
    });
  }

  async report(ref: SessionRef, request: ReportRequest): Promise<ReportResult> {
    return this.#glance(ref, (session) => this.#reports.report(session, request));
  }

  /**
   * Returns the session whose programs have this key for reports.
   *
   * @param hook the process of a hook that reports; null for other programs
   * @throws VtrError NOT_ALLOWED, also for a hook of an agent that is not in the foreground
   */
  async sessionOfReports(
    key: string,
    hook: number | null,
  ): Promise<{ readonly name: string; readonly id: string }> {
    const session = this.#reports.ownerOf(key);
    if (hook === null || (await this.#reports.isOfForeground(session, hook)))
      return nameAndId(session);
    throw new VtrError('NOT_ALLOWED', 'the agent of this hook is not in the foreground');
  }

  async revive(ref: SessionRef, request: ReviveRequest = {}): Promise<RevivedSession> {
    const { inputId: _id, caller: _caller, wait, ...fields } = request;
    if (wait !== undefined) checkWait(wait);
    const content = () => contentHash('revive', typeof ref === 'string' ? ref : ref.name, fields);
    const before = this.#spawned.find(request.inputId, content);
    if (before !== null) return this.#repeatSpawn(await before, request);
    const { session, missingEnv, resumed, waiting } = await this.#live(ref, async (before) => {
      if (request.now) await this.#endForRevival(before, request);
      return this.#resuming.during(before, request, async (plan) => {
        const { epoch } = this.#drivers.of(before);
        const revive = request.forkAs === undefined ? reviveSession : forkSession;
        let dropEarlier: (() => void) | null = null;
        const reviving = revive(before, request, {
          registry: this.#registry,
          factory: this.#factory,
          maxSessions: this.#maxSessions,
          nowMs: this.#clock.wallMs(),
          forget: (session) => {
            dropEarlier = this.#release(session);
          },
          plan,
        });
        const result = await this.#once(request, content, reviving);
        const { session, missingEnv } = result;
        if (plan?.line !== undefined) this.#resuming.lines.set(session, plan.line);
        // Before anything else is awaited, so that no output has been read.
        const waiting = wait && this.wait(session, { ...wait, since: startMark });
        ignored(waiting, 'it is awaited below, and may fail before');
        if (request.forkAs === undefined) this.#drivers.of(session).continueFrom(epoch);
        await this.#begin(session, result.request);
        // Until the lines of the ended session are saved with this one, they are saved with that one only.
        const isReplaced = this.#registry.withId(before.id) === null;
        this.#saver.saveWithLines(session, () => {
          if (isReplaced) this.#drop(before, session);
          dropEarlier?.();
        });
        return { session, missingEnv, resumed: await this.#typeResumed(session, plan), waiting };
      });
    });
    const end = waiting === undefined ? {} : { wait: await waiting };
    return {
      ...this.#infoOf(session),
      ...(missingEnv.length > 0 && { missingEnv }),
      ...defined({ resumed }),
      ...end,
    };
  }

  /** Ends the turn of a coding agent by its keys, so that its conversation is whole, and then the program. */
  async #endForRevival(session: Session, { forkAs }: ReviveRequest): Promise<void> {
    if (forkAs !== undefined) {
      throw new VtrError('INVALID_ARGUMENT', 'now and forkAs cannot be used together');
    }
    if (session.exitStatus !== null || session.facts.fedBy !== undefined) return;
    await this.#agents.interrupt(session);
    // If the coordinator is killed before it is started again, it counts as lost.
    session.noteEnd({ reason: 'stopped' });
    await session.end({ isLimited: true });
  }

  async #typeResumed(session: Session, plan: ResumePlan | null): Promise<ResumedAgent | undefined> {
    if (plan === null || plan.line === undefined) return plan?.resumed;
    const { line, resumed } = plan;
    return (await this.#typeLine(session, line)) ? resumed : { ...resumed, line };
  }

  /** Types the line that starts an agent in its shell. @returns whether it was typed */
  async #typeLine(session: Session, line: string): Promise<boolean> {
    const { outcome } = await this.wait(session, { prompt: true, timeoutMs: promptMs });
    // With the id, it is typed once, whatever coordinator types it.
    const options = { by: 'vtr revive', inputId: `resume-${session.id}` };
    const typing = outcome === 'prompt' && this.sendText(session, `${line}\r`, options);
    const isTyped = await Promise.resolve(typing).then(Boolean, () => false);
    this.#resuming.lines.delete(session);
    this.#saver.saveFacts(session);
    return isTyped;
  }

  /** Goes on where another coordinator was killed. @throws VtrError UNAVAILABLE if the shell shows no prompt */
  async #resumeAgain(session: Session, line: string): Promise<void> {
    if ((await this.#typeLine(session, line)) || this.#agentOf(session) !== null) return;
    const { name } = session;
    throw new VtrError(
      'UNAVAILABLE',
      `session ${name}: the shell showed no prompt; start the agent with: ${line}`,
    );
  }

  /** The ended sessions whose programs were ended with the owner of their terminals, oldest first. */
  lostSessions(which: 'agents' | 'all'): readonly LostSession[] {
    const lost = this.#registry.list().filter((session) => isLost(session.info()));
    const chosen = lost.filter((each) => which === 'all' || this.#agents.kept(each) !== null);
    return chosen.map(({ name, id, facts: { environment } }) => ({ name, id, environment }));
  }

  async sendText(
    session: SessionRef,
    text: string,
    options: SendTextOptions & ObservedInput = {},
  ): Promise<SendResult> {
    const { submit, answer } = options;
    const send = (live: Session): Promise<InputReceipt> => {
      if (!submit && !answer) return live.sendText(text, options);
      const act = answer ? answerQuestion : submitText;
      const onPrompt = () => this.#agents.onPrompt(live);
      const agent = { ...this.#agentSource(live), onPrompt };
      return act(live, text, options, this.#clock, agent).catch((error) => {
        throw this.#redactions.failure(live, error);
      });
    };
    if (answer) return this.#answer(session, options, send);
    const prompt = submit ? text : undefined;
    return this.#send(session, options, send, { isText: isTyped(text), prompt });
  }

  /** The wait begins after the answer: before, the question itself would end it. */
  async #answer(
    session: SessionRef,
    { wait, ...options }: SendTextOptions,
    send: (session: Session) => Promise<InputReceipt>,
  ): Promise<SendResult> {
    const agentAfterMs = this.#clock.wallMs() - 1;
    const result = await this.#send(session, options, send);
    if (wait === undefined) return result;
    const request = { since: result.mark, agentAfterMs, ...wait };
    return { ...result, wait: await this.wait(session, request) };
  }

  async sendKeys(
    session: SessionRef,
    keys: readonly (string | KeyPress)[],
    options: SendOptions & ObservedInput = {},
  ): Promise<SendResult> {
    const send = (live: Session) => live.sendKeys(keys, options);
    return this.#send(session, options, send, { isText: areText(keys) });
  }

  async sendBytes(
    session: SessionRef,
    bytes: Uint8Array,
    options: SendOptions & ObservedInput = {},
  ): Promise<SendResult> {
    return this.#send(session, options, (live) => live.sendBytes(bytes, options));
  }

  async sendMouse(
    session: SessionRef,
    events: readonly MouseInput[],
    { on, ...options }: SendMouseOptions & ObservedInput = {},
  ): Promise<SendMouseResult> {
    const { redact } = options;
    return this.#send(session, options, async (live) => {
      if (on === undefined) return live.sendMouse(events, options);
      const send = () => sendMouseOn(live, on, events, options);
      return this.#redactions.reading(live, redact === undefined ? {} : { redact }, send, true);
    });
  }

  async sendFocus(
    session: SessionRef,
    focused: boolean,
    options: SendOptions & ObservedInput = {},
  ): Promise<SendResult> {
    return this.#send(session, options, (live) => live.sendFocus(focused, options));
  }

  async resize(ref: SessionRef, size: Size, options: ResizeOptions = {}): Promise<void> {
    await this.#on(ref, (session) => {
      this.#drivers.of(session).check(options);
      return session.resize(size, { isLimited: true });
    });
  }

  async kill(session: SessionRef, signal: SignalName = 'TERM'): Promise<void> {
    await this.#on(session, (live) => live.kill(signal));
  }

  async end(ref: SessionRef, options: EndOptions = {}): Promise<ExitStatus> {
    return this.#on(ref, (session) => session.end({ ...options, isLimited: true }));
  }

  async remove(ref: SessionRef, options: RemoveOptions = {}): Promise<ExitStatus> {
    const { keepsWork = false, ...ending } = options;
    return this.#on(ref, async (session) => {
      const worktree = keepsWork ? worktreeOf(session) : null;
      if (worktree !== null) await this.#checkWorktree?.(session.name, worktree);
      const status = await session.end({ ...ending, isLimited: true });
      this.#forget(session);
      return status;
    });
  }

  async screen(ref: SessionRef, request: ScreenRequest = {}): Promise<ScreenSnapshot> {
    const { at } = request;
    return this.#reading(ref, request, (session, { redaction }) => {
      if (at !== undefined) {
        return this.#recorders.at(session, at, (earlier) => earlier.screen(request), redaction);
      }
      const screen = session.screen(request);
      return redaction === null ? screen : redaction.view.screen(screen, request);
    });
  }

  async frame(ref: SessionRef): Promise<SessionFrame> {
    return this.#on(ref, (session) => {
      return { info: this.#infoOf(session), frame: fullFrame(session.view) };
    });
  }

  async readLines(ref: SessionRef, request: ReadLinesRequest = {}): Promise<LinesRead> {
    const { at } = request;
    return this.#reading(ref, request, (session, { redaction }) => {
      if (at !== undefined) {
        const lines = (earlier: EarlierState, turns: Turns) => earlier.lines(request, turns);
        return this.#recorders.at(session, at, lines, redaction);
      }
      return redaction === null
        ? session.readLines(request)
        : redactedLines(
            session.readLines({ ...request, aboveScreen: false, to: 0 }),
            redaction.view.all,
            request,
            endOfLines(session.view.terminal, request),
          );
    });
  }

  async follow(ref: SessionRef, request: FollowRequest = {}): Promise<FollowResult> {
    const { reader, from } = request;
    return this.#reading(ref, request, async (session, { shown }) => {
      const screenRows = () => shown.screenRows();
      const followed = { session: session.view, lines: shown.all, screenRows };
      const first = from ?? shown.all.terminal.firstLine;
      const end = reader === undefined ? () => {} : session.readers.begin(reader, first);
      const following = follow(followed, request, this.#clock).finally(end);
      return this.#lifetimes.attendedBy(session, following);
    });
  }

  async search(ref: SessionRef, request: SearchRequest): Promise<SearchResult> {
    return this.#reading(ref, request, (session, { shown }) => {
      const { command } = request;
      if (command === undefined) {
        return searchLines(shown.all, request, this.#clock, shown);
      }
      return searchOutput(shown, session.command(command), request, this.#clock);
    });
  }

  async read(ref: SessionRef, request: ReadRequest = {}): Promise<ReadResult> {
    const { at } = request;
    return this.#reading(ref, request, (session, { shown, redaction }) => {
      const { view } = session;
      if (request.transcript && view.terminal.alternate) {
        return this.#readTranscript(session, request, redaction);
      }
      if (at !== undefined) {
        const text = (earlier: EarlierState, turns: Turns) => earlier.read(request, turns);
        return this.#recorders.at(session, at, text, redaction);
      }
      if (request.format !== 'raw') return read(shown, request);
      const from = markOffset(view, request.since) - (redaction === null ? 0 : rawContext);
      return view.withKeptOutput(Math.max(0, from), () =>
        withoutRawSecrets(read(view, request), view, redaction),
      );
    });
  }

  async #readTranscript(
    session: Session,
    request: ReadRequest,
    redaction: Redaction | null,
  ): Promise<ReadResult> {
    const { view } = session;
    const end = { mark: markNow(view), revision: view.terminal.revision };
    const transcript = await this.#recorders.transcript(session, request.at);
    return readTranscript(view, transcript, request, end, (rows) => {
      const texts = rows.map(({ text }) => text);
      return redaction === null ? texts : redaction.rows(texts, session.facts.terminal);
    });
  }

  async mark(ref: SessionRef): Promise<ReadMark> {
    return this.#glance(ref, ({ view }) => markNow(view));
  }

  async record(ref: SessionRef, request: RecordRequest = {}): Promise<SessionRecord> {
    return this.#glance(ref, (session) => this.#recorders.record(session, request));
  }

  async setMarker(ref: SessionRef, label: string): Promise<void> {
    await this.#glance(ref, (session) => this.#recorders.mark(session, label));
  }

  async startRecording(
    ref: SessionRef,
    request: StartRecordingRequest = {},
  ): Promise<FileRecording> {
    return this.#glance(ref, (session) => {
      const recording = this.#recorders.start(session, request);
      session.factsChanged();
      return recording;
    });
  }

  async stopRecording(ref: SessionRef): Promise<FileRecording> {
    return this.#glance(ref, async (session) => {
      const recording = await this.#recorders.stop(session);
      session.factsChanged();
      return recording;
    });
  }

  async recordings(): Promise<readonly FileRecording[]> {
    this.#checkOpen();
    return this.#recorders.files.list();
  }

  async removeRecording(id: string): Promise<void> {
    this.#checkOpen();
    this.#recorders.files.remove(id);
  }

  async wait(ref: SessionRef, request: WaitRequest = {}): Promise<WaitResult> {
    return this.#on(ref, (session) => {
      const wait = () => this.#waitIn(session, request);
      if (!request.raw || request.since === undefined) return wait();
      return session.view.withKeptOutput(markOffset(session.view, request.since), wait);
    });
  }

  /** @param input the next input of the session, if that is sent with the wait */
  #waitIn(session: Session, request: WaitRequest, input?: SentInput): Promise<WaitResult> {
    if (request.raw && this.#redactions.isOn(request)) throw rawNotRedacted();
    const wait = ({ shown, redaction }: Reading) =>
      waitInSession(
        session,
        request,
        this.#clock,
        input,
        redaction === null ? undefined : shown,
        this.#agentSource(session),
        this.#reports.sourceOf(session),
      );
    // What is invalid fails before any input is written.
    const waiting = Promise.resolve(this.#redactions.reading(session, request, wait, true));
    this.#counts.wait(waiting);
    return this.#lifetimes.attendedBy(session, waiting);
  }

  async activity(ref: SessionRef): Promise<Activity> {
    return this.#glance(ref, async (session) => {
      const activity = await session.activity();
      const waitingRuns = this.#runs.waiting(session);
      return waitingRuns.length === 0 ? activity : { ...activity, waitingRuns };
    });
  }

  async explainAgent(ref: SessionRef, request: ExplainAgentRequest = {}): Promise<ExplainedAgent> {
    const { kind: named } = request;
    return this.#glance(ref, async (session) => {
      const kind = named === undefined ? undefined : await this.#agents.kindNamed(named);
      const explain = (): ExplainedAgent => ({
        ...defined({ agent: this.#agentOf(session) ?? undefined }),
        ...this.#agents.explain(session, kind),
      });
      return this.#redactions.reading(session, request, explain, true);
    });
  }

  async commands(ref: SessionRef, request: CommandListRequest = {}): Promise<CommandList> {
    return this.#glance(ref, (session) =>
      this.#redactions.reading(session, request, () => session.commands(request)),
    );
  }

  async commandOutput(ref: SessionRef, request: CommandOutputRequest = {}): Promise<CommandOutput> {
    return this.#reading(ref, request, (session, { shown, redaction }) => {
      const { view } = session;
      const command = session.command(request.command ?? 'last');
      if (request.format !== 'raw') return commandOutput(shown, command, request);
      const from = command.from.offset - (redaction === null ? 0 : rawContext);
      return view.withKeptOutput(Math.max(0, from), () =>
        withoutRawSecrets(commandOutput(view, command, request), view, redaction),
      );
    });
  }

  async run(ref: SessionRef, request: RunRequest & ObservedInput): Promise<RunResult> {
    const run = async (session: Session, { shown }: Reading) => {
      const driver = this.#drivers.of(session);
      const { epoch: driverEpoch } = driver;
      const onBegin = () => this.#saver.saveWhileRunning(session);
      this.#noteCall(session, 'run', request);
      const parts = { clock: this.#clock, onBegin, shown };
      const result = await this.#runs.run(session, request, parts);
      return { ...result, ...defined({ person: driver.typedSince(driverEpoch) }), driverEpoch };
    };
    return this.#reading(ref, request, run, { isOfScreen: true });
  }

  async take(ref: SessionRef, request: TakeRequest = {}): Promise<DriverState> {
    return this.#on(ref, (session) => this.#drivers.of(session).take(request, session));
  }

  async give(ref: SessionRef, request: GiveRequest = {}): Promise<DriverState> {
    return this.#on(ref, (session) => this.#drivers.of(session).give(request, session));
  }

  async view(ref: SessionRef, request: ViewRequest): Promise<Viewing> {
    return this.#glance(ref, (session) => {
      const use = () => this.#lifetimes.use(session);
      const look = () => this.#looks.begin(session.id);
      return this.#drivers.of(session).view(request, session, { use, look });
    });
  }

  async openLease({ id }: OpenLeaseRequest = {}): Promise<Lease> {
    this.#checkOpen();
    return this.#leases.open(id);
  }

  async subscribe(ref: SessionRef, request: SubscribeRequest = {}): Promise<Subscription> {
    return this.#glance(ref, (session) => {
      const use = () => this.#lifetimes.use(session);
      const rules = request.redact ? this.#redactions.rulesOf(session) : null;
      return subscribe(session, request, {
        clock: this.#clock,
        resizes: this.#resizes,
        use,
        agent: this.#agentSource(session),
        rules,
      });
    });
  }

  /** Replaces secrets in text that belongs to no session. Null if they are replaced only on request. */
  get withoutSecrets(): Redactions['text'] | null {
    if (!this.#redactions.isOn({})) return null;
    return (...text) => this.#redactions.text(...text);
  }

  async watchSessions(request: WatchSessionsRequest = {}): Promise<SessionsWatch> {
    this.#checkOpen();
    await restoredInTime(this.#keeping.restored, this.#clock);
    const { redact = false, frames } = request;
    if (!redact) return this.#watched.watch(request);
    if (frames !== undefined) throw framesNotRedacted();
    return new RedactedWatch(await this.#watched.watch({}), (info) => {
      const session = this.#registry.withId(info.id);
      return session === null ? null : this.#redactions.info(session, { redact }, info);
    });
  }

  close(): Promise<void> {
    this.#calls.close();
    this.#watched.close();
    this.#closing ??= this.#store === null ? this.#end(() => this.#closeFactory()) : this.#stop();
    return this.#closing;
  }

  async #closeFactory(): Promise<void> {
    await this.#factory.close();
    this.#abandonOutput();
    await this.#recorders.files.close();
  }

  /** Otherwise the process would go on until it is applied. */
  #abandonOutput(): void {
    for (const session of this.#registry.list()) if (!('live' in session)) session.abandon();
  }

  /** Ends all sessions, and saves how they ended: they can be listed later. */
  async #stop(): Promise<void> {
    for (const session of this.#registry.list()) {
      if (!('live' in session)) session.noteEnd({ reason: 'stopped' });
    }
    this.#saver.saveAll();
    this.#lifetimes.close();
    this.#reports.close();
    this.#limits.close();
    for (const session of this.#registry.list()) this.#drivers.of(session).end();
    try {
      await this.#closeFactory();
    } finally {
      this.#saver.saveAll();
      this.#saver.close();
    }
  }

  /**
   * Saves all sessions and leaves their programs running, for the next coordinator to adopt them. Calls,
   * also those that wait, fail with UNAVAILABLE and `details.restarting`.
   *
   * @throws VtrError UNAVAILABLE if the programs end with the coordinator
   */
  detach(): Promise<void> {
    if (this.#closing !== null) return this.#closing;
    this.#leases.detach();
    for (const session of this.#registry.list()) this.#drivers.of(session).detach();
    this.#watched.close();
    this.#saver.saveAll();
    this.#closing = this.#end(async () => {
      await this.#recorders.files.close();
      await this.#factory.detach();
      this.#abandonOutput();
    });
    this.#calls.restart();
    return this.#closing;
  }

  #end(end: () => Promise<void>): Promise<void> {
    this.#lifetimes.close();
    this.#reports.close();
    this.#saver.close();
    this.#limits.close();
    return end();
  }

  /** Begins something with a session that was started; ends and removes it if that fails. */
  async #orEnd(session: Session, begin: () => void): Promise<void> {
    try {
      begin();
    } catch (error) {
      await session.end({ force: true });
      this.#forget(session);
      throw error;
    }
  }

  #forget(session: Session): void {
    const dropEarlier = this.#release(session);
    this.#drop(session);
    dropEarlier?.();
  }

  /**
   * Removes a session; what is saved of it stays.
   *
   * @returns what drops the sessions that it continues, if they are not dropped yet
   */
  #release(session: Session): (() => void) | null {
    this.#limits.end(session);
    const dropEarlier = this.#saver.end(session);
    this.#registry.remove(session);
    this.#lifetimes.end(session);
    this.#drivers.of(session).end();
    this.#leases.remove(session);
    return dropEarlier;
  }

  /** Removes what is saved of a session: once it is written what is saved of the one that continues it. */
  #drop(session: Ended, heir?: Session): void {
    this.#store?.remove(session.id, heir?.id);
    this.#archives?.remove(session.id);
    session.forget();
  }

  #send<Receipt extends InputReceipt>(
    ref: SessionRef,
    options: SendOptions,
    write: (session: Session) => Promise<Receipt>,
    { isText = false, prompt }: { isText?: boolean; prompt?: string | undefined } = {},
  ): Promise<SendResult & Receipt> {
    return this.#on(ref, async (session) => {
      const { epoch: driverEpoch } = this.#drivers.of(session);
      const wait = (request: WaitRequest, written: Promise<unknown>) =>
        this.#waitIn(session, request, { written, prompt });
      const send = () => {
        this.#noteCall(session, 'send', options);
        // A person sees whether the program has started.
        const waits = isText && options.viewer === undefined;
        return whenStarted(session, this.#clock, waits, () => write(session));
      };
      const result = await sendAndWait(session, options, this.#clock, send, wait);
      return { ...result, driverEpoch };
    });
  }

  /** Notes a call of an agent in the recordings, unless it is refused or repeated. */
  #noteCall(session: Session, call: string, sender: Sender & { readonly inputId?: string }): void {
    if (sender.viewer !== undefined || !session.accepts(sender)) return;
    if (session.knowsInput(sender.inputId)) return;
    const name = driverName(sender.by, 'agent');
    // The command is named after what it does: `vtr run`.
    const isNamed = name.startsWith('vtr ');
    this.#recorders.note(session, `agent: ${isNamed ? name : `${name} ${call}`}`);
  }

  #on<T>(ref: SessionRef, operation: (session: Session) => Promise<T> | T): Promise<T> {
    return this.#live(ref, (session) =>
      this.#lifetimes.during(session, () => inSession(session, () => operation(session))),
    );
  }

  /** As `#on`, for what is read; see {@link Redactions.reading}. */
  #reading<T extends object>(
    ref: SessionRef,
    request: RedactRequest,
    read: (session: Session, reading: Reading) => Promise<T> | T,
    { isOfScreen = false }: { readonly isOfScreen?: boolean | undefined } = {},
  ): Promise<T> {
    return this.#on(ref, (session) =>
      this.#redactions.reading(session, request, (reading) => read(session, reading), isOfScreen),
    );
  }

  /**
   * As `#on`, but does not count as use: listing what a session does must not extend its lifetime.
   */
  #glance<T>(ref: SessionRef, operation: (session: Session) => Promise<T> | T): Promise<T> {
    return this.#live(ref, (session) => inSession(session, () => operation(session)));
  }

  /** Calls `use` at once, unless the session must be restored first. */
  #live<T>(ref: SessionRef, use: (session: Session) => Promise<T>): Promise<T> {
    const entry = this.#find(ref);
    return this.#calls.during('live' in entry ? entry.live().then(use) : use(entry));
  }

  /** Returns the session of a reference as it is now; null if there is none. */
  identify(ref: SessionRef): { readonly name: string; readonly id: string } | null {
    try {
      return nameAndId(this.#registry.find(ref));
    } catch {
      return null;
    }
  }

  #find(ref: SessionRef): Registered {
    this.#checkOpen();
    return this.#registry.find(ref);
  }

  #checkOpen(): void {
    this.#calls.checkAccepted();
  }
}
