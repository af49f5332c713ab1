import { type Clock, defined } from '#base';
import type { Session, SessionFactory } from '#session';
import type { Drivers } from '../driving/drivers.ts';
import type { Leases } from '../lifetimes/leases.ts';
import type { Lifetimes } from '../lifetimes/lifetimes.ts';
import type { LimitWatches } from '../lifetimes/limit-watch.ts';
import type { Registry, UnrestoredSession } from '../registry.ts';
import type { RunIds } from '../running/run-ids.ts';
import type { Resuming } from '../starting/resuming.ts';
import type { SpawnIds } from '../starting/spawning.ts';
import type { Resizes } from '../subscribing.ts';
import type { AgentCommands } from '../watching/agent-commands.ts';
import type { Looks } from '../watching/looks.ts';
import type { SessionAgents } from '../watching/session-agents.ts';
import type { SessionPlaces } from '../watching/session-places.ts';
import type { SessionReports } from '../watching/session-reports.ts';
import { type Ended, leftSessions, namesOf, type Restored, Restoring } from './restoring.ts';
import type { Saver } from './saver.ts';
import type { SavedBefore, SessionStore } from './session-save.ts';

/** When restored sessions are written to the disk at the earliest, in ms. */
const storeMs = 1_000;
/** The same of those with output that no saved state covers: by then their new state is there, and written with it. */
const unreadStoreMs = 50;

/** What a coordinator knows about its sessions. */
export interface KeepingParts {
  readonly clock: Clock;
  readonly registry: Registry;
  readonly factory: SessionFactory;
  readonly store: SessionStore | null;
  readonly saver: Saver;
  readonly spawned: SpawnIds;
  readonly runs: RunIds;
  readonly resizes: Resizes;
  readonly drivers: Drivers;
  readonly looks: Looks;
  readonly leases: Leases;
  readonly lifetimes: Lifetimes;
  readonly limits: LimitWatches;
  readonly reports: SessionReports;
  readonly agentCommands: AgentCommands;
  readonly agents: SessionAgents;
  readonly places: SessionPlaces;
  readonly resuming: Pick<Resuming, 'lines'>;
  /** Forgets a session whose lines another one has. */
  readonly drop: (ended: Ended, heir: Session) => void;
  /** Types the line that starts the coding agent of a session in its shell. */
  readonly typeLine: (session: Session, line: string) => void;
  readonly isClosing: () => boolean;
  readonly onFault: (error: unknown) => void;
}

/** Saves the sessions of a coordinator, and continues those that another one left. */
export class Keeping {
  readonly #parts: KeepingParts;
  readonly #restoring: Restoring;
  /** Resolves when all sessions of another coordinator are restored; null if they are, or there was none. */
  restored: Promise<unknown> | null = null;
  #hasAdopted = false;

