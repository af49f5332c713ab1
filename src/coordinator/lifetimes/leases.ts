import { randomUUID } from 'node:crypto';
import { type Clock, type Disposable, quoted } from '#base';
import { asVtrError, type EndedBy, type Lease, VtrError } from '#model';
import type { Session } from '#session';
import { inSession } from '../registry.ts';
import type { OnEnd } from './lifetimes.ts';

/** The time in which the owner of a lease can open it again after a restart, in ms. */
const ownerlessMs = 60_000;

/** The open leases and their sessions. */
export class Leases {
  readonly #clock: Clock;
  readonly #onFault: (error: unknown) => void;
  readonly #onEnd: OnEnd;
  readonly #open = new Map<string, Set<Session>>();
  /** The leases that wait for their owners. */
  readonly #ownerless = new Map<string, Disposable>();
  /** Closed since the coordinator was started. */
  readonly #closed = new Set<string>();
  /** Until then, leases without sessions may have owners, too. */
  #adoptedUntilMs = Number.NEGATIVE_INFINITY;
  #isDetached = false;

  /** @param onFault called if the programs of a lease without an owner could not be ended */
  constructor(clock: Clock, onFault: (error: unknown) => void, onEnd: OnEnd = () => {}) {
    this.#clock = clock;
    this.#onFault = onFault;
    this.#onEnd = onEnd;
  }

  /**
   * @param id of a lease that waits for its owner; default: a new one
   * @throws VtrError LEASE_CLOSED
   */
  open(id?: string): Lease {
    return id === undefined ? this.#add(randomUUID()) : this.#openAgain(id);
  }

  /**
   * Makes leases of another coordinator that wait for their owners. If these do not open them within
   * {@link ownerlessMs}, their programs end.
   */
  adopt(ids: Iterable<string>): void {
    this.#adoptedUntilMs = this.#clock.nowMs() + ownerlessMs;
    for (const id of new Set(ids)) {
      if (this.#open.has(id)) continue;
      this.#open.set(id, new Set());
      const expire = () => void this.#close(id).catch(this.#onFault);
      this.#ownerless.set(id, this.#clock.schedule(ownerlessMs, expire));
    }
  }

  /** Leaves the programs of all leases running. Their owners' connections are about to be lost. */
  detach(): void {
    this.#isDetached = true;
    for (const timer of this.#ownerless.values()) timer.dispose();
  }

  /** @throws VtrError LEASE_CLOSED */
  check(id: string): void {
    if (!this.#open.has(id)) throw notOpen(id);
  }

  /** @throws VtrError LEASE_CLOSED */
  add(id: string, session: Session): void {
    this.check(id);
    this.#open.get(id)?.add(session);
  }

  /** Removes a session that no longer exists. */
  remove(session: Session): void {
    for (const sessions of this.#open.values()) sessions.delete(session);
  }

  #openAgain(id: string): Lease {
    const timer = this.#ownerless.get(id);
    timer?.dispose();
    this.#ownerless.delete(id);
    if (timer !== undefined) return this.#leaseOf(id);
    const isUnknown = !this.#open.has(id) && !this.#closed.has(id);
    if (isUnknown && this.#clock.nowMs() < this.#adoptedUntilMs) return this.#add(id);
    throw notOpen(id);
  }

  #add(id: string): Lease {
    this.#open.set(id, new Set());
    return this.#leaseOf(id);
  }

  #leaseOf(id: string): Lease {
    let closing: Promise<void> | null = null;
    const close = () => {
      closing ??= this.#close(id);
      return closing;
    };
    return { id, close };
  }

  async #close(id: string): Promise<void> {
    if (this.#isDetached) return;
    this.#ownerless.delete(id);
    this.#closed.add(id);
    const sessions = this.#open.get(id) ?? [];
    this.#open.delete(id);
    const endings = [...sessions].map((session) => {
      if (session.exitStatus === null) this.#onEnd(session, byLease);
      return inSession(session, () => session.end({}, byLease));
    });
    const failures = (await Promise.allSettled(endings)).filter(
      (each) => each.status === 'rejected',
    );
    if (failures.length === 0) return;
    const messages = failures.map(({ reason }) => asVtrError(reason).message);
    throw new VtrError('PTY_ERROR', messages.join('; '));
  }
}

const byLease: EndedBy = { reason: 'lease' };

function notOpen(id: string): VtrError {
  return new VtrError(
    'LEASE_CLOSED',
    `lease ${quoted(id)} is not open: it was closed, or its owner's connection was lost; open another`,
  );
}
