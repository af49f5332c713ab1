import { type Disposable, toDisposable } from '#base';
import type { Service } from '../service.ts';
import { parseResourceUri, resourceUri } from './resource-address.ts';
import { watchSession } from './watched-session.ts';

/** Receives changes. It passes on only what its client subscribed to. */
export interface ResourceListener {
  updated(uri: string): void;
  listChanged(): void;
}

interface WatchedSession {
  /** Number of subscriptions of each resource, by URI. */
  readonly wanted: Map<string, number>;
  readonly watch: Disposable;
}

/** Each needs a stream of the coordinator, which begins with a copy of the session's history. */
const maxWatched = 64;

const theList = Symbol('the list of resources');

/**
 * Watches the sessions that clients subscribed to, each once. The list of resources changes when this
 * server makes or destroys a session.
 */
export class ResourceWatch implements Disposable {
  readonly #service: Service;
  readonly #sessions = new Map<string, WatchedSession>();
  readonly #changes: Delayed<string | typeof theList>;
  readonly #listWatch: Disposable;

  constructor(service: Service, listener: ResourceListener) {
    this.#service = service;
    this.#changes = new Delayed((thing) => {
      if (thing === theList) listener.listChanged();
      else listener.updated(thing);
    });
    this.#listWatch = service.sessionsChanged.on(() => this.#changes.changed(theList));
  }

  /** Subscribes to a resource until disposed. */
  want(uri: string): Disposable {
    const address = parseResourceUri(uri);
    if (address === null) return toDisposable(() => {});
    const session = this.#sessions.get(address.session) ?? this.#watch(address.session);
    if (session === null) return toDisposable(() => {});
    session.wanted.set(uri, (session.wanted.get(uri) ?? 0) + 1);
    return toDisposable(() => this.#release(uri, address.session, session));
  }

  dispose(): void {
    this.#listWatch.dispose();
    for (const { watch } of this.#sessions.values()) watch.dispose();
    this.#sessions.clear();
    this.#changes.clear();
  }

  #watch(session: string): WatchedSession | null {
    const { ownHost: host, log } = this.#service;
    if (this.#sessions.size >= maxWatched) {
      log('warn', `${session} is not watched: the limit is ${maxWatched} sessions`);
      return null;
    }
    const wanted = new Map<string, number>();
    const watch = watchSession(
      host,
      session,
      (name) => {
        const uri = resourceUri({ session, name });
        if (wanted.has(uri)) this.#changes.changed(uri);
      },
      log,
    );
    const watched = { wanted, watch };
    this.#sessions.set(session, watched);
    return watched;
  }

  #release(uri: string, session: string, { wanted, watch }: WatchedSession): void {
    const others = (wanted.get(uri) ?? 0) - 1;
    if (others > 0) {
      wanted.set(uri, others);
      return;
    }
    wanted.delete(uri);
    this.#changes.forget(uri);
    if (wanted.size > 0) return;
    watch.dispose();
    this.#sessions.delete(session);
  }
}

/**
 * Changes are collected for this time, in ms: a client reads again after each notification, and a
 * program that draws makes a hundred changes a second.
 */
const gatherMs = 200;

/** Reports changes of each thing at most once in {@link gatherMs}, and always after the last change. */
export class Delayed<T> {
  readonly #tell: (thing: T) => void;
  readonly #timers = new Map<T, NodeJS.Timeout>();

  constructor(tell: (thing: T) => void) {
    this.#tell = tell;
  }

  changed(thing: T): void {
    if (this.#timers.has(thing)) return;
    const timer = setTimeout(() => {
      this.#timers.delete(thing);
      this.#tell(thing);
    }, gatherMs);
    this.#timers.set(thing, timer);
  }

  forget(thing: T): void {
    clearTimeout(this.#timers.get(thing));
    this.#timers.delete(thing);
  }

  clear(): void {
    for (const thing of this.#timers.keys()) this.forget(thing);
  }
}
