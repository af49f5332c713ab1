import type { Socket } from 'node:net';
import { peerUid } from '#libc';
import { mayConnect } from '#trust';

export interface VisitorsOptions {
  /** Path of the socket, for the log. */
  readonly socket: string;
  /** Permission bits of the socket. */
  readonly mode: number;
  readonly log: (line: string) => void;
}

/** Refuses connections of other users, and logs each of these users once. */
export class Visitors {
  readonly #options: VisitorsOptions;
  readonly #refused = new Set<number>();

  constructor(options: VisitorsOptions) {
    this.#options = options;
  }

  /** Returns false for a connection of another user, which is then closed. */
  mayEnter(connection: Socket): boolean {
    const { socket, mode, log } = this.#options;
    const uid = peerUid(connection);
    if (mayConnect(uid, mode)) return true;
    connection.destroy();
    if (uid !== null && !this.#refused.has(uid)) {
      this.#refused.add(uid);
      log(`refused a connection of user ${uid}: check the permissions of ${socket}`);
    }
    return false;
  }
}
