import { type ExitStatus, hungUp, type Publication, type SessionInfo, type Size } from '#model';
import type { FedSession } from '#session';
import { inSession } from './in-session.ts';

/** Contract: {@link Publication}. */
export class LocalPublication implements Publication {
  readonly session: SessionInfo;
  readonly #fed: FedSession;
  #last: Promise<unknown> = Promise.resolve();

  constructor(fed: FedSession) {
    this.#fed = fed;
    this.session = fed.session.info();
  }

  write(bytes: Uint8Array): Promise<void> {
    // A copy, because the caller's array is the caller's again when this returns.
    const own = new Uint8Array(bytes);
    return this.#inTurn(() => this.#fed.write(own));
  }

  resize(size: Size): Promise<void> {
    return this.#inTurn(() => this.#fed.resize(size));
  }

  exit(status: ExitStatus): Promise<void> {
    return this.#inTurn(() => this.#fed.exit(status));
  }

  async close(): Promise<void> {
    // It may have ended, which is what is wanted.
    await this.exit(hungUp).catch(() => {});
  }

  #inTurn(step: () => Promise<void>): Promise<void> {
    const taken = this.#last.then(() => inSession(this.session.name, step));
    this.#last = taken.catch(() => {});
    return taken;
  }
}
