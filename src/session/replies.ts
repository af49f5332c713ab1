import type { Pty } from '#pty';

/** Answers that wait for the program to read them, in bytes; more are dropped. */
const maxPendingBytes = 4096;

/**
 * Brings the terminal's answers to the program. Each is a write of its own, so it never lands inside
 * what somebody types; a program that asks and does not read costs no more than the limit.
 */
export class Replies {
  readonly #pty: Pty;
  #pendingBytes = 0;

  constructor(pty: Pty) {
    this.#pty = pty;
  }

  send(reply: Uint8Array | null): void {
    if (reply === null || this.#pendingBytes + reply.length > maxPendingBytes) return;
    this.#pendingBytes += reply.length;
    const taken = () => {
      this.#pendingBytes -= reply.length;
    };
    // A program that has ended wants no answer.
    this.#pty.write(reply).then(taken, taken);
  }
}
