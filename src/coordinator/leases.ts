import { randomUUID } from 'node:crypto';
import { asVtrError, type Lease, VtrError } from '#model';
import type { Session } from '#session';
import { inSession } from './in-session.ts';

/** The open leases and their sessions. */
export class Leases {
  readonly #open = new Map<string, Set<Session>>();

  open(): Lease {
    const id = randomUUID();
    this.#open.set(id, new Set());
    let closing: Promise<void> | null = null;
    const close = () => {
      closing ??= this.#close(id);
      return closing;
    };
    return { id, close };
  }

  /** @throws VtrError LEASE_CLOSED */
  check(id: string): void {
    if (this.#open.has(id)) return;
    throw new VtrError(
      'LEASE_CLOSED',
      `lease ${JSON.stringify(id)} is not open: it was closed, or its owner's connection was lost; open another`,
    );
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

  async #close(id: string): Promise<void> {
    const sessions = this.#open.get(id) ?? [];
    this.#open.delete(id);
    const endings = [...sessions].map((session) =>
      inSession(session, () => session.end({}, { reason: 'lease' })),
    );
    const failures = (await Promise.allSettled(endings)).filter(
      (each) => each.status === 'rejected',
    );
    if (failures.length === 0) return;
    const messages = failures.map(({ reason }) => asVtrError(reason).message);
    throw new VtrError('PTY_ERROR', messages.join('; '));
  }
}
