import { checkExitStatus, checkSize, type ExitStatus, type Size } from '#model';
import type { FedPty } from '#pty';
import type { Session } from './session.ts';

/** A session without a program, from the side of whoever feeds it: one step at a time. */
export class FedSession {
  readonly session: Session;
  readonly #pty: FedPty;

  constructor(session: Session, pty: FedPty) {
    this.session = session;
    this.#pty = pty;
  }

  /** Resolves when the session shows it. @throws VtrError SESSION_NOT_RUNNING */
  write(bytes: Uint8Array): Promise<void> {
    return this.#pty.feed(bytes);
  }

  /** @throws VtrError INVALID_SIZE, SESSION_NOT_RUNNING */
  async resize(size: Size): Promise<void> {
    this.session.adoptSize({ ...checkSize(size) });
  }

  /** @throws VtrError INVALID_ARGUMENT, SESSION_NOT_RUNNING */
  async exit(status: ExitStatus): Promise<void> {
    this.#pty.finish(checkExitStatus(status));
  }
}
