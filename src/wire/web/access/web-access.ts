import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Clock, type Disposable, quoted } from '#base';
import { type ShareRequest, VtrError, type WebWarning } from '#model';

/** A link is good for one login within this time, in ms. */
const linkMs = 60_000;
/** A login ends after this time without use, in ms. */
const loginIdleMs = 12 * 60 * 60 * 1000;
/** The same for a browser that is told of sessions by push messages: it need not open the page for that. */
const subscribedIdleMs = 30 * 24 * 60 * 60 * 1000;
/** The use of logins is saved this often, in ms. */
const usePrecisionMs = 10 * 60 * 1000;
const attemptWindowMs = 60_000;
/** Wrong tokens within that time; further ones are not told from wrong ones. */
const maxAttempts = 5;
const maxLinks = 32;
const maxUsed = 256;
const maxWarnings = 16;
const maxLogins = 256;
const maxShares = 256;
/** The most characters of the name of a login. */
const maxNameLength = 40;
const defaultShareMs = 60 * 60 * 1000;
const minShareMs = 1000;
const maxShareMs = 30 * 24 * 60 * 60 * 1000;

/** What was in a session when it was shared. */
export interface ShareBegin {
  /** The line at the top of the screen: those before it are not shared. */
  readonly line: number;
  /** The number of the newest command; 0 for none. It and those before it are not shared. */
  readonly command: number;
}

/** For a share that an earlier version of vtr made: all that is kept can be older than the share. */
const unknownBegin: ShareBegin = {
  line: Number.MAX_SAFE_INTEGER,
  command: Number.MAX_SAFE_INTEGER,
};
const defaults = { withHistory: false, redact: true, begin: unknownBegin };

/** A session that is shared. Times are in ms since 1970-01-01 UTC. */
export interface Share {
  readonly id: string;
  /** SHA-256 of its secret, in hexadecimal. */
  readonly hash: string;
  readonly sessionId: string;
  /** The session's name when it was shared. */
  readonly session: string;
  readonly write: boolean;
  readonly alis: boolean;
  /** Whether visitors may read what was before it. */
  readonly withHistory: boolean;
  /** Whether secrets are replaced for visitors. */
  readonly redact: boolean;
  readonly begin: ShareBegin;
  readonly sinceMs: number;
  readonly untilMs: number;
}

/** Where a browser gets its push messages (W3C Push API, `PushSubscription`). */
export interface PushSubscription {
  /** An address of the push service: who knows it, and the keys, can send messages to the browser. */
  readonly endpoint: string;
  /** The browser's public key: a point of P-256, not compressed, in base64url. */
  readonly p256dh: string;
  /** 16 bytes that only the browser and the sender know, in base64url. */
  readonly auth: string;
  /** Whether messages tell what is asked and where. */
  readonly content: boolean;
}

/** A browser with a cookie. */
export interface Login {
  readonly id: string;
  /** SHA-256 of the cookie's value, in hexadecimal. */
  readonly hash: string;
  /** {@link Share.id}; null: everything. */
  readonly shareId: string | null;
  /** What its person calls it, else what the browser says that it is; may be empty. */
  name: string;
  /** Whether a person gave the name. */
  isNamed: boolean;
  readonly sinceMs: number;
  /** When it was used last, in ms since 1970-01-01 UTC. */
  usedMs: number;
  /** Where it gets push messages; null if it wants none. */
  push: PushSubscription | null;
}

/** For how long a login lasts without use, in ms. */
export const idleMsOf = ({ push }: Pick<Login, 'push'>): number =>
  push === null ? loginIdleMs : subscribedIdleMs;

/** The id of a login is the beginning of its hash, with which nobody gets in. */
const idDigits = 8;

/** What a visitor may see: a shared session, or everything if `share` is null. */
export interface Visitor {
  readonly login: Login | null;
  readonly share: Share | null;
}

interface Link {
  readonly hash: string;
  readonly untilMs: number;
  readonly onEnd: () => void;
  readonly expiry: Disposable;
}

