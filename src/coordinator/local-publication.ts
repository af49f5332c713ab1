import { type ExitStatus, hungUp, type Publication, type SessionInfo, type Size } from '#model';
import type { FedSession } from '#session';
import { inSession } from './in-session.ts';

/** The {@link Publication} of a session of this process. */
export class LocalPublication implements Publication {
  readonly session: SessionInfo;
  readonly #fed: FedSession;
  #last: Promise<unknown> = Promise.resolve();

  constructor(fed: FedSession, session: SessionInfo) {
    this.#fed = fed;
    this.session = session;
  }

  write(bytes: Uint8Array): Promise<void> {
    // Copied: the caller may reuse its array when this returns.
    const own = new Uint8Array(bytes);
    return this.#inOrder(() => this.#fed.write(own));
  }

  resize(size: Size): Promise<void> {
    return this.#inOrder(() => this.#fed.resize(size));
  }

  exit(status: ExitStatus): Promise<void> {
    return this.#inOrder(() => this.#fed.exit(status));
  }

  async close(): Promise<void> {
    // Fails if the session has ended already, which is the wanted state.
    await this.exit(hungUp).catch(() => {});
  }

  #inOrder(step: () => Promise<void>): Promise<void> {
    const taken = this.#last.then(() => inSession(this.#fed.session, step));
    this.#last = taken.catch(() => {});
    return taken;
  }
}
