import { type Disposable, type Log, toDisposable } from '#base';
import { asVtrError, type Subscription, type SubscriptionEvent } from '#model';
import type { SessionHost } from '../redacted-host.ts';
import type { Service } from '../service.ts';
import { parseResourceUri, type ResourceName, resourceUri } from './resources.ts';

/** Receives changes. It passes on only what its client subscribed to. */
export interface ResourceListener {
  updated(uri: string): void;
  listChanged(): void;
}

interface WatchedSession {
  /** Number of subscriptions of each resource, by URI. */
  readonly subscriptions: Map<string, number>;
  watch: SessionWatch;
}

/** Each needs a stream of the coordinator, which begins with a copy of the session's history. */
const maxWatched = 64;

const theList = Symbol('the list of resources');

/**
 * Watches the sessions that clients subscribed to, each once. A subscription is to a name: it goes on
 * with the next session of that name. The list of resources changes when this server makes or destroys
 * a session.
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
    this.#listWatch = service.sessionsChanged.on((session) => {
      this.#changes.changed(theList);
      const watched = this.#sessions.get(session);
      if (watched && service.fateOf(session) === 'made') this.#watchAgain(session, watched);
    });
  }

  /** Subscribes to a resource until disposed. */
  want(uri: string): Disposable {
    const address = parseResourceUri(uri);
    if (address === null) return toDisposable(() => {});
    const session = this.#sessions.get(address.session) ?? this.#watch(address.session);
    if (session === null) return toDisposable(() => {});
    // Somebody else may have made a session of that name since.
    if (session.watch.isOver) this.#watchAgain(address.session, session);
    session.subscriptions.set(uri, (session.subscriptions.get(uri) ?? 0) + 1);
    return toDisposable(() => this.#release(uri, address.session, session));
  }

  dispose(): void {
    this.#listWatch.dispose();
    for (const { watch } of this.#sessions.values()) watch.dispose();
    this.#sessions.clear();
    this.#changes.clear();
  }

  #watch(session: string): WatchedSession | null {
    const { log } = this.#service;
    if (this.#sessions.size >= maxWatched) {
      log('warn', `${session} is not watched: the limit is ${maxWatched} sessions`);
      return null;
    }
    const counts = new Map<string, number>();
    const watched = {
      subscriptions: counts,
      watch: this.#begin(session, counts, { isLate: false }),
    };
    this.#sessions.set(session, watched);
    return watched;
  }

  #watchAgain(session: string, watched: WatchedSession): void {
    watched.watch.dispose();
    watched.watch = this.#begin(session, watched.subscriptions, { isLate: true });
  }

  #begin(
    session: string,
    counts: WatchedSession['subscriptions'],
    { isLate }: { readonly isLate: boolean },
  ): SessionWatch {
    const { ownHost: host, log } = this.#service;
    const changed = (name: ResourceName) => {
      const uri = resourceUri({ session, name });
      if (counts.has(uri)) this.#changes.changed(uri);
    };
    return watchSession(host, session, { isLate, changed, log });
  }

  #release(uri: string, session: string, watched: WatchedSession): void {
    const { subscriptions } = watched;
    const others = (subscriptions.get(uri) ?? 0) - 1;
    if (others > 0) {
      subscriptions.set(uri, others);
      return;
    }
    subscriptions.delete(uri);
    this.#changes.forget(uri);
    if (subscriptions.size > 0) return;
    watched.watch.dispose();
    this.#sessions.delete(session);
  }
}

/**
 * Changes are collected for this time, in ms: a client reads again after each notification, and a
 * program that draws makes a hundred changes a second.
 */
const gatherMs = 200;

/** Reports changes of each thing at most once in {@link gatherMs}, and always after the last change. */
class Delayed<T> {
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

/** The resources that an event changes. The first event of a subscription is the present state, not a change. */
const changedBy: Readonly<Record<SubscriptionEvent['type'], readonly ResourceName[]>> = {
  // Sent in place of events that a slow subscriber missed.
  snapshot: ['screen', 'scrollback', 'commands'],
  output: ['screen', 'scrollback'],
  resize: ['screen', 'scrollback'],
  exit: ['screen', 'scrollback', 'commands'],
  mark: ['commands'],
  title: [],
  bell: [],
  cwd: [],
  progress: [],
  notification: [],
  clipboard: [],
  agent: [],
  // Of a subscription of another kind.
  commands: [],
  command: [],
  agentCommand: [],
};

export interface SessionWatch extends Disposable {
  /** Whether it reports nothing more: the session has ended, or there was none. */
  readonly isOver: boolean;
}

interface Watcher {
  /** Whether the present state is a change, because the session was made after the last watch. */
  readonly isLate: boolean;
  readonly changed: (name: ResourceName) => void;
  readonly log: Log;
}

/**
 * Calls `changed` for changes in a session, until disposed or the session ends. Does nothing if there
 * is no such session.
 */
function watchSession(
  host: SessionHost,
  session: string,
  { isLate, changed, log }: Watcher,
): SessionWatch {
  let subscription: Subscription | null = null;
  let isOver = false;
  const follow = async () => {
    const coordinator = await host.reach();
    if (coordinator === null || isOver) return;
    const opened = await coordinator.subscribe(session);
    if (isOver) return opened.dispose();
    subscription = opened;
    let isFirst = !isLate;
    for await (const { type } of opened) {
      if (!isFirst) for (const name of changedBy[type]) changed(name);
      isFirst = false;
    }
  };
  const end = () => {
    isOver = true;
    subscription?.dispose();
    subscription = null;
  };
  follow()
    .catch((error) => log('info', `${session} is no longer watched: ${codeOf(error)}`))
    .finally(end);
  return {
    get isOver() {
      return isOver;
    },
    dispose: end,
  };
}

const codeOf = (thrown: unknown): string => asVtrError(thrown).code;
