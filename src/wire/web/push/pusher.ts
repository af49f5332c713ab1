import { type Clock, type Disposable, defined, ignored } from '#base';
import { asVtrError, callAs, needOf, type SessionInfo, type SessionsWatch } from '#model';
import {
  type Channel,
  Deliveries,
  type Notice,
  Notices,
  Pace,
  type QuietHours,
  Refused,
} from '#notify';
import type { Login, PushSubscription, WebAccess } from '../access/web-access.ts';
import type { WebSessions } from '../scope.ts';
import { pushedEnd, pushedNotice, pushedWelcome, tagOf } from './messages.ts';
import { type Pushed, SubscriptionEnded, sendPush } from './push-service.ts';
import { checkSubscription } from './subscription.ts';
import { type VapidKey, vapidPublicKey } from './vapid.ts';

/** How browsers that are logged in are told of sessions while no page is open. */
export interface PushOptions {
  readonly key: VapidKey;
  /** Origins of push services that may have other addresses than public ones. */
  readonly services: readonly string[];
  /** The authorities that certify push services, in PEM. Default: those that Node.js knows. */
  readonly ca?: string;
  /** The hours in which nothing is told; null: none. */
  readonly quiet: QuietHours | null;
  /** The most messages to a browser in a minute. */
  readonly perMinute: number;
  /** Called when a login begins or ends to get messages. @param host of its push service; null: none from now on */
  readonly onChange: (login: string, host: string | null) => void;
  /** Called with what could not be delivered. */
  readonly onFailure: (message: string) => void;
}

export interface PusherParts extends PushOptions {
  readonly access: WebAccess;
  readonly sessions: WebSessions;
  readonly clock: Clock;
  /** Origin of the page. */
  readonly page: string;
}

/** The longest wait, in ms: after a suspension of the machine, or when its clock was set, it may be another time. */
const maxWaitMs = 60_000;

const client = { kind: 'web' };

/** Whether the browser ends a subscription whose messages show nothing (WebKit). */
const isStrict = ({ endpoint }: PushSubscription): boolean =>
  new URL(endpoint).hostname.endsWith('.push.apple.com');

/** A notification that browsers show. */
interface Shown {
  /** The sessions that it tells of and that still ask. */
  readonly sessions: Set<string>;
  readonly logins: Set<Login>;
}

/** Tells browsers of sessions that ask, by push messages, while at least one browser has subscribed. */
export class Pusher implements Disposable {
  readonly #parts: PusherParts;
  readonly #pace: Pace;
  readonly #deliveries: Deliveries;
  readonly #sessions = new Map<string, SessionInfo>();
  /** By tag. */
  readonly #shown = new Map<string, Shown>();
  #notices = new Notices(null);
  #watch: Promise<SessionsWatch> | null = null;
  #timer: Disposable | null = null;
  #isOver = false;