/** What continues after a restart. It contains no secret. */
export interface SavedAccess {
  /** Those of earlier versions have no name, and no time of their beginning. */
  readonly logins: readonly (Pick<Login, 'hash' | 'shareId' | 'usedMs'> & Partial<Login>)[];
  readonly shares: readonly Share[];
  /** SHA-256 of links that were used, in hexadecimal, oldest first. Absent in older states. */
  readonly used?: readonly string[];
  readonly warnings?: readonly WebWarning[];
}

/** The person who tries to log in. */
export interface LoginBy {
  /** Another user of this machine; null if it is this one, or not known. */
  readonly uid: number | null;
  /** Whether the browser has a login to everything: its user opened the link again. */
  readonly isKnown: boolean;
  /** What the browser says that it is, as `Firefox on Linux`. Default: unknown. */
  readonly browser?: string;
}

const unknownPerson: LoginBy = { uid: null, isKnown: false };

const noAccess: SavedAccess = { logins: [], shares: [] };

/** The result of a login: the cookie's value, or why there is none. `used`: the link was used before. */
export type LoginResult = { readonly cookie: string } | 'wrong' | 'used' | 'too_many';

export interface WebAccessOptions {
  readonly clock: Clock;
  readonly saved?: SavedAccess;
  /** Called when what continues after a restart has changed. */
  readonly onChange?: (access: WebAccess) => void;
}

/** Decides who may use the page, by links for one login, logins by cookie, and shares. */
export class WebAccess {
  readonly #clock: Clock;
  readonly #onChange: (access: WebAccess) => void;
  #links: Link[] = [];
  #used: { readonly hash: string }[];
  #warnings: WebWarning[];
  #logins: Login[];
  #shares: Share[];
  /** Times of wrong tokens, monotonic. */
  #wrong: number[] = [];
  /** When the owner was last told of a change, monotonic. */
  #changedMs = Number.NEGATIVE_INFINITY;

