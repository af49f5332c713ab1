import { type Clock, type Disposable, toDisposable } from '#base';
import type { EndedBy, SessionLifetime } from '#model';
import type { Session } from '#session';
import { inSession } from '../registry.ts';

/** Called before a session is ended for a reason that is not a caller's. */
export type OnEnd = (session: Session, endedBy: EndedBy) => void;

export interface LifetimesOptions {
  readonly clock: Clock;
  /**
   * How many exited sessions with `keepExitedMs` are kept at most. Above it, the oldest is removed.
   */
  readonly maxKeptExited: number;
  /** Removes a session. */
  readonly forget: (session: Session) => void;
  /** Called when the use of a session begins and ends, if it has an idle time. */
  readonly onUse: (session: Session) => void;
  /** Called when a session is ended because its time is over. */
  readonly onEnd?: OnEnd;
  /** Called for each session that could not be ended. */
  readonly onFault: (error: unknown) => void;
}

interface Life extends Disposable {
  readonly idle: IdleTimer | null;
  readonly unattended: IdleTimer | null;
}

interface Kept extends Disposable {
  readonly exitedAtMs: number;
}

/** What happened in another coordinator. */
export interface LifeBefore {
  readonly createdAtMs: number;
  /** When the last use ended, in ms since 1970; null if it did not. */
  readonly usedAtMs: number | null;
}

/**
 * Ends and removes sessions when their lifetime is over. Sessions without a lifetime are not
 * registered here.
 */
export class Lifetimes {
  readonly #options: LifetimesOptions;
  readonly #lives = new Map<Session, Life>();
  /** Exited sessions, with the timers that remove them. */
  readonly #entries = new Map<Session, Kept>();

  constructor(options: LifetimesOptions) {
    this.#options = options;
  }

