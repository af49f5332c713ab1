import { type RedactRequest, type SessionRef, VtrError } from '#model';
import type { Session } from '#session';
import type { Lifetimes } from './lifetimes/lifetimes.ts';
import type { Reading, Redactions } from './redacting/redactions.ts';
import { inSession, type Registered, type Registry } from './registry.ts';

export interface SessionCallsParts {
  readonly registry: Registry;
  readonly lifetimes: Lifetimes;
  readonly redactions: Redactions;
}

/**
 * The calls of a coordinator: those for a session find it, and restore it first if another coordinator left it. All
 * that have no answer yet can fail at once.
 */
export class SessionCalls {
  readonly #parts: SessionCallsParts;
  readonly #open = new Set<(error: Error) => void>();
  #end: 'closed' | 'restarting' | null = null;

  constructor(parts: SessionCallsParts) {
    this.#parts = parts;
  }

  /** Calls an operation on a session, which counts as use of it. @throws VtrError SESSION_NOT_FOUND, UNAVAILABLE */
  on<T>(ref: SessionRef, operation: (session: Session) => Promise<T> | T): Promise<T> {
    const { lifetimes } = this.#parts;
    return this.live(ref, (session) =>
      lifetimes.during(session, () => inSession(session, () => operation(session))),
    );
  }

  /** As {@link on}, for what is read; see {@link Redactions.reading}. */
  reading<T extends object>(
    ref: SessionRef,
    request: RedactRequest,
    read: (session: Session, reading: Reading) => Promise<T> | T,
    { isOfScreen = false }: { readonly isOfScreen?: boolean | undefined } = {},
  ): Promise<T> {
    const { redactions } = this.#parts;
    return this.on(ref, (session) =>
      redactions.reading(session, request, (reading) => read(session, reading), isOfScreen),
    );
  }

  /**
   * As {@link on}, but does not count as use: listing what a session does must not extend its lifetime.
   */
  glance<T>(ref: SessionRef, operation: (session: Session) => Promise<T> | T): Promise<T> {
    return this.live(ref, (session) => inSession(session, () => operation(session)));
  }

  /** Calls `use` at once, unless the session must be restored first. */
  live<T>(ref: SessionRef, use: (session: Session) => Promise<T>): Promise<T> {
    const entry = this.find(ref);
    return this.during('live' in entry ? entry.live().then(use) : use(entry));
  }

  /** @throws VtrError SESSION_NOT_FOUND, UNAVAILABLE */
  find(ref: SessionRef): Registered {
    this.checkAccepted();
    return this.#parts.registry.find(ref);
  }

  /** @throws VtrError UNAVAILABLE after {@link close} and {@link restart} */
  checkAccepted(): void {
    if (this.#end !== null) throw unavailable(this.#end);
  }

  /** Returns the result of a call. */
  during<T>(result: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#open.add(reject);
      const close = () => this.#open.delete(reject);
      result.then(resolve, reject).then(close);
    });
  }

  /** Accepts no more calls. Those that are open end with their sessions. */
  close(): void {
    this.#end ??= 'closed';
  }

  /** Accepts no more calls, and fails those that are open: their clients can repeat them. */
  restart(): void {
    this.#end ??= 'restarting';
    for (const reject of this.#open) reject(unavailable('restarting'));
    this.#open.clear();
  }
}

function unavailable(end: 'closed' | 'restarting'): VtrError {
  return end === 'closed'
    ? new VtrError('UNAVAILABLE', 'the coordinator is shutting down; start another one', {
        details: { stopping: true },
      })
    : new VtrError('UNAVAILABLE', 'the coordinator is being restarted; try again', {
        details: { restarting: true },
      });
}
