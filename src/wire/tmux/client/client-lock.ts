import type { Disposable } from '#base';
import type { TmuxServer } from '../state/tmux-server.ts';
import type { TmuxSession } from '../state/tmux-session.ts';

/** A timer of Node.js is not longer than this, in ms. */
const longestTimerMs = 2 ** 31 - 1;

interface ClientLockParts {
  readonly server: TmuxServer;
  /** The session that the client shows; null before the first. */
  readonly session: () => TmuxSession | null;
  /** The terminal is to be locked. */
  readonly changed: () => void;
}

/** The lock of a client's terminal: `lock-command` has it, on request or when nobody has used the session for a time. */
export class ClientLock implements Disposable {
  readonly #parts: ClientLockParts;
  /** The command that is to get the terminal; null for none. */
  #command: string | null = null;
  #timer: NodeJS.Timeout | null = null;
  /** Whether a command has the terminal: nothing is drawn then. */
  isLocked = false;

  constructor(parts: ClientLockParts) {
    this.#parts = parts;
  }

  lock(): void {
    const command = this.#parts.session()?.options.text('lock-command') ?? '';
    if (command === '' || this.isLocked) return;
    this.#command = command;
    this.#parts.changed();
  }

  /** Returns the command that gets the terminal now; null for none. */
  take(): string | null {
    const command = this.#command;
    this.#command = null;
    if (command !== null) this.isLocked = true;
    return command;
  }

  /** Waits from the last use of the session on, for `lock-after-time`. */
  renew(): void {
    this.dispose();
    const session = this.#parts.session();
    const ms = (session?.options.number('lock-after-time') ?? 0) * 1_000;
    if (session === null || ms === 0) return;
    const leftMs = session.activityAtMs + ms - this.#parts.server.nowMs();
    if (leftMs <= 0) this.lock();
    else this.#timer = setTimeout(() => this.renew(), Math.min(leftMs, longestTimerMs)).unref();
  }

  dispose(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
