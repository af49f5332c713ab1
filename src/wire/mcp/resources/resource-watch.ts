import { type Disposable, toDisposable } from '#base';
import type { Service } from '../service.ts';
import { parseResourceUri, resourceUri } from './resource-address.ts';
import { watchSession } from './watched-session.ts';

/** To whom changes are told; what a client did not ask for is not passed on. */
export interface ResourceListener {
  updated(uri: string): void;
  listChanged(): void;
}

interface WatchedSession {
  /** How many clients want each of its resources, by URI. */
  readonly wanted: Map<string, number>;
  readonly watch: Disposable;
}

/** Each takes a stream of the coordinator's, and begins with a copy of the session's history. */
const maxWatched = 64;

const theList = Symbol('the list of resources');

/**
 * Watches the sessions of which a client wants to hear, and no others, each once. The list changes
 * with what is made and destroyed by this server.
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

  /** Until it is disposed of. */
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
    const { host, log } = this.#service;
    if (this.#sessions.size >= maxWatched) {
      log('warn', `${session} is not watched: ${maxWatched} sessions are, which is the limit`);
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
 * How long changes are gathered before they are told, in ms: who hears of each reads again for each,
 * and a program that draws changes a hundred times a second.
 */
const gatherMs = 200;

/** Tells of things that change often: of each at most once in {@link gatherMs}, and of its last change. */
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
