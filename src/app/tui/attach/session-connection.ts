import {
  type Disposable,
  defined,
  ignored,
  Outages,
  type Timers,
  watchSilence,
  within,
} from '#base';
import {
  asVtrError,
  type Coordinator,
  isAddress,
  type SessionInfo,
  type Size,
  type Subscription,
  type Viewing,
  type ViewingState,
  type ViewRequest,
  VtrError,
} from '#model';
import type { CoordinatorLink } from '../coordinator-link.ts';

/** How a lost coordinator is tried again; at an address, for as long as other calls do. */
const patience = { firstPauseMs: 100, maxPauseMs: 2_000, outageMs: () => 10_000 };
const farPatience = { ...patience, outageMs: () => 20_000 };
/** How often the coordinator is asked for a sign of life, in ms. */
const checkMs = 2_000;
/** How long the coordinator may take to note that a viewing ended, in ms. */
const goodbyeMs = 500;

export interface ConnectionListener {
  /** The mirror continues with the newest state. */
  connected(info: SessionInfo): void;
  viewing(state: ViewingState): void;
  /** What the coordinator tells of its sessions has changed. */
  sessions(all: ReadonlyMap<string, SessionInfo>): void;
  /** The connection is lost. @param untilMs when the attempts end, in ms since 1970 */
  lost(untilMs: number): void;
  /** The connection is there, and the coordinator's process answers nothing, or answers again. */
  silent(isSilent: boolean): void;
  /** The session cannot be shown any more. */
  gone(reason: VtrError): void;
}

/** What shows the events of the session. */
export interface Follower {
  /** Prepares for events. */
  load(): Promise<void>;
  /** Continues with the events of a subscription, instead of an earlier one. */
  follow(subscription: Subscription): void;
  /** No events follow. */
  dispose(): void;
}

export interface ConnectionOptions {
  readonly link: CoordinatorLink;
  readonly session: { readonly name: string; readonly id: string };
  readonly person: string;
  readonly as: NonNullable<ViewRequest['as']>;
  readonly sizing?: ViewRequest['sizing'];
  /** The size in which the session can be shown. */
  readonly size: () => Size;
  readonly mirror: Follower;
  readonly listener: ConnectionListener;
  readonly timers: Timers;
}

/**
 * A person's connection to a session: its events, who drives it, and the list of all sessions. When it
 * is lost, it is made again, to the session of the same id.
 */
export class SessionConnection {
  /** Resolves when the first attempt has succeeded or failed: until then, input waits. */
  readonly begun: Promise<void>;
  #begin: () => void = () => {};
  readonly #options: ConnectionOptions;
  readonly #outages: Outages;
  #silence: Disposable | null = null;
  #coordinator: Coordinator | null = null;
  #viewing: Viewing | null = null;
  #viewingId: string | undefined;
  /** Whether the terminal has the focus, as far as it tells. */
  #isLooking = true;
  /** Whether the person has looked since the session was last joined. */
  #hasLooked = false;
  #as: NonNullable<ViewRequest['as']>;
  #isOver = false;
  /** Ends the wait for an interruption. */
  #interrupt: (reason: VtrError) => void = () => {};

  constructor(options: ConnectionOptions) {
    this.#options = options;
    const isFar = isAddress(options.link.socket);
    this.#outages = new Outages(options.timers, isFar ? farPatience : patience);
    this.begun = new Promise((resolve) => {
      this.#begin = resolve;
    });
    this.#as = options.as;
  }

  /** Null while the coordinator cannot be reached. */
  get coordinator(): Coordinator | null {
    return this.#coordinator;
  }

  /** Null until it is known whether this person drives, and while the connection is lost. */
  get viewing(): Viewing | null {
    return this.#viewing;
  }

