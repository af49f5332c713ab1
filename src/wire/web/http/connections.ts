import type { Socket } from 'node:net';

/** The end of a connection at the client: also for TLS, whose sockets are others than those below. */
type End = Pick<Socket, 'remoteAddress' | 'remotePort'>;

const keyOf = ({ remoteAddress, remotePort }: End): string => `${remoteAddress} ${remotePort}`;

/**
 * The open connections of a server, at most a number. The oldest one whose client has not shown a login
 * makes room for another one: so clients without a login, which need no time to connect, do not keep out those
 * that have one.
 */
export class Connections {
  readonly #most: number;
  readonly #all = new Map<string, Socket>();
  /** Those without a login so far, the oldest first. */
  readonly #strangers = new Set<string>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Follows a connection until it is closed. Closes another one, or this one, if there are too many. */
  add(socket: Socket): void {
    if (this.#all.size >= this.#most && !this.#dropOldest()) {
      socket.destroy();
      return;
    }
    const key = keyOf(socket);
    this.#all.set(key, socket);
    this.#strangers.add(key);
    socket.once('close', () => {
      // Another connection may have the same end by now.
      if (this.#all.get(key) === socket) this.#forget(key);
    });
  }

  /** The client of a connection is logged in: it makes no room for others. */
  keep(socket: End): void {
    this.#strangers.delete(keyOf(socket));
  }

  get all(): readonly Socket[] {
    return [...this.#all.values()];
  }

  #dropOldest(): boolean {
    const [oldest] = this.#strangers;
    if (oldest === undefined) return false;
    this.#all.get(oldest)?.destroy();
    this.#forget(oldest);
    return true;
  }

  #forget(key: string): void {
    this.#all.delete(key);
    this.#strangers.delete(key);
  }
}