  constructor({ clock, saved = noAccess, onChange = () => {} }: WebAccessOptions) {
    this.#clock = clock;
    this.#onChange = onChange;
    this.#logins = saved.logins.map((each) => ({
      id: each.hash.slice(0, idDigits),
      name: '',
      isNamed: false,
      sinceMs: each.usedMs,
      push: null,
      ...each,
    }));
    this.#shares = saved.shares.map((each) => ({ ...defaults, ...each }));
    this.#used = (saved.used ?? []).map((hash) => ({ hash }));
    this.#warnings = [...(saved.warnings ?? [])];
  }

  get saved(): SavedAccess {
    const used = this.#used.map(({ hash }) => hash);
    return { logins: this.#current(), shares: this.shares, used, warnings: this.#warnings };
  }

  /** Logins that may not be the user's own, since {@link endLogins}. */
  get warnings(): readonly WebWarning[] {
    return this.#warnings;
  }

  /** Those that have not ended, oldest first. */
  get shares(): readonly Share[] {
    const nowMs = this.#clock.wallMs();
    return this.#shares.filter(({ untilMs }) => untilMs > nowMs);
  }

  /** Those that have not ended, in the order of their last use, the newest first. */
  get logins(): readonly Login[] {
    return this.#current().sort((a, b) => b.usedMs - a.usedMs);
  }

  /** Returns the login that has ended. @throws VtrError LOGIN_NOT_FOUND */
  endLogin(id: string): Login {
    const login = this.#current().find((each) => each.id === id);
    if (login === undefined) {
      const message = `there is no login ${quoted(id)}; vtr web logins lists them`;
      throw new VtrError('LOGIN_NOT_FOUND', message, { details: { id } });
    }
    this.#logins = this.#logins.filter((each) => each !== login);
    this.#changed();
    return login;
  }

  /** Gives a login a name. @throws VtrError INVALID_ARGUMENT */
  nameLogin(login: Login, name: string): void {
    const text = name.trim();
    if (text === '' || [...text].length > maxNameLength || /\p{C}/u.test(text)) {
      const message = `a name has 1 to ${maxNameLength} characters that can be shown`;
      throw new VtrError('INVALID_ARGUMENT', message);
    }
    login.name = text;
    login.isNamed = true;
    this.#changed();
  }

  /** A login wants push messages, or none. Of a browser that was logged in before, only the newest login does. */
  subscribe(login: Login, push: PushSubscription | null): void {
    for (const each of this.#logins) {
      if (each !== login && push !== null && each.push?.endpoint === push.endpoint)
        each.push = null;
    }
    login.push = push;
    this.#changed();
  }

  /** Returns the token of a new link. @param onEnd called when it is used, expires or is ended */
  newLink(onEnd = () => {}): string {
    const token = newSecret();
    const nowMs = this.#clock.nowMs();
    const open = this.#links.filter(({ untilMs }) => untilMs > nowMs).slice(1 - maxLinks);
    const expiry = this.#clock.schedule(linkMs, () => this.#expire());
    this.#keepLinks([...open, { hash: hashOf(token), untilMs: nowMs + linkMs, onEnd, expiry }]);
    return token;
  }

  /** @throws VtrError INVALID_ARGUMENT */
  share(
    session: { readonly id: string; readonly name: string; readonly begin: ShareBegin },
    {
      forMs = defaultShareMs,
      write = false,
      alis = false,
      withHistory = false,
      redact = true,
    }: ShareRequest,
  ): { readonly share: Share; readonly secret: string } {
    if (!(forMs >= minShareMs && forMs <= maxShareMs)) {
      throw new VtrError('INVALID_ARGUMENT', 'a share lasts 1 second to 30 days');
    }
    if (write && alis) {
      throw new VtrError('INVALID_ARGUMENT', 'a live stream is read-only; leave out write');
    }
    if (withHistory && alis) {
      throw new VtrError(
        'INVALID_ARGUMENT',
        'a live stream has no history; leave out with_history',
      );
    }
    if (this.shares.length >= maxShares) {
      throw new VtrError('INVALID_ARGUMENT', `${maxShares} shares are open; end some first`);
    }
    const secret = newSecret();
    const nowMs = this.#clock.wallMs();
    const share = {
      id: randomBytes(4).toString('hex'),
      hash: hashOf(secret),
      sessionId: session.id,
      session: session.name,
      write,
      alis,
      withHistory,
      redact,
      begin: session.begin,
      sinceMs: nowMs,
      untilMs: nowMs + forMs,
    };
    this.#shares = [...this.shares, share];
    this.#changed();
    return { share, secret };
  }

  /** Ends a share and its logins. @throws VtrError SHARE_NOT_FOUND */
  unshare(id: string): void {
    if (!this.shares.some((each) => each.id === id)) {
      const message = `there is no share ${quoted(id)}; vtr web shares lists them`;
      throw new VtrError('SHARE_NOT_FOUND', message, { details: { id } });
    }
    this.#shares = this.#shares.filter((each) => each.id !== id);
    this.#logins = this.#logins.filter(({ shareId }) => shareId !== id);
    this.#changed();
  }

  /** Ends all links. Logins and shares continue in the next daemon. */
  close(): void {
    this.#keepLinks([]);
  }

  /** Ends all links and logins. */
  endLogins(): void {
    this.#keepLinks([]);
    this.#logins = [];
    this.#warnings = [];
    this.#changed();
  }

  /** @param token of a link, which it uses up, or of a share */
  login(token: string, by = unknownPerson): LoginResult {
    this.#expire();
    const link = findBySecret(this.#links, token);
    if (link !== null) {
      this.#keepLinks(this.#links.filter((each) => each !== link));
      this.#used = [...this.#used.slice(1 - maxUsed), { hash: link.hash }];
      if (by.uid !== null) this.#warn(false, by);
      return this.#newLogin(null, by);
    }
    if (findBySecret(this.#used, token) !== null) {
      if (!by.isKnown) this.#warn(true, by);
      return 'used';
    }
    const share = findBySecret(this.shares, token);
    if (share !== null && !share.alis) return this.#newLogin(share.id, by);
    return this.#refuse();
  }

  /** Returns the visitor with a cookie, and notes its use; null if it is unknown or has ended. */
  visitor(cookie: string): Visitor | null {
    const login = findBySecret(this.#current(), cookie);
    if (login === null) return null;
    const share = this.#shareOf(login);
    if (share === undefined) return null;
    this.used(login);
    return { login, share };
  }

  /** Whether what let a visitor in has not ended since. */
  isCurrent({ login, share }: Visitor): boolean {
    const hasLogin = login === null || this.#current().includes(login);
    return hasLogin && (share === null || this.shares.includes(share));
  }

  /** A page with a login is open. */
  used(login: Login): void {
    login.usedMs = this.#clock.wallMs();
    // The time since the last use would not do: an open page uses its login every few seconds.
    if (this.#clock.nowMs() - this.#changedMs >= usePrecisionMs) this.#changed();
  }

  /** Returns the share for players whose secret it is, or why there is none. */
  player(secret: string): Share | 'wrong' | 'too_many' {
    const share = findBySecret(this.shares, secret);
    return share?.alis ? share : this.#refuse();
  }

  #expire(): void {
    const nowMs = this.#clock.nowMs();
    this.#keepLinks(this.#links.filter(({ untilMs }) => untilMs > nowMs));
  }

  #keepLinks(links: Link[]): void {
    const ended = this.#links.filter((each) => !links.includes(each));
    this.#links = links;
    for (const { onEnd, expiry } of ended) {
      expiry.dispose();
      onEnd();
    }
  }

  #warn(again: boolean, { uid }: LoginBy): void {
    const warning = { atMs: this.#clock.wallMs(), again, uid };
    this.#warnings = [...this.#warnings.slice(1 - maxWarnings), warning];
    this.#changed();
  }

  /** Undefined if the share has ended. */
  #shareOf({ shareId }: Login): Share | null | undefined {
    return shareId === null ? null : this.shares.find(({ id }) => id === shareId);
  }

  #newLogin(shareId: string | null, { browser: name = '' }: LoginBy): LoginResult {
    const cookie = newSecret();
    const nowMs = this.#clock.wallMs();
    const hash = hashOf(cookie);
    const who = { name, isNamed: false, sinceMs: nowMs, usedMs: nowMs, push: null };
    const login: Login = { id: hash.slice(0, idDigits), hash, shareId, ...who };
    // A person who has a link of a share can log in again and again, and must not log others out.
    const rankOf = (each: Login) => (each.shareId === null ? 2 : each.shareId === shareId ? 0 : 1);
    const before = this.#current().sort((a, b) => rankOf(a) - rankOf(b) || a.usedMs - b.usedMs);
    this.#logins = [...before.slice(1 - maxLogins), login];
    this.#changed();
    return { cookie };
  }

  #current(): Login[] {
    const nowMs = this.#clock.wallMs();
    return this.#logins.filter(
      (each) => nowMs - each.usedMs < idleMsOf(each) && this.#shareOf(each) !== undefined,
    );
  }

  #refuse(): 'wrong' | 'too_many' {
    const nowMs = this.#clock.nowMs();
    const recent = this.#wrong.filter((atMs) => nowMs - atMs < attemptWindowMs);
    // The last ones are enough.
    this.#wrong = [...recent.slice(-maxAttempts), nowMs];
    return this.#wrong.length > maxAttempts ? 'too_many' : 'wrong';
  }

  #changed(): void {
    this.#changedMs = this.#clock.nowMs();
    this.#onChange(this);
  }
}

/** 256 bits, in base64url. */
const newSecret = (): string => randomBytes(32).toString('base64url');

/** Secrets are kept as SHA-256, in hexadecimal. */
const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** Returns the one whose hash is that of `secret`; takes the same time whichever it is. */
function findBySecret<T extends { readonly hash: string }>(
  all: Iterable<T>,
  secret: string,
): T | null {
  const bytes = Buffer.from(hashOf(secret), 'hex');
  let value: T | null = null;
  for (const each of all) {
    if (timingSafeEqual(Buffer.from(each.hash, 'hex'), bytes)) value = each;
  }
  return value;
}
