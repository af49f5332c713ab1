import { defined } from '#base';
import {
  type Activity,
  type CommandList,
  type CommandListRequest,
  type CommandOutput,
  type CommandOutputRequest,
  type Coordinator,
  checkSessionName,
  type DriverState,
  type EndOptions,
  type EnvironmentMode,
  type ExitStatus,
  type ExplainAgentRequest,
  type ExplainedAgent,
  type FileRecording,
  type FollowRequest,
  type FollowResult,
  type GiveRequest,
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
  type ReadLinesRequest,
  type ReadMark,
  type ReadRequest,
  type ReadResult,
  type RecordRequest,
  type RemoveOptions,
  type ReportRequest,
  type ReportResult,
  type ResizeOptions,
  type RevivedSession,
  type ReviveRequest,
  type RunRequest,
  type RunResult,
  type ScreenRequest,
  type ScreenSnapshot,
  type SearchRequest,
  type SearchResult,
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
  type SignalName,
  type Size,
  type SpawnedSession,
  type SpawnRequest,
  type StartRecordingRequest,
  type SubscribeRequest,
  type Subscription,
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
import type { Session } from '#session';
import { markNow } from '#watch';
import { type CoordinatorParts, coordinatorParts } from './coordinator-parts.ts';
import type { CoordinatorCounts } from './counting.ts';
import { earlierIds } from './earlier-ids.ts';
import { restoredInTime } from './listing.ts';
import type { LocalCoordinatorOptions } from './local-coordinator-options.ts';
import { framesNotRedacted, RedactedWatch } from './redacting/redacted-streams.ts';
import type { Reading, Redactions } from './redacting/redactions.ts';
import { nameAndId, type Registered } from './registry.ts';
import { areText } from './submitting/program-start.ts';
import { subscribe } from './subscribing.ts';
import { sendMouseOn } from './waiting/text-on-screen.ts';
import { fullFrame } from './watching/session-rows.ts';

/** A session whose program was ended with the owner of its terminal. */
export interface LostSession {
  readonly name: string;
  readonly id: string;
  /** As its spawn requested. */
  readonly environment: EnvironmentMode;
}

/** A {@link Coordinator} whose terminals are in this process. */
export class LocalCoordinator implements Coordinator {
  readonly #parts: CoordinatorParts;
  readonly #checkWorktree: LocalCoordinatorOptions['checkWorktree'];

  /** @throws VtrError SPAWN_FAILED if this platform is not supported */
  constructor(options: LocalCoordinatorOptions = {}) {
    this.#parts = coordinatorParts(options);
    this.#checkWorktree = options.checkWorktree;
  }

  /** Returns the numbers of its sessions, bytes and waits. Does not count as use of a session. */
  counts(): Promise<CoordinatorCounts> {
    return this.#parts.counts.read();
  }

  /** Whether sessions are saved, and where. */
  get persistence(): Persistence {
    return this.#parts.persistence();
  }

  /**
   * Takes the sessions that another coordinator left, with all their properties. They can be listed when
   * it resolves, and are restored when they are used, or in the background. Must be called before any
   * other call; again when a PTY host is found later.
   *
   * @param restoreAfter those that nobody uses are restored when it has resolved. Default: now
   */
  async adopt(restoreAfter?: Promise<unknown>): Promise<void> {
    await this.#parts.keeping.adopt(restoreAfter);
    this.#parts.recorders.files.endLost(new Set(this.#parts.registry.list().map(({ id }) => id)));
  }

  /** Must be called when the kinds of agents have changed. */
  agentKindsChanged(): void {
    this.#parts.agents.kindsChanged();
  }

  /** Removes the archives that no adopted session can read. Must be called after {@link adopt}. */
  removeLeftArchives(): void {
    const sessions = this.#parts.registry
      .list()
      .filter(({ facts }) => facts.archiveKey !== undefined);
    this.#parts.archives?.keepOnly(new Set(sessions.map(({ id }) => id)));
  }

  async spawn(request: SpawnRequest): Promise<SpawnedSession> {
    const { calls, starts } = this.#parts;
    calls.checkAccepted();
    return calls.during(starts.spawn(request));
  }

  async publish(request: PublishRequest): Promise<Publication> {
    this.#parts.calls.checkAccepted();
    return this.#parts.starts.publish(request);
  }

  async list(request: ListRequest = {}): Promise<readonly SessionInfo[]> {
    this.#parts.calls.checkAccepted();
    await restoredInTime(this.#parts.keeping.restored, this.#parts.clock);
    const sessions = this.#parts.registry.list();
    const infos = request.activity
      ? await this.#parts.watched.infos(sessions)
      : sessions.map((session) => this.#parts.infos.of(session));
    if (!this.#parts.redactions.isOn(request)) return infos;
    const byId = new Map(sessions.map((session) => [session.id, session]));
    return infos.map((info) => {
      return this.#parts.redactions.info(byId.get(info.id) as Registered, request, info);
    });
  }

  async info(ref: SessionRef, request: ListRequest = {}): Promise<SessionInfo> {
    const { activity = false } = request;
    const entry = this.#parts.calls.find(ref);
    const shown = (session: Registered, info = this.#parts.infos.of(session)) =>
      this.#parts.redactions.info(session, request, info);
    if (!('live' in entry || activity)) return shown(entry);
    return this.#parts.calls.glance(ref, async (session) => {
      if (!activity) return shown(session);
      return shown(session, await this.#parts.watched.info(session));
    });
  }

  async rename(ref: SessionRef, name: string): Promise<SessionInfo> {
    return this.#parts.calls.glance(ref, (session) => {
      this.#parts.registry.rename(session, checkSessionName(name));
      this.#parts.saver.saveFacts(session);
      return this.#parts.infos.of(session);
    });
  }

  async setLabels(ref: SessionRef, changes: LabelChanges): Promise<SessionInfo> {
    return this.#parts.calls.glance(ref, (session) => {
      if (Object.hasOwn(changes, watchLabel)) this.#parts.looks.watch(session.id);
      session.changeLabels(changes);
      return this.#parts.infos.of(session);
    });
  }

  async report(ref: SessionRef, request: ReportRequest): Promise<ReportResult> {
    return this.#parts.calls.glance(ref, (session) => this.#parts.reports.report(session, request));
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
    const session = this.#parts.reports.ownerOf(key);
    if (hook === null || (await this.#parts.reports.isOfForeground(session, hook)))
      return nameAndId(session);
    throw new VtrError('NOT_ALLOWED', 'the agent of this hook is not in the foreground');
  }

  /** The ids of all sessions, and of those that they continue. */
  get idsWithEarlier(): readonly string[] {
    const sessions = this.#parts.registry.list();
    return sessions.flatMap(({ id, facts }) => [id, ...earlierIds(facts)]);
  }

  async revive(ref: SessionRef, request: ReviveRequest = {}): Promise<RevivedSession> {
    return this.#parts.starts.revive(ref, request);
  }

  /** The ended sessions whose programs were ended with the owner of their terminals, oldest first. */
  lostSessions(which: 'agents' | 'all'): readonly LostSession[] {
    const lost = this.#parts.registry.list().filter((session) => isLost(session.info()));
    const chosen = lost.filter(
      (each) => which === 'all' || this.#parts.agents.lastAgent(each) !== null,
    );
    return chosen.map(({ name, id, facts: { environment } }) => ({ name, id, environment }));
  }

  async sendText(
    ref: SessionRef,
    text: string,
    options: SendTextOptions & ObservedInput = {},
  ): Promise<SendResult> {
    return this.#parts.inputs.text(ref, text, options);
  }

  async sendKeys(
    session: SessionRef,
    keys: readonly (string | KeyPress)[],
    options: SendOptions & ObservedInput = {},
  ): Promise<SendResult> {
    const send = (live: Session) => live.sendKeys(keys, options);
    return this.#parts.inputs.send(session, options, send, { isText: areText(keys) });
  }

  async sendBytes(
    session: SessionRef,
    bytes: Uint8Array,
    options: SendOptions & ObservedInput = {},
  ): Promise<SendResult> {
    return this.#parts.inputs.send(session, options, (live) => live.sendBytes(bytes, options));
  }

  async sendMouse(
    session: SessionRef,
    events: readonly MouseInput[],
    { on, ...options }: SendMouseOptions & ObservedInput = {},
  ): Promise<SendMouseResult> {
    const { redact } = options;
    return this.#parts.inputs.send(session, options, async (live) => {
      if (on === undefined) return live.sendMouse(events, options);
      const send = () => sendMouseOn(live, on, events, options);
      return this.#parts.redactions.reading(
        live,
        redact === undefined ? {} : { redact },
        send,
        true,
      );
    });
  }

  async sendFocus(
    session: SessionRef,
    focused: boolean,
    options: SendOptions & ObservedInput = {},
  ): Promise<SendResult> {
    return this.#parts.inputs.send(session, options, (live) => live.sendFocus(focused, options));
  }

  async resize(ref: SessionRef, size: Size, options: ResizeOptions = {}): Promise<void> {
    await this.#parts.calls.on(ref, (session) => {
      this.#parts.drivers.of(session).resizedBy(options, size);
      return session.resize(size, { isLimited: true });
    });
  }

  async kill(session: SessionRef, signal: SignalName = 'TERM'): Promise<void> {
    await this.#parts.calls.on(session, (live) => live.kill(signal));
  }

  async end(ref: SessionRef, options: EndOptions = {}): Promise<ExitStatus> {
    return this.#parts.calls.on(ref, (session) => session.end({ ...options, isLimited: true }));
  }

  async remove(ref: SessionRef, options: RemoveOptions = {}): Promise<ExitStatus> {
    const { keepsWork = false, ...ending } = options;
    return this.#parts.calls.on(ref, async (session) => {
      const worktree = keepsWork ? worktreeOf(session) : null;
      if (worktree !== null) await this.#checkWorktree?.(session.name, worktree);
      const status = await session.end({ ...ending, isLimited: true });
      this.#parts.ends.forget(session);
      return status;
    });
  }

  async screen(ref: SessionRef, request: ScreenRequest = {}): Promise<ScreenSnapshot> {
    const { calls, reads } = this.#parts;
    return calls.reading(ref, request, (...both) => reads.screen(request, ...both));
  }

  async frame(ref: SessionRef): Promise<SessionFrame> {
    return this.#parts.calls.on(ref, (session) => {
      return { info: this.#parts.infos.of(session), frame: fullFrame(session.view) };
    });
  }

  async readLines(ref: SessionRef, request: ReadLinesRequest = {}): Promise<LinesRead> {
    const { calls, reads } = this.#parts;
    return calls.reading(ref, request, (...both) => reads.lines(request, ...both));
  }

  async follow(ref: SessionRef, request: FollowRequest = {}): Promise<FollowResult> {
    const { calls, reads } = this.#parts;
    return calls.reading(ref, request, (...both) => reads.follow(request, ...both));
  }

  async search(ref: SessionRef, request: SearchRequest): Promise<SearchResult> {
    const { calls, reads } = this.#parts;
    return calls.reading(ref, request, (...both) => reads.search(request, ...both));
  }

  async read(ref: SessionRef, request: ReadRequest = {}): Promise<ReadResult> {
    const { calls, reads } = this.#parts;
    return calls.reading(ref, request, (...both) => reads.read(request, ...both));
  }

  async mark(ref: SessionRef): Promise<ReadMark> {
    return this.#parts.calls.glance(ref, ({ view }) => markNow(view));
  }

  async record(ref: SessionRef, request: RecordRequest = {}): Promise<SessionRecord> {
    return this.#parts.calls.glance(ref, (session) =>
      this.#parts.recorders.record(session, request),
    );
  }

  async setMarker(ref: SessionRef, label: string): Promise<void> {
    await this.#parts.calls.glance(ref, (session) => this.#parts.recorders.mark(session, label));
  }

  async startRecording(
    ref: SessionRef,
    request: StartRecordingRequest = {},
  ): Promise<FileRecording> {
    return this.#parts.calls.glance(ref, (session) => {
      const recording = this.#parts.recorders.start(session, request);
      session.factsChanged();
      return recording;
    });
  }

  async stopRecording(ref: SessionRef): Promise<FileRecording> {
    return this.#parts.calls.glance(ref, async (session) => {
      const recording = await this.#parts.recorders.stop(session);
      session.factsChanged();
      return recording;
    });
  }

  async recordings(): Promise<readonly FileRecording[]> {
    this.#parts.calls.checkAccepted();
    return this.#parts.recorders.files.list();
  }

  async renameRecording(recording: string, name: string): Promise<FileRecording> {
    this.#parts.calls.checkAccepted();
    return this.#parts.recorders.files.rename(recording, name);
  }

  async removeRecording(recording: string): Promise<void> {
    this.#parts.calls.checkAccepted();
    this.#parts.recorders.files.remove(recording);
  }

  async wait(ref: SessionRef, request: WaitRequest = {}): Promise<WaitResult> {
    return this.#parts.inputs.wait(ref, request);
  }

  async activity(ref: SessionRef): Promise<Activity> {
    return this.#parts.calls.glance(ref, async (session) => {
      const activity = await session.activity();
      const waitingRuns = this.#parts.runs.waiting(session);
      return waitingRuns.length === 0 ? activity : { ...activity, waitingRuns };
    });
  }

  async explainAgent(ref: SessionRef, request: ExplainAgentRequest = {}): Promise<ExplainedAgent> {
    const { kind: named } = request;
    return this.#parts.calls.glance(ref, async (session) => {
      const kind = named === undefined ? undefined : await this.#parts.agents.kindNamed(named);
      const explain = (): ExplainedAgent => ({
        ...defined({ agent: this.#parts.infos.agentOf(session) ?? undefined }),
        ...this.#parts.agents.explain(session, kind),
      });
      return this.#parts.redactions.reading(session, request, explain, true);
    });
  }

  async commands(ref: SessionRef, request: CommandListRequest = {}): Promise<CommandList> {
    const { agentCommands, calls, infos, redactions } = this.#parts;
    return calls.glance(ref, (session) =>
      redactions.reading(session, request, () => {
        const list = session.commands(request);
        const all = agentCommands.list(session, request.last, infos.agentOf(session));
        return all.length === 0 ? list : { ...list, agentCommands: all };
      }),
    );
  }

  async commandOutput(ref: SessionRef, request: CommandOutputRequest = {}): Promise<CommandOutput> {
    const { calls, reads } = this.#parts;
    return calls.reading(ref, request, (...both) => reads.commandOutput(request, ...both));
  }

  async run(ref: SessionRef, request: RunRequest & ObservedInput): Promise<RunResult> {
    const run = async (session: Session, { shown }: Reading) => {
      const driver = this.#parts.drivers.of(session);
      const { epoch: driverEpoch } = driver;
      const onBegin = () => this.#parts.saver.saveWhileRunning(session);
      this.#parts.inputs.noteCall(session, 'run', request);
      const parts = { clock: this.#parts.clock, onBegin, shown };
      const result = await this.#parts.runs.run(session, request, parts);
      return { ...result, ...defined({ person: driver.typedSince(driverEpoch) }), driverEpoch };
    };
    return this.#parts.calls.reading(ref, request, run, { isOfScreen: true });
  }

  async take(ref: SessionRef, request: TakeRequest = {}): Promise<DriverState> {
    return this.#parts.calls.on(ref, (session) =>
      this.#parts.drivers.of(session).take(request, session),
    );
  }

  async give(ref: SessionRef, request: GiveRequest = {}): Promise<DriverState> {
    return this.#parts.calls.on(ref, (session) =>
      this.#parts.drivers.of(session).give(request, session),
    );
  }

  async view(ref: SessionRef, request: ViewRequest): Promise<Viewing> {
    return this.#parts.calls.glance(ref, (session) => {
      const use = () => this.#parts.lifetimes.use(session);
      const look = () => this.#parts.looks.begin(session.id);
      return this.#parts.drivers.of(session).view(request, session, { use, look });
    });
  }

  async openLease({ id }: OpenLeaseRequest = {}): Promise<Lease> {
    this.#parts.calls.checkAccepted();
    return this.#parts.leases.open(id);
  }

  async subscribe(ref: SessionRef, request: SubscribeRequest = {}): Promise<Subscription> {
    return this.#parts.calls.glance(ref, (session) => {
      const use = () => this.#parts.lifetimes.use(session);
      const rules = request.redact ? this.#parts.redactions.rulesOf(session) : null;
      return subscribe(session, request, {
        clock: this.#parts.clock,
        resizes: this.#parts.resizes,
        use,
        agent: this.#parts.infos.agentSource(session),
        agentCommands: () =>
          this.#parts.agentCommands.list(session, undefined, this.#parts.infos.agentOf(session)),
        rules,
      });
    });
  }

  /** Replaces secrets in text that belongs to no session. Null if they are replaced only on request. */
  get withoutSecrets(): Redactions['text'] | null {
    if (!this.#parts.redactions.isOn({})) return null;
    return (...text) => this.#parts.redactions.text(...text);
  }

  async watchSessions(request: WatchSessionsRequest = {}): Promise<SessionsWatch> {
    this.#parts.calls.checkAccepted();
    await restoredInTime(this.#parts.keeping.restored, this.#parts.clock);
    const { redact = false, frames } = request;
    if (!redact) return this.#parts.watched.watch(request);
    if (frames !== undefined) throw framesNotRedacted();
    return new RedactedWatch(await this.#parts.watched.watch({}), (info) => {
      const session = this.#parts.registry.withId(info.id);
      return session === null ? null : this.#parts.redactions.info(session, { redact }, info);
    });
  }

  close(): Promise<void> {
    return this.#parts.ends.close();
  }

  /**
   * Saves all sessions and leaves their programs running, for the next coordinator to adopt them. Calls,
   * also those that wait, fail with UNAVAILABLE and `details.restarting`.
   *
   * @throws VtrError UNAVAILABLE if the programs end with the coordinator
   */
  detach(): Promise<void> {
    return this.#parts.ends.detach();
  }

  /** Returns the session of a reference as it is now; null if there is none. */
  identify(ref: SessionRef): { readonly name: string; readonly id: string } | null {
    try {
      return nameAndId(this.#parts.registry.find(ref));
    } catch {
      return null;
    }
  }
}
