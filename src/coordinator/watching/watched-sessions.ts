import { defined } from '#base';
import {
  type AgentInfo,
  type Attention,
  checkPerSecond,
  isVtrError,
  type SessionActivity,
  type SessionInfo,
  type SessionsWatch,
  type ToldStatus,
  type WatchSessionsRequest,
  watchOf,
} from '#model';
import type { ProcessEntry, Session } from '#session';
import { activityInTime, fewSessions, processesFor, untilSilence } from '../listing.ts';
import type { Registered, Registry } from '../registry.ts';
import {
  attentionOf,
  attentionOfEnded,
  SessionSignals,
  shellTurn,
  silentAtMs,
  unchangedMs,
  type WatchFacts,
} from './attention.ts';
import type { Looks } from './looks.ts';
import type { ActivitySources, Observed } from './session-monitor.ts';
import { SessionStates, type StatesOptions } from './session-states.ts';
import { SessionsFeed } from './sessions-feed.ts';

export interface WatchedSessionsOptions extends ActivitySources {
  readonly registry: Registry;
  infoOf(session: Registered): SessionInfo;
  /** Returns the coding agent in the foreground of a session; null if there is none. */
  agentOf(session: Registered): AgentInfo | null;
  /** Returns what the program in the foreground of a session says that it does; null if it says nothing. */
  statusOf(session: Registered): ToldStatus | null;
  readonly looks: Pick<Looks, 'begin' | 'of' | 'unseenSince'>;
}

/** The most sessions of a list that are asked whether they need a look at processes: that takes 0.05 ms for each. */
const maxAsked = 64;

/** Returns how many sessions of a list need a look at processes; all of a short list or a very long one, without asking them. */
const looksOf = (sessions: readonly Registered[]): number =>
  sessions.length > maxAsked || sessions.length <= fewSessions
    ? sessions.length
    : sessions.filter((each) => !('live' in each || each.isActivityKnown)).length;

/** The info of a session while its activity is asked for. */
interface Asking {
  readonly info: Promise<SessionInfo>;
  /** Returns the info as far as it is known: without the branch, or without the activity. */
  unknown(): SessionInfo;
}

/** All sessions of a coordinator as they change, for any number of consumers. Without one, it does nothing. */
export class WatchedSessions {
  readonly #options: StatesOptions & Pick<WatchedSessionsOptions, 'agentOf' | 'statusOf' | 'looks'>;
  readonly #feeds = new Set<SessionsFeed>();
  readonly #signals = new WeakMap<Session, SessionSignals>();
  #states: SessionStates | null = null;
  #isClosed = false;

  constructor(options: WatchedSessionsOptions) {
    const attentionOf: StatesOptions['attentionOf'] = (...facts) => this.#attentionOf(...facts);
    const silentAtMs = (session: Session) => this.#silentAtMs(session);
    const bellAtMs = (session: Registered) => this.#bellAtMs(session);
    const awaitsOutput: StatesOptions['awaitsOutput'] = (...facts) => this.#awaitsOutput(...facts);
    this.#options = { ...options, attentionOf, silentAtMs, awaitsOutput, bellAtMs };
    options.registry.onChange(({ type, session }) => {
      if (type === 'removed' || 'live' in session) return;
      this.#signals.set(session, new SessionSignals(session));
    });
  }

  /** Returns the info of a session with its activity and attention. */
  async info(session: Registered): Promise<SessionInfo> {
    return this.#asking(session, Promise.resolve([])).info;
  }