  constructor(parts: KeepingParts) {
    this.#parts = parts;
    const { clock, onFault, factory } = parts;
    this.#restoring = new Restoring({
      factory,
      clock,
      onFault,
      onRestored: (...both) => this.#onRestored(...both),
    });
  }

  /** Contract: `LocalCoordinator.adopt`. */
  async adopt(restoreAfter: Promise<unknown> = Promise.resolve()): Promise<void> {
    const { registry, factory, drivers, leases, spawned, onFault } = this.#parts;
    const store = this.#hasAdopted ? null : this.#parts.store;
    const all = await leftSessions(factory, store, onFault);
    const names = namesOf(all, (name) => registry.isTaken(name));
    const sessions = [...names].map(([left, name]) => {
      return { left, session: this.#restoring.unrestored(left, name) };
    });
    const leaseIds: string[] = [];
    for (const { session } of sessions) {
      const { name, id } = session;
      const { coordinator, lease, spawnId, spawnContent = null, exitStatus } = session.facts;
      registry.add(session, coordinator.order);
      // From now on, its viewings have a minute to continue.
      drivers.of(session);
      const former = session.facts.name === name ? [] : [session.facts.name];
      registry.addFormerNames(session, [...coordinator.formerNames, ...former]);
      if (lease !== undefined && exitStatus === null) leaseIds.push(lease);
      if (spawnId !== undefined) spawned.add(spawnId, spawnContent, Promise.resolve({ name, id }));
    }
    leases.adopt(leaseIds);
    this.#hasAdopted = true;
    const restoring = restoreAfter.then(() => this.#restoring.restoreAll(sessions));
    const restored = Promise.all([this.restored, restoring]);
    this.restored = restored;
    void restored.then(() => {
      if (this.restored === restored) this.restored = null;
    });
  }

  /** Saves a session from now on. */
  save(session: Session, isStored: boolean, saved?: SavedBefore): void {
    const { registry, lifetimes, resizes, runs, drivers, looks, saver, reports } = this.#parts;
    const { agents, agentCommands, places } = this.#parts;
    const { continues, earlier } = session.facts.coordinator;
    const own = () => ({
      order: registry.orderOf(session),
      formerNames: registry.formerNames(session),
      usedAtMs: lifetimes.usedAtMs(session),
      resizes: resizes.of(session),
      runs: runs.saved(session),
      driving: drivers.of(session).saved,
      report: reports.saved(session),
      looks: looks.saved(session),
      place: places.saved(session),
      ...defined({ agentCommands: agentCommands.saved(session) }),
      ...defined({ agent: agents.saved(session), lastAgent: agents.lastAgent(session) }),
      ...defined({ continues, earlier }),
      ...defined({ resumeLine: this.#parts.resuming.lines.get(session) }),
    });
    resizes.begin(session, () => saver.saveFacts(session));
    saver.begin(session, { own, isStored, ...defined({ saved }) });
  }

  #onRestored(unrestored: UnrestoredSession, restored: Restored): void {
    const { session, left } = restored;
    const { registry, store, resizes, runs, drivers, lifetimes, limits } = this.#parts;
    const { looks, reports, agentCommands } = this.#parts;
    registry.replace(unrestored, session);
    if (this.#parts.isClosing()) return;
    const { facts, adopted } = left;
    const { state, segments } = adopted.saved;
    const all = { facts: adopted.saved.facts, replaceFrom: 0, segments };
    // Its output since the last state is in the memory of the host only, also that of the time without a coordinator.
    const isUnread = left.unreadBytes > 0;
    // The host has it. The first list needs the threads that would wait for the disk.
    const afterMs = isUnread ? unreadStoreMs : storeMs;
    if (facts.persist) store?.save(session.id, { ...all, ...defined({ state }) }, afterMs);
    resizes.restore(session, left);
    runs.restore(session, facts.coordinator.runs);
    drivers.restored(unrestored, session);
    reports.restore(session, facts.coordinator.report);
    agentCommands.restore(session, facts.coordinator.agentCommands);
    looks.restore(session, facts.coordinator.looks);
    this.#saveRestored(restored, isUnread);
    const { lifetime, createdAtMs } = facts;
    const { usedAtMs } = facts.coordinator;
    if (lifetime !== undefined) lifetimes.begin(session, lifetime, { createdAtMs, usedAtMs });
    if (session.exitStatus !== null) return;
    if (facts.limits !== undefined) limits.begin(session, facts.limits);
    this.#holdAgain(session, facts.lease);
    const { resumeLine } = facts.coordinator;
    if (resumeLine !== undefined) this.#parts.typeLine(session, resumeLine);
  }

  /** Saves a restored session, and forgets those that it continues when it is saved with their lines. */
  #saveRestored({ session, saved, continued }: Restored, isUnread: boolean): void {
    const { saver, resuming, drop } = this.#parts;
    const { persist, coordinator } = session.facts;
    if (coordinator.resumeLine !== undefined) resuming.lines.set(session, coordinator.resumeLine);
    this.save(session, persist, saved ?? undefined);
    const dropAll = () => {
      for (const ended of continued) drop(ended, session);
    };
    if (saved === null) saver.saveWithLines(session, dropAll);
    else {
      dropAll();
      if (isUnread) saver.saveSoon(session);
      // Saved later, because the first list waits for all sessions.
      else saver.touch(session);
    }
  }

  /** Adds a session to the lease that it had. */
  #holdAgain(session: Session, lease: string | undefined): void {
    const { leases, onFault } = this.#parts;
    if (lease === undefined) return;
    try {
      leases.add(lease, session);
    } catch {
      // Its owner did not come back in time.
      session.end({}, { reason: 'lease' }).catch(onFault);
    }
  }
}
