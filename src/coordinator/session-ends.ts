import type { Disposable } from '#base';
import type { LineArchives, Session, SessionFactory } from '#session';
import type { Drivers } from './driving/drivers.ts';
import { earlierIds } from './earlier-ids.ts';
import type { Leases } from './lifetimes/leases.ts';
import type { Lifetimes } from './lifetimes/lifetimes.ts';
import type { LimitWatches } from './lifetimes/limit-watch.ts';
import type { Recorders } from './recording/recorders.ts';
import type { Registry } from './registry.ts';
import type { Ended } from './saving/restoring.ts';
import type { Saver } from './saving/saver.ts';
import type { SessionStore } from './saving/session-save.ts';
import type { SessionCalls } from './session-calls.ts';
import type { SessionPlaces } from './watching/session-places.ts';
import type { SessionReports } from './watching/session-reports.ts';
import type { WatchedSessions } from './watching/watched-sessions.ts';

export interface SessionEndsParts {
  readonly archives: LineArchives | null;
  readonly calls: SessionCalls;
  readonly drivers: Drivers;
  readonly factory: SessionFactory;
  readonly garbage: Disposable;
  readonly leases: Leases;
  readonly lifetimes: Lifetimes;
  readonly limits: LimitWatches;
  readonly places: Pick<SessionPlaces, 'settled'>;
  readonly recorders: Recorders;
  readonly registry: Registry;
  readonly reports: SessionReports;
  readonly saver: Saver;
  readonly store: SessionStore | null;
  readonly watched: WatchedSessions;
  /** Contract: `LocalCoordinatorOptions`. */
  readonly onRemoved: (ids: readonly string[]) => void;
}

/** Removes sessions, and ends all of them or leaves them to the next coordinator. */
export class SessionEnds {
  readonly #parts: SessionEndsParts;
  #closing: Promise<void> | null = null;

  constructor(parts: SessionEndsParts) {
    this.#parts = parts;
  }

  /** Whether all sessions are being ended or left. */
  get isClosing(): boolean {
    return this.#closing !== null;
  }

  /** Removes a session, with what is saved of it and of those that it continues. */
  forget(session: Session): void {
    const dropEarlier = this.release(session);
    this.drop(session);
    dropEarlier?.();
    this.#parts.onRemoved([session.id, ...earlierIds(session.facts)]);
  }

  /**
   * Removes a session; what is saved of it stays.
   *
   * @returns what drops the sessions that it continues, if they are not dropped yet
   */
  release(session: Session): (() => void) | null {
    const { drivers, leases, lifetimes, limits, registry, saver } = this.#parts;
    limits.end(session);
    const dropEarlier = saver.end(session);
    registry.remove(session);
    lifetimes.end(session);
    drivers.of(session).end();
    leases.remove(session);
    return dropEarlier;
  }

  /** Removes what is saved of a session: once it is written what is saved of the one that continues it. */
  drop(session: Ended, heir?: Session): void {
    const { archives, store } = this.#parts;
    store?.remove(session.id, heir?.id);
    archives?.remove(session.id);
    session.forget();
  }

  /** Ends all sessions. Those that are saved can be listed later. Contract: `Coordinator.close`. */
  close(): Promise<void> {
    const { calls, garbage, store, watched } = this.#parts;
    calls.close();
    garbage.dispose();
    watched.close();
    this.#closing ??= store === null ? this.#end(() => this.#closeFactory()) : this.#stop();
    return this.#closing;
  }

  async #closeFactory(): Promise<void> {
    const { factory, recorders } = this.#parts;
    await factory.close();
    this.#abandonOutput();
    await recorders.files.close();
  }

  /** Otherwise the process would go on until it is applied. */
  #abandonOutput(): void {
    for (const session of this.#parts.registry.list()) if (!('live' in session)) session.abandon();
  }

  /** Ends all sessions, and saves how they ended: they can be listed later. */
  async #stop(): Promise<void> {
    const { drivers, lifetimes, limits, places, registry, reports, saver } = this.#parts;
    for (const session of registry.list()) {
      if (!('live' in session)) session.noteEnd({ reason: 'stopped' });
    }
    saver.saveAll();
    lifetimes.close();
    reports.close();
    limits.close();
    for (const session of registry.list()) drivers.of(session).end();
    try {
      await this.#closeFactory();
    } finally {
      await places.settled();
      saver.saveAll();
      saver.close();
    }
  }

  /** Contract: `LocalCoordinator.detach`. */
  detach(): Promise<void> {
    if (this.#closing !== null) return this.#closing;
    const { calls, drivers, factory, garbage, leases, recorders, registry, saver, watched } =
      this.#parts;
    leases.detach();
    for (const session of registry.list()) drivers.of(session).detach();
    garbage.dispose();
    watched.close();
    saver.saveAll();
    this.#closing = this.#end(async () => {
      await recorders.files.close();
      await factory.detach();
      this.#abandonOutput();
    });
    calls.restart();
    return this.#closing;
  }

  #end(end: () => Promise<void>): Promise<void> {
    const { lifetimes, limits, reports, saver } = this.#parts;
    lifetimes.close();
    reports.close();
    saver.close();
    limits.close();
    return end();
  }
}
