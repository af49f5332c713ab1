import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { MetricFamily } from '#metrics';
import type { ServedConnection, SharedLimits } from './served-connection.ts';

/** While fewer files than this can be opened, each new connection closes one without a call. */
const leastFilesLeft = 16;
/** While fewer can be, connections are refused: what a call needs could not be opened. */
const leastFilesForCall = 4;

/** With more, only connections could use them up within {@link freshMs}. */
const manyFilesLeft = 256;
const freshMs = 100;

/**
 * The open connections of a server. When there are as many as there may be, a new one takes the place of
 * the one that has been without a call for the longest time, so that connections that hang do not shut
 * out others.
 */
export class OpenConnections {
  readonly #shared: SharedLimits;
  readonly #sockets = new Map<ServedConnection, Socket>();
  #timer: NodeJS.Timeout | null = null;
  #lookedMs = Number.NEGATIVE_INFINITY;
  /** The files left then, less one for each connection since. */
  #leftFiles = 0;
  readonly #createdAtMs = Date.now();
  #accepted = 0;
  #refused = 0;

  constructor(shared: SharedLimits) {
    this.#shared = shared;
  }

  get sockets(): Iterable<Socket> {
    return this.#sockets.values();
  }

  /** Returns the state of a new connection; null if it is refused. */
  admit(socket: Socket): ServedConnection | null {
    const { maxConnections } = this.#shared.limits;
    const left = this.#filesLeft();
    const isFull = this.#hasOpen(maxConnections);
    const hasRoom = (isFull || left < leastFilesLeft) && this.#closeIdlest();
    if (!hasRoom && (isFull || left < leastFilesForCall)) {
      socket.destroy();
      this.#refused++;
      return null;
    }
    this.#accepted++;
    const connection = this.#shared.connection();
    connection.retire = () => socket.destroy();
    this.#sockets.set(connection, socket);
    this.#timer ??= this.#startSweeping();
    socket.once('close', () => this.#closed(connection));
    return connection;
  }

  families(): MetricFamily[] {
    const counted = { type: 'counter', createdAtMs: this.#createdAtMs } as const;
    return [
      {
        name: 'vtr_connections',
        help: 'Open connections of clients, with that of this request.',
        type: 'gauge',
        points: [{ labels: {}, value: this.#sockets.size }],
      },
      {
        name: 'vtr_connections_accepted',
        help: 'Connections that were accepted.',
        ...counted,
        points: [{ labels: {}, value: this.#accepted }],
      },
      {
        name: 'vtr_connections_refused',
        help: 'Connections that were refused: too many were open, or too few files could be opened.',
        ...counted,
        points: [{ labels: {}, value: this.#refused }],
      },
      {
        name: 'vtr_requests_refused',
        help: 'Requests that were refused because too many bytes of requests were under way.',
        ...counted,
        points: [{ labels: {}, value: this.#shared.refusedRequests }],
      },
    ];
  }

  /** Reads files of the system only if it may matter. */
  #filesLeft(): number {
    const nowMs = performance.now();
    this.#leftFiles--;
    const isFresh = nowMs - this.#lookedMs < freshMs;
    if (isFresh && this.#leftFiles >= manyFilesLeft) return this.#leftFiles;
    this.#lookedMs = nowMs;
    const left = this.#shared.limits.filesLeft();
    this.#leftFiles = left ?? 0;
    return left ?? Number.POSITIVE_INFINITY;
  }

  #closed(connection: ServedConnection): void {
    this.#sockets.delete(connection);
    connection.closed();
    if (this.#sockets.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Whether so many are open: one that was destroyed closes later. */
  #hasOpen(count: number): boolean {
    if (this.#sockets.size < count) return false;
    return [...this.#sockets.values()].filter(({ destroyed }) => !destroyed).length >= count;
  }

  /** @returns whether there was one without a call */
  #closeIdlest(): boolean {
    let [idlest, sinceMs]: [Socket | null, number] = [null, Number.POSITIVE_INFINITY];
    for (const [connection, socket] of this.#sockets) {
      const { idleSinceMs } = connection;
      if (idleSinceMs === null || idleSinceMs >= sinceMs || socket.destroyed) continue;
      [idlest, sinceMs] = [socket, idleSinceMs];
    }
    idlest?.destroy();
    return idlest !== null;
  }

  /** Closes those that are idle for too long. */
  #startSweeping(): NodeJS.Timeout {
    const { idleMs } = this.#shared.limits;
    const sweep = () => {
      const nowMs = performance.now();
      for (const connection of this.#sockets.keys()) {
        const { idleSinceMs } = connection;
        if (idleSinceMs !== null && nowMs - idleSinceMs >= idleMs) connection.retire();
      }
    };
    return setInterval(sweep, idleMs / 10).unref();
  }
}
