import { availableParallelism } from 'node:os';
import { type Disposable, defined, GarbageCollection, toDisposable } from '#base';
import { defaultLimits, type Persistence, personTypesMs } from '#model';
import { secretValues } from '#recording';
import { createPtyHost, type Session, SessionFactory } from '#session';
import { defaultRecordingLimits } from '#watch';
import { Counts } from './counting.ts';
import { Drivers } from './driving/drivers.ts';
import type { DriversNote } from './driving/session-driver.ts';
import { Leases } from './lifetimes/leases.ts';
import { Lifetimes, type OnEnd } from './lifetimes/lifetimes.ts';
import { LimitWatches } from './lifetimes/limit-watch.ts';
import type { LocalCoordinatorOptions } from './local-coordinator-options.ts';
import { Recorders } from './recording/recorders.ts';
import { Redactions } from './redacting/redactions.ts';
import { nameAndId, type Registered, Registry } from './registry.ts';
import { RunIds } from './running/run-ids.ts';
import { Keeping } from './saving/keeping.ts';
import { Saver } from './saving/saver.ts';
import { SessionCalls } from './session-calls.ts';
import { SessionEnds, type SessionEndsParts } from './session-ends.ts';
import { SessionInfos } from './session-infos.ts';
import { SessionInputs, type SessionInputsParts } from './session-inputs.ts';
import { SessionReads, type SessionReadsParts } from './session-reads.ts';
import { SessionStarts, type SessionStartsParts } from './session-starts.ts';
import { Resuming } from './starting/resuming.ts';
import { SpawnIds } from './starting/spawning.ts';
import { Resizes } from './subscribing.ts';
import { systemClock } from './system-clock.ts';
import { AgentCommands } from './watching/agent-commands.ts';
import { Looks } from './watching/looks.ts';
import { SessionAgents } from './watching/session-agents.ts';
import { SessionPlaces } from './watching/session-places.ts';
import { SessionReports } from './watching/session-reports.ts';
import { WatchedSessions } from './watching/watched-sessions.ts';

/** What a coordinator knows of its sessions, and what it does with them. */
export interface CoordinatorParts
  extends SessionStartsParts,
    SessionInputsParts,
    SessionReadsParts,
    SessionEndsParts {
  readonly agentCommands: AgentCommands;
  readonly looks: Looks;
  /** Whether sessions are saved, and where. */
  readonly persistence: () => Persistence;
  readonly reads: SessionReads;
  readonly runs: RunIds;
  readonly starts: SessionStarts;
}

