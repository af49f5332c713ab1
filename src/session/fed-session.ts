import { checkExitStatus, checkSize, type ExitStatus, type Size } from '#model';
import type { FedPty } from '#pty';
import type { Session } from './session.ts';

/** The feeder's side of a session without a program. The caller must wait for each call. */
export class FedSession {
  readonly session: Session;
  readonly #pty: FedPty;

  constructor(session: Session, pty: FedPty) {
    this.session = session;
    this.#pty = pty;
  }

  /** Resolves when the session shows the output. @throws VtrError SESSION_NOT_RUNNING */
  write(bytes: Uint8Array): Promise<void> {
    return this.#pty.feed(bytes);
  }

  /** @throws VtrError INVALID_SIZE, SESSION_NOT_RUNNING */
  async resize(size: Size): Promise<void> {
    this.#pty.adoptSize({ ...checkSize(size) });
  }

  /** @throws VtrError INVALID_ARGUMENT, SESSION_NOT_RUNNING */
  async exit(status: ExitStatus): Promise<void> {
    this.#pty.finish(checkExitStatus(status));
  }
}
