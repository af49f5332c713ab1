import { type Clock, type Disposable, toDisposable } from '#base';
import type { EndedBy, SessionLifetime } from '#model';
import type { Session } from '#session';
import { IdleTimer } from './idle-timer.ts';
import { inSession } from './in-session.ts';

export interface LifetimesOptions {
  readonly clock: Clock;
  /**
   * How many exited sessions with `keepExitedMs` are kept at most. Above it, the oldest is removed.
   */
  readonly maxKeptExited: number;
  /** Removes a session. */
  readonly forget: (session: Session) => void;
  /** Called for each session that could not be ended. */
  readonly onFault: (error: unknown) => void;
}

interface Life extends Disposable {
  readonly idle: IdleTimer | null;
}

/**
 * Ends and removes sessions when their lifetime is over. Sessions without a lifetime are not
 * registered here.
 */
export class Lifetimes {
  readonly #options: LifetimesOptions;
  readonly #lives = new Map<Session, Life>();
  /** Exited sessions in the order of their exits, with the timers that remove them. */
  readonly #kept = new Map<Session, Disposable>();

  constructor(options: LifetimesOptions) {
    this.#options = options;
  }

  begin(session: Session, lifetime: SessionLifetime): void {
    const { keepExitedMs } = lifetime;
    const idle = this.#idleTimer(session, lifetime);
    const end = this.#endTimer(session, lifetime);
    const events = session.view.onEvent(({ type }) => {
      if (type === 'output') idle?.touch();
      else if (type === 'exit' && keepExitedMs !== undefined) this.#keep(session, keepExitedMs);
    });
    const parts = [idle, end, events];
    this.#lives.set(session, {
      idle,
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
    return this.#lives.get(session)?.idle?.use() ?? nothing;
  }

  /** Runs an operation as a use of the session. */
  during<T>(session: Session, operation: () => Promise<T>): Promise<T> {
    const idle = this.#lives.get(session)?.idle ?? null;
    if (idle === null) return operation();
    const use = idle.use();
    return operation().finally(() => use.dispose());
  }

  /** Stops the timers of a session that no longer exists. */
  end(session: Session): void {
    this.#lives.get(session)?.dispose();
    this.#lives.delete(session);
    this.#kept.get(session)?.dispose();
    this.#kept.delete(session);
  }

  close(): void {
    for (const session of [...this.#lives.keys()]) this.end(session);
  }

  #idleTimer(session: Session, { idleMs = 0 }: SessionLifetime): IdleTimer | null {
    if (idleMs === 0) return null;
    const onIdle = () => this.#remove(session, { reason: 'idle', limit: idleMs });
    return new IdleTimer({ clock: this.#options.clock, idleMs, onIdle });
  }

  #endTimer(session: Session, { maxRunMs = 0 }: SessionLifetime): Disposable | null {
    if (maxRunMs === 0) return null;
    return this.#options.clock.schedule(maxRunMs, () => {
      if (session.exitStatus !== null) return;
      this.#end(session, { reason: 'run_time', limit: maxRunMs }).catch(this.#options.onFault);
    });
  }

  #keep(session: Session, keepExitedMs: number): void {
    const removal = this.#options.clock.schedule(keepExitedMs, () => this.#remove(session));
    this.#kept.set(session, removal);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > this.#options.maxKeptExited && oldest !== undefined) this.#remove(oldest);
  }

  /** Ends the session's remaining processes, then removes it. If that fails, the session is kept. */
  #remove(session: Session, endedBy?: EndedBy): void {
    const { forget, onFault } = this.#options;
    this.#kept.get(session)?.dispose();
    this.#kept.delete(session);
    this.#end(session, endedBy).then(() => forget(session), onFault);
  }

  #end(session: Session, endedBy?: EndedBy): Promise<unknown> {
    return inSession(session, () => session.end({}, endedBy));
  }
}

const nothing = toDisposable(() => {});