  /** Returns the infos of sessions with their activity and attention, as far as they become known soon. */
  async infos(sessions: readonly Registered[]): Promise<SessionInfo[]> {
    const { clock } = this.#options;
    const list = () => this.#options.listProcesses();
    const listing = processesFor(looksOf(sessions), list, clock);
    const asking = sessions.map((session) => this.#asking(session, listing));
    await listing;
    const infos = await untilSilence(
      asking.map(({ info }) => info),
      clock,
      list,
    );
    return infos.map((info, index) => info ?? (asking[index] as Asking).unknown());
  }

  #asking(session: Registered, listing: Promise<readonly ProcessEntry[]>): Asking {
    const { infoOf } = this.#options;
    const attentionOf = this.#glance(session);
    const infoWith = (activity: SessionActivity | null): SessionInfo => {
      const attention = attentionOf(activity);
      const facts = defined({ activity, attention, bellAtMs: this.#bellAtMs(session) });
      return { ...infoOf(session), ...facts };
    };
    let sessionActivity: SessionActivity | null = null;
    const ask = async () => {
      if ('live' in session) return infoWith(this.#options.places.ofEnded(session));
      const { places } = this.#options;
      const activity = activityInTime(session, await listing, this.#options);
      let isAsking = true;
      // The question goes to the PTY host first: this thread needs a tenth of a millisecond to hand on each look at a file.
      process.nextTick(() => isAsking && places.lookAhead(session));
      sessionActivity = await activity;
      isAsking = false;
      return infoWith(await places.added(session, sessionActivity));
    };
    // A branch that comes late takes nothing else from a list.
    return { info: ask(), unknown: () => infoWith(sessionActivity) };
  }

  /** Returns a function from the activity, which must be queried after this, to the attention; null if none. */
  #glance(session: Registered): (activity: SessionActivity | null) => Attention | null {
    if ('live' in session) return () => this.#attentionOf(session, null);
    const { view, createdAtMs } = session;
    const { inputCount: inputs } = view;
    const turn = shellTurn(view);
    const quietMs = unchangedMs(view, createdAtMs, this.#options.clock.wallMs());
    return (activity) => this.#attentionOf(session, { activity, quietMs, inputs, turn });
  }

  #attentionOf(session: Registered, observed: Observed | null): Attention | null {
    if (session.exitStatus !== null) return this.#attentionOfEnded(session);
    if ('live' in session || observed === null) return null;
    const [newest = null] = session.commands({ last: 1 }).commands;
    const command = newest?.unverified ? null : newest;
    const signals = this.#signals.get(session);
    const signal = signals?.current ?? null;
    const untypedAtEndMs = (command && signals?.untypedAtEndMs(command)) ?? null;
    const nowMs = this.#options.clock.wallMs();
    const { view, createdAtMs } = session;
    const agent = this.#options.agentOf(session);
    const status = this.#options.statusOf(session);
    const watched = this.#watchedFor(session);
    const newer = { command, untypedAtEndMs, signal, agent, status, watched, nowMs };
    return attentionOf({ ...observed, view, createdAtMs, ...newer });
  }

  /** An end that a person has seen wants nobody: else the session would want somebody until it is removed. */
  #attentionOfEnded(session: Registered): Attention | null {
    const info = session.info();
    const { isSeen, seenMs } = this.#options.looks.of(session.id);
    if (isSeen || seenMs >= (info.exitedAtMs ?? Number.POSITIVE_INFINITY)) return null;
    return attentionOfEnded(info, session.facts.endRequested);
  }

  #watchedFor(session: Session): WatchFacts | null {
    const watch = watchOf(session.labels);
    if (watch === null) return null;
    const { looks } = this.#options;
    const { id } = session;
    const bell = this.#signals.get(session)?.lastBell ?? null;
    return { ...looks.of(id), watch, bell, unseenSince: (atMs) => looks.unseenSince(id, atMs) };
  }

  #silentAtMs(session: Session): number | null {
    const watched = this.#watchedFor(session);
    const { view, createdAtMs } = session;
    return watched === null ? null : silentAtMs({ view, createdAtMs, watched });
  }

  #awaitsOutput({ id, labels }: Session, attention: Attention | null): boolean {
    const watch = watchOf(labels);
    if (watch === null || (attention !== null && attention.kind !== 'silence')) return false;
    const isAwaited = watch.activity || attention !== null;
    return isAwaited && !this.#options.looks.of(id).isSeen;
  }

  #bellAtMs(session: Registered): number | null {
    return 'live' in session ? null : (this.#signals.get(session)?.bellAtMs ?? null);
  }

  /** Contract: `Coordinator.watchSessions`. */
  async watch({ frames }: WatchSessionsRequest): Promise<SessionsWatch> {
    if (frames !== undefined) checkPerSecond(frames);
    this.#states ??= new SessionStates(this.#options, (id) => {
      for (const feed of this.#feeds) feed.changed(id);
    });
    const states = this.#states;
    const hold = Symbol();
    states.holds.add(hold);
    await states.ready;
    const feed = new SessionsFeed(
      {
        clock: this.#options.clock,
        infos: () => states.infos(),
        info: (id) => states.info(id),
        idOf: (ref) => this.#idOf(ref),
        watchScreen: (id, onChange) => states.watchScreen(id, onChange),
        look: (id) => this.#options.looks.begin(id),
        onDispose: (each) => {
          this.#feeds.delete(each);
          states.holds.delete(hold);
          if (states.holds.size === 0) this.#end(states);
        },
      },
      frames ?? null,
    );
    if (this.#isClosed) feed.dispose();
    else this.#feeds.add(feed);
    return feed;
  }

  /** Must be called when the agent of a session has changed. */
  agentChanged(id: string): void {
    this.#states?.update(id);
  }

  close(): void {
    this.#isClosed = true;
    for (const feed of [...this.#feeds]) feed.dispose();
  }

  #end(states: SessionStates): void {
    states.dispose();
    if (this.#states === states) this.#states = null;
  }

  #idOf(ref: Parameters<Registry['find']>[0]): string | null {
    try {
      return this.#options.registry.find(ref).id;
    } catch (error) {
      if (isVtrError(error) && error.code === 'SESSION_NOT_FOUND') return null;
      throw error;
    }
  }
}