/** @throws VtrError SPAWN_FAILED if this platform is not supported */
export function coordinatorParts(options: LocalCoordinatorOptions): CoordinatorParts {
  const { clock = systemClock, onFault = () => {}, onOwnAction = () => {} } = options;
  const { onRemoved = () => {} } = options;
  const { store = null, archives = null, agentKinds = async () => [] } = options;
  const registry = new Registry();
  const runs = new RunIds();
  const resizes = new Resizes();
  const spawned = new SpawnIds();
  const { defaults = {}, reportSocket } = options;
  const factory = new SessionFactory({
    ptyHost: options.ptyHost ?? createPtyHost({ onListenerError: onFault }),
    clock,
    defaults,
    onFault,
    secretsOf: secretValues,
    ...defined({ archives, reportSocket }),
  });
  const listProcesses = () => factory.listProcesses();
  const saver = new Saver({ clock, store, onFault });
  const save = (session: Session) => saver.saveFacts(session);
  const { redaction = {}, files = {}, limits: recordingLimits } = options.recording ?? {};
  const recorders = new Recorders({
    clock,
    registry,
    redaction,
    files,
    onFault,
    limits: { ...defaultRecordingLimits, ...recordingLimits },
  });
  const redactions = new Redactions({
    rulesOf: (session) => recorders.readingRulesOf(session),
    textRules: recorders.textRules,
    sessions: () => registry.list(),
    learn: (session) => recorders.learnSecrets(session),
    isDefault: redaction.reads ?? false,
  });
  const note: DriversNote = (session, by, done) => {
    recorders.note(session, `driver: ${by} ${done}`);
    onOwnAction({ session: nameAndId(session), action: 'driver', by, done });
  };
  const onEnd: OnEnd = (session, endedBy) =>
    onOwnAction({ session: nameAndId(session), action: 'end', endedBy });
  const { waitForPersonMs = personTypesMs, sizing = 'latest' } = options;
  const drivers = new Drivers({ clock, onFault, save, note, waitForPersonMs, sizing });
  const onAgentChange = (id: string) => {
    watched.agentChanged(id);
    infos.agentChanged(id);
  };
  const looks = new Looks({ registry, clock, save, onLook: onAgentChange });
  const leases = new Leases(clock, onFault, onEnd);
  const limits = new LimitWatches({ clock, processors: availableParallelism(), onEnd, onFault });
  const lifetimes = new Lifetimes({
    clock,
    maxKeptExited: options.maxKeptExited ?? defaultLimits.keptExited,
    forget: (session) => ends.forget(session),
    onUse: (session) => saver.touch(session),
    onEnd,
    onFault,
  });
  const reports = new SessionReports({
    clock,
    registry,
    listProcesses,
    save,
    onChange: (session) => {
      agents.reported(session);
      onAgentChange(session.id);
    },
    onTurnEnd: (session) => agentCommands.turnEnded(session),
    onCommand: (...all) => agentCommands.take(...all),
  });
  const agentCommands = new AgentCommands({
    clock,
    registry,
    save,
    onChange: (session) => onAgentChange(session.id),
  });
  const agents = new SessionAgents(
    registry,
    { clock, kinds: agentKinds, listProcesses, reports, onFault, save },
    (id) => {
      const session = registry.withId(id);
      const agent = session && agents.of(session);
      if (session !== null) looks.agentChanged(id, agent);
      if (session !== null && !('live' in session)) agentCommands.agentChanged(session, agent);
      onAgentChange(id);
    },
  );
  const persistence = (): Persistence => store?.state ?? { state: 'memory' };
  const infos = new SessionInfos({
    agents,
    agentCommands,
    drivers,
    looks,
    recorders,
    reports,
    persistence,
  });
  const agentOf = (session: Registered) => infos.agentOf(session);
  const places = new SessionPlaces({
    registry,
    clock,
    save: (session) => (session.exitStatus === null ? saver.touch(session) : save(session)),
    ...defined({ branchOf: options.branchOf }),
  });
  const watched = new WatchedSessions({
    registry,
    clock,
    onFault,
    listProcesses,
    infoOf: (session) => infos.of(session),
    agentOf,
    statusOf: (session) => reports.statusOf(session),
    looks,
    places,
  });
  const counts = new Counts({ registry, clock, listProcesses, agentOf });
  const calls = new SessionCalls({ registry, lifetimes, redactions });
  const findConversations = options.findConversations ?? (async () => null);
  const resuming = new Resuming({ registry, agents, kinds: agentKinds, findConversations });
  const basis = { clock, registry, factory, store, saver, drivers, leases, lifetimes, limits };
  const shared = { ...basis, agents, agentCommands, places, reports, recorders };
  const garbage = garbageOf(options.collectGarbage, { clock, counts, registry });
  const ends = new SessionEnds({ ...shared, archives, calls, garbage, watched, onRemoved });
  const keeping = new Keeping({
    ...shared,
    onFault,
    spawned,
    runs,
    resizes,
    looks,
    resuming,
    drop: (...both) => ends.drop(...both),
    typeLine: (session, line) => void starts.resumeAgain(session, line).catch(onFault),
    isClosing: () => ends.isClosing,
  });
  const reads = new SessionReads(shared);
  const inputs = new SessionInputs({ ...shared, calls, counts, infos, reads, redactions });
  const maxSessions = options.maxSessions ?? defaultLimits.sessions;
  const all = {
    ...shared,
    agentKinds,
    archives,
    calls,
    counts,
    ends,
    garbage,
    infos,
    inputs,
    onRemoved,
    keeping,
    reads,
  };
  const rest = { looks, maxSessions, redactions, resizes, resuming, runs, spawned, watched };
  const starts = new SessionStarts({ ...all, ...rest });
  return { ...all, ...rest, persistence, starts };
}

/** Returns what collects the garbage of sessions that come and go. */
function garbageOf(
  collect: LocalCoordinatorOptions['collectGarbage'],
  { clock, counts, registry }: Pick<CoordinatorParts, 'clock' | 'counts' | 'registry'>,
): Disposable {
  if (collect === undefined) return toDisposable(() => {});
  const activity = () => {
    const { inputBytes, outputBytes } = counts.bytes();
    return inputBytes + outputBytes;
  };
  const garbage = new GarbageCollection({ clock, activity, collect });
  registry.onChange(() => garbage.noteChange());
  return garbage;
}