  /** Connects, and again whenever the connection is lost, until `dispose`. Does not throw. */
  async keep(): Promise<void> {
    const { listener } = this.#options;
    while (!this.#isOver) {
      const reason = await this.#live();
      this.#begin();
      if (this.#isOver) return;
      if (reason.code !== 'UNAVAILABLE' || !this.#outages.lost()) return listener.gone(reason);
      listener.lost(Date.now() + this.#outages.leftMs);
      await this.#outages.pause();
    }
  }

  /** The person looks at the session from now on, or does not. */
  look(isLooking: boolean): void {
    // The first screen is shown before the session is joined, and a key may be pressed at it.
    if (isLooking && this.#viewing === null) this.#hasLooked = true;
    if (isLooking === this.#isLooking) return;
    this.#isLooking = isLooking;
    ignored(this.#viewing?.look(isLooking), 'the connection itself notices a loss');
  }

  /** The events of the mirror have ended early. */
  interrupted(reason: VtrError): void {
    this.#interrupt(reason);
  }

  /** Gives back, and closes the connection. */
  async dispose(): Promise<void> {
    this.#isOver = true;
    this.#outages.end();
    this.#options.mirror.dispose();
    const left = ignored(
      Promise.resolve(this.#viewing?.dispose()),
      'closing the connection ends the view, too',
    );
    await within(this.#options.timers, goodbyeMs, left);
    this.#drop();
    this.#interrupt(asVtrError(null));
  }

  /** Joins the session, and waits until that is interrupted. Returns why. */
  async #live(): Promise<VtrError> {
    const interrupted = new Promise<VtrError>((resolve) => {
      this.#interrupt = resolve;
    });
    try {
      const ended = interrupted.then((reason) => Promise.reject(reason));
      const joined = Promise.race([this.#join().then(() => true), ended]);
      const isInTime = await within(this.#options.timers, this.#outages.leftMs, joined);
      if (isInTime === null) throw new VtrError('UNAVAILABLE', 'the coordinator does not answer');
      this.#outages.back();
      return await interrupted;
    } catch (error) {
      return asVtrError(error);
    } finally {
      this.#drop();
    }
  }

  async #join(): Promise<void> {
    const { link, session, person, mirror, listener, timers } = this.#options;
    await mirror.load();
    const coordinator = await link.connect();
    if (this.#isOver) return coordinator.close();
    this.#coordinator = coordinator;
    const looking = this.#isLooking || this.#hasLooked;
    this.#hasLooked = false;
    const [info, viewing, subscription] = await Promise.all([
      coordinator.info(session),
      coordinator.view(session, {
        name: person,
        kind: 'attach',
        size: this.#options.size(),
        as: this.#as,
        looking,
        // Nobody can hand the session to a person who came to watch only.
        readOnly: this.#options.as === 'watch',
        ...defined({ id: this.#viewingId, sizing: this.#options.sizing }),
      }),
      coordinator.subscribe(session, { scrollbackLines: 0 }),
    ]);
    this.#viewing = viewing;
    this.#viewingId = viewing.id;
    if (this.#isLooking !== looking)
      ignored(viewing.look(this.#isLooking), 'the connection itself notices a loss');
    this.#begin();
    mirror.follow(subscription);
    listener.connected(info);
    void this.#follow(viewing);
    void this.#watch(coordinator);
    // A coordinator that is suspended keeps its connections.
    this.#silence = watchSilence(
      timers,
      checkMs,
      () => link.responds(),
      (isSilent) => listener.silent(isSilent),
    );
  }

  async #follow(viewing: Viewing): Promise<void> {
    try {
      for await (const state of viewing) {
        if (this.#viewing !== viewing) return;
        // A person who gave back must not hold it again because the connection was lost.
        if (this.#options.as !== 'watch') this.#as = state.holds ? 'take' : 'auto';
        this.#options.listener.viewing(state);
      }
      // The session was removed: nothing is asked of a viewing that has ended.
      if (this.#viewing === viewing) this.#viewing = null;
    } catch (error) {
      if (this.#viewing === viewing) this.#interrupt(asVtrError(error));
    }
  }

  async #watch(coordinator: Coordinator): Promise<void> {
    const all = new Map<string, SessionInfo>();
    try {
      for await (const event of await coordinator.watchSessions()) {
        if (this.#coordinator !== coordinator) return;
        if (event.type === 'sessions') {
          all.clear();
          for (const info of event.sessions) all.set(info.id, info);
        } else if (event.type === 'session') all.set(event.session.id, event.session);
        else if (event.type === 'removed') all.delete(event.id);
        this.#options.listener.sessions(all);
      }
    } catch (error) {
      if (this.#coordinator === coordinator) this.#interrupt(asVtrError(error));
    }
  }

  #drop(): void {
    const coordinator = this.#coordinator;
    this.#coordinator = null;
    this.#viewing = null;
    this.#silence?.dispose();
    ignored(coordinator?.close(), 'the connection is given up');
  }
}