  /** @param before for a session that another coordinator left; its times continue */
  begin(session: Session, lifetime: SessionLifetime, before: LifeBefore | null = null): void {
    const { keepExitedMs } = lifetime;
    const idle = this.#idleTimer(session, lifetime, before);
    const end = this.#endTimer(session, lifetime, before);
    const events = session.view.onEvent(({ type }) => {
      if (type === 'output') idle?.touch();
      else if (type === 'exit' && keepExitedMs !== undefined) this.#keep(session, keepExitedMs);
    });
    const unattended = this.#unattendedTimer(session, lifetime);
    const parts = [idle, end, events, unattended];
    this.#lives.set(session, {
      idle,
      unattended,
      dispose: () => {
        for (const part of parts) part?.dispose();
      },
    });
    if (session.exitStatus !== null && keepExitedMs !== undefined) {
      this.#keep(session, keepExitedMs);
    }
  }

  /** Begins a use of the session, which lasts until the result is disposed. */
  use(session: Session): Disposable {
    const use = this.#lives.get(session)?.idle?.use();
    if (use === undefined) return nothing;
    this.#options.onUse(session);
    return toDisposable(() => {
      use.dispose();
      this.#options.onUse(session);
    });
  }

  /** Counts the session as attended until a call that waits in it, or follows its output, ends. */
  attendedBy<T>(session: Session, call: Promise<T>): Promise<T> {
    const attended = this.#lives.get(session)?.unattended?.use();
    return attended === undefined ? call : call.finally(() => attended.dispose());
  }

  /** When the last use of a session ended, in ms since 1970; null while it is used or never idle. */
  usedAtMs(session: Session): number | null {
    const unusedMs = this.#lives.get(session)?.idle?.unusedMs ?? null;
    return unusedMs === null ? null : this.#options.clock.wallMs() - unusedMs;
  }

  /** Runs an operation as a use of the session. */
  during<T>(session: Session, operation: () => Promise<T>): Promise<T> {
    const use = this.use(session);
    if (use === nothing) return operation();
    return operation().finally(() => use.dispose());
  }

  /** Stops the timers of a session that no longer exists. */
  end(session: Session): void {
    this.#lives.get(session)?.dispose();
    this.#lives.delete(session);
    this.#entries.get(session)?.dispose();
    this.#entries.delete(session);
  }

  close(): void {
    for (const session of [...this.#lives.keys()]) this.end(session);
  }

  #idleTimer(
    session: Session,
    { idleMs = 0 }: SessionLifetime,
    before: LifeBefore | null,
  ): IdleTimer | null {
    if (idleMs === 0) return null;
    const onIdle = () => this.#remove(session, { reason: 'idle', limit: idleMs });
    const { usedAtMs = null, createdAtMs = 0 } = before ?? {};
    const lastMs = Math.max(usedAtMs ?? 0, createdAtMs, session.view.lastOutputAtMs ?? 0);
    const unusedMs = usedAtMs === null ? 0 : this.#sinceMs(lastMs);
    return new IdleTimer({ clock: this.#options.clock, idleMs, unusedMs, onIdle });
  }

  #unattendedTimer(session: Session, { unattendedMs = 0 }: SessionLifetime): IdleTimer | null {
    if (unattendedMs === 0) return null;
    const onIdle = () => this.#remove(session, { reason: 'lease' });
    return new IdleTimer({ clock: this.#options.clock, idleMs: unattendedMs, onIdle });
  }

  /** Returns the time since a wall time, which may have jumped. */
  #sinceMs(wallMs: number): number {
    return Math.max(0, this.#options.clock.wallMs() - wallMs);
  }

  #endTimer(
    session: Session,
    { maxRunMs = 0 }: SessionLifetime,
    before: LifeBefore | null,
  ): Disposable | null {
    if (maxRunMs === 0) return null;
    const ranMs = before === null ? 0 : this.#sinceMs(before.createdAtMs);
    return this.#options.clock.schedule(Math.max(0, maxRunMs - ranMs), () => {
      if (session.exitStatus !== null) return;
      this.#end(session, { reason: 'run_time', limit: maxRunMs }).catch(this.#options.onFault);
    });
  }

  #keep(session: Session, keepExitedMs: number): void {
    const { clock, maxKeptExited } = this.#options;
    const exitedAtMs = session.info().exitedAtMs ?? clock.wallMs();
    const leftMs = Math.max(0, keepExitedMs - this.#sinceMs(exitedAtMs));
    const removal = clock.schedule(leftMs, () => this.#remove(session));
    this.#entries.set(session, { exitedAtMs, dispose: () => removal.dispose() });
    if (this.#entries.size <= maxKeptExited) return;
    // Sessions of another coordinator are not restored in the order of their exits.
    const [[oldest] = []] = [...this.#entries].sort(([, a], [, b]) => a.exitedAtMs - b.exitedAtMs);
    if (oldest !== undefined) this.#remove(oldest);
  }

  /** Ends the session's remaining processes, then removes it. If that fails, the session is kept. */
  #remove(session: Session, endedBy?: EndedBy): void {
    const { forget, onFault } = this.#options;
    this.#entries.get(session)?.dispose();
    this.#entries.delete(session);
    this.#end(session, endedBy).then(() => forget(session), onFault);
  }

  #end(session: Session, endedBy?: EndedBy): Promise<unknown> {
    if (endedBy !== undefined) this.#options.onEnd?.(session, endedBy);
    return inSession(session, () => session.end({}, endedBy));
  }
}

const nothing = toDisposable(() => {});

export interface IdleTimerOptions {
  readonly clock: Clock;
  readonly idleMs: number;
  /** How long it has not been used already; default 0. */
  readonly unusedMs?: number;
  readonly onIdle: () => void;
}

/** If a timer is later than this, in ms, this process was suspended. */
const suspendedMs = 1_000;

/** Calls `onIdle` once, when something has not been in use for `idleMs`. */
export class IdleTimer implements Disposable {
  readonly #options: IdleTimerOptions;
  #users = 0;
  #usedAtMs: number;
  #next: Disposable;

  constructor(options: IdleTimerOptions) {
    const { clock, idleMs, unusedMs = 0 } = options;
    this.#options = options;
    this.#usedAtMs = clock.nowMs() - unusedMs;
    this.#next = this.#after(Math.max(0, idleMs - unusedMs));
  }

  /** How long it has not been used; null while it is. */
  get unusedMs(): number | null {
    return this.#users > 0 ? null : this.#options.clock.nowMs() - this.#usedAtMs;
  }

  /** Records a use. */
  touch(): void {
    this.#usedAtMs = this.#options.clock.nowMs();
  }

  /** Begins a use, which lasts until the result is disposed. */
  use(): Disposable {
    this.#users++;
    return toDisposable(() => {
      this.#users--;
      this.touch();
    });
  }

  dispose(): void {
    this.#next.dispose();
  }

  /** Returns how long until it is idle if it is not used; 0 if it is idle now. */
  #leftMs(): number {
    const { clock, idleMs } = this.#options;
    if (this.#users > 0) return idleMs;
    return Math.max(0, this.#usedAtMs + idleMs - clock.nowMs());
  }

  #after(delayMs: number): Disposable {
    const { clock } = this.#options;
    const dueMs = clock.nowMs() + delayMs;
    return clock.schedule(delayMs, () => {
      // While this process was suspended, the users of the session may have been suspended too.
      if (clock.nowMs() - dueMs > suspendedMs) this.touch();
      // A use may have happened that is not recorded yet.
      this.#next = clock.afterPendingIo(() => this.#check());
    });
  }

  #check(): void {
    const leftMs = this.#leftMs();
    if (leftMs === 0) this.#options.onIdle();
    else this.#next = this.#after(leftMs);
  }
}
