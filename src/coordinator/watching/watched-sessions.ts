import {
  type Attention,
  checkPerSecond,
  type SessionActivity,
  type SessionInfo,
  type SessionsWatch,
  VtrError,
  type WatchSessionsRequest,
} from '#model';
import type { ProcessEntry, Session } from '#session';
import { activityInTime, processesFor } from '../listing.ts';
import type { Registered, Registry } from '../registry.ts';
import type { ActivitySources } from './activity-batches.ts';
import { attentionOf, attentionOfEnded, lastChangeMs, shellTurn } from './attention.ts';
import type { Observed } from './session-monitor.ts';
import { SessionSignals } from './session-signals.ts';
import { SessionStates, type StatesOptions } from './session-states.ts';
import { SessionsFeed } from './sessions-feed.ts';

export interface WatchedSessionsOptions extends ActivitySources {
  readonly registry: Registry;
  infoOf(session: Registered): SessionInfo;
}

/** All sessions of a coordinator as they change, for any number of consumers. Without one, it does nothing. */
export class WatchedSessions {
  readonly #options: StatesOptions;
  readonly #feeds = new Set<SessionsFeed>();
  readonly #signals = new WeakMap<Session, SessionSignals>();
  #states: SessionStates | null = null;
  #isClosed = false;

  constructor(options: WatchedSessionsOptions) {
    const attentionOf: StatesOptions['attentionOf'] = (...facts) => this.#attentionOf(...facts);
    this.#options = { ...options, attentionOf };
    options.registry.onChange(({ type, session }) => {
      if (type === 'removed' || 'live' in session) return;
      this.#signals.set(session, new SessionSignals(session));
    });
  }

  /** Returns the infos of sessions with their activity and attention. */
  async infos(sessions: readonly Registered[]): Promise<SessionInfo[]> {
    const listing = processesFor(sessions.length, () => this.#options.listProcesses());
    return Promise.all(sessions.map((session) => this.#info(session, listing)));
  }

  async #info(
    session: Registered,
    listing: Promise<readonly ProcessEntry[]>,
  ): Promise<SessionInfo> {
    const { clock, onFault, infoOf } = this.#options;
    const attentionOf = this.#glance(session);
    const listed = await listing;
    const isLive = !('live' in session);
    const activity = isLive ? await activityInTime(session, listed, clock, onFault) : null;
    const attention = attentionOf(activity);
    const found = { ...(activity && { activity }), ...(attention && { attention }) };
    return { ...infoOf(session), ...found };
  }

  /** Returns a function from the activity, which must be queried after this, to the attention; null if none. */
  #glance(session: Registered): (activity: SessionActivity | null) => Attention | null {
    if ('live' in session) return () => this.#attentionOf(session, null);
    const { view, createdAtMs } = session;
    const { inputCount: inputs } = view;
    const turn = shellTurn(view);
    const lastMs = lastChangeMs({ view, createdAtMs });
    const quietMs = this.#options.clock.wallMs() - lastMs;
    return (activity) => this.#attentionOf(session, { activity, quietMs, inputs, turn });
  }

  #attentionOf(session: Registered, observed: Observed | null): Attention | null {
    if (session.exitStatus !== null) {
      return attentionOfEnded(session.info(), session.facts.endRequested);
    }
    if ('live' in session || observed === null) return null;
    const [newest = null] = session.commands({ last: 1 }).commands;
    const command = newest?.unverified ? null : newest;
    const signal = this.#signals.get(session)?.current ?? null;
    const nowMs = this.#options.clock.wallMs();
    const { view, createdAtMs } = session;
    return attentionOf({ ...observed, view, createdAtMs, command, signal, nowMs });
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
      if (error instanceof VtrError && error.code === 'SESSION_NOT_FOUND') return null;
      throw error;
    }
  }
}