  constructor(parts: PusherParts) {
    this.#parts = parts;
    const { clock, quiet, perMinute, onFailure } = parts;
    const isCurrent = (notice: Notice) => this.#notices.isCurrent(notice);
    this.#pace = new Pace({ quiet, perMinute, isCurrent });
    this.#deliveries = new Deliveries(clock, {
      isCurrent,
      dropped: () => {},
      delivered: () => {},
      failed: ({ name }, message) => onFailure(`${name}: ${message}`),
    });
    this.#begin();
  }

  /** With which browsers subscribe. */
  get publicKey(): string {
    return vapidPublicKey(this.#parts.key);
  }

  /**
   * A browser wants messages. It gets the first one at once, which shows that they arrive.
   *
   * @throws VtrError INVALID_ARGUMENT; Error if its push service does not take the message
   */
  async subscribe(login: Login, json: unknown, content: boolean): Promise<void> {
    const { services } = this.#parts;
    const subscription = checkSubscription(json, content, services);
    if (login.push?.endpoint !== subscription.endpoint) {
      await this.#send(subscription, pushedWelcome(subscription, this.#asks));
    }
    this.#keep(login, subscription);
    this.#begin();
  }

  unsubscribe(login: Login): void {
    if (login.push !== null) this.#keep(login, null);
  }

  #keep(login: Login, push: PushSubscription | null): void {
    const { access, onChange } = this.#parts;
    access.subscribe(login, push);
    onChange(login.id, push === null ? null : new URL(push.endpoint).host);
  }

  dispose(): void {
    this.#isOver = true;
    this.#end();
    this.#deliveries.dispose();
  }

  get #subscribed(): Login[] {
    return this.#parts.access.logins.filter(({ push }) => push !== null);
  }

  /** How many sessions ask. */
  get #asks(): number {
    return [...this.#sessions.values()].filter((info) => needOf(info) === 'asks').length;
  }

  /** Follows the sessions, unless it does, or nobody has subscribed. */
  #begin(): void {
    if (this.#isOver || this.#watch !== null || this.#subscribed.length === 0) return;
    this.#notices = new Notices(null);
    const watch = callAs(client, () => this.#parts.sessions.watchSessions({ redact: true }));
    this.#watch = watch;
    this.#follow(watch).catch((error: unknown) => {
      if (this.#watch === watch) this.#end();
      // The daemon ends.
      if (asVtrError(error).code !== 'UNAVAILABLE')
        this.#parts.onFailure(asVtrError(error).message);
    });
  }

  #end(): void {
    const watch = this.#watch;
    this.#watch = null;
    this.#timer?.dispose();
    this.#timer = null;
    if (watch !== null)
      ignored(
        watch.then((each) => each.dispose()),
        'a watch that failed need not end',
      );
    this.#sessions.clear();
    this.#shown.clear();
  }

  async #follow(watch: Promise<SessionsWatch>): Promise<void> {
    let isFirst = true;
    for await (const event of await watch) {
      if (this.#watch !== watch) return;
      if (this.#subscribed.length === 0) return this.#end();
      if (event.type === 'sessions') {
        const now = new Set(event.sessions.map(({ id }) => id));
        for (const id of this.#sessions.keys()) if (!now.has(id)) this.#remove(id);
        for (const info of event.sessions) this.#note(info, isFirst);
        isFirst = false;
      } else if (event.type === 'session') this.#note(event.session, false);
      else if (event.type === 'removed') this.#remove(event.id);
      this.#check();
    }
  }

  #note(info: SessionInfo, isFirst: boolean): void {
    this.#sessions.set(info.id, info);
    const { attention, ...quiet } = info;
    const asks = attention !== undefined && needOf(info) === 'asks';
    this.#notices.note(asks ? info : quiet, isFirst, this.#parts.clock.nowMs());
    if (!asks) this.#withdraw(info.id);
  }

  #remove(id: string): void {
    this.#sessions.delete(id);
    this.#notices.remove(id);
    this.#withdraw(id);
  }

  #check(): void {
    this.#timer?.dispose();
    const { clock } = this.#parts;
    const now = { nowMs: clock.nowMs(), wallMs: clock.wallMs() };
    const due = this.#notices.due(now.nowMs, ({ name }) => name);
    for (const notice of this.#pace.take(due, now)) this.#tell(notice, now.wallMs);
    const times = [this.#notices.nextMs(now.nowMs), this.#pace.nextMs(now)];
    const nextMs = Math.min(...times.map((each) => each ?? Number.POSITIVE_INFINITY));
    this.#timer =
      nextMs === Number.POSITIVE_INFINITY
        ? null
        : clock.schedule(Math.min(nextMs + 1, maxWaitMs), () => this.#check());
  }

  #tell(notice: Notice, wallMs: number): void {
    const logins = this.#subscribed;
    const sessions = new Set((notice.of ?? [notice]).map(({ id }) => id));
    this.#shown.set(tagOf(notice), { sessions, logins: new Set(logins) });
    const channels = logins.map((login) => this.#channel(login));
    void this.#deliveries.add(notice, channels, wallMs);
  }

  /** A browser of a login, as long as it has subscribed. */
  #channel(login: Login): Channel {
    return {
      name: login.name || 'a browser',
      isConfirmed: true,
      isRepeated: true,
      tell: async (notice) => {
        const { push } = login;
        const info = this.#sessions.get(notice.id) ?? null;
        if (push === null || !this.#subscribed.includes(login)) return null;
        await this.#sendTo(login, pushedNotice(push, notice, info, this.#asks));
        return null;
      },
    };
  }

  /** A session does not ask any more: its notifications are closed. */
  #withdraw(id: string): void {
    for (const [tag, { sessions, logins }] of this.#shown) {
      sessions.delete(id);
      if (sessions.size > 0) continue;
      this.#shown.delete(tag);
      for (const login of logins) {
        const { push } = login;
        if (push === null || isStrict(push) || !this.#subscribed.includes(login)) continue;
        this.#sendTo(login, pushedEnd(push, tag, this.#asks)).catch((error: Error) =>
          this.#parts.onFailure(error.message),
        );
      }
    }
  }

  async #sendTo(login: Login, pushed: Pushed): Promise<void> {
    const { push } = login;
    if (push === null) return;
    try {
      await this.#send(push, pushed);
    } catch (error) {
      if (!(error instanceof SubscriptionEnded)) throw error;
      if (login.push === push) this.#keep(login, null);
      throw new Refused(`the subscription has ended: ${error.message}`);
    }
  }

  #send(subscription: PushSubscription, pushed: Pushed): Promise<void> {
    const { key, page, services, ca, clock } = this.#parts;
    const sender = { key, page, services, ...defined({ ca }), nowMs: clock.wallMs() };
    return sendPush(subscription, pushed, sender);
  }
}
