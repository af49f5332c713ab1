import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The most requests of a connection that wait for the answers before them. */
const maxWaiting = 64;

/**
 * Handles the requests of each HTTP/1.1 connection one after another (RFC 9112, 9.3.2). A client that sends many without
 * reading would otherwise have all of their answers made, and kept. One with too many that wait loses its connection.
 */
export class Pipelines {
  /** The requests that wait, of connections with one that is handled. */
  readonly #waiting = new WeakMap<Socket, (() => void)[]>();

  /** Calls `handle` when the answers before have been sent; never if the connection has closed by then. */
  inTurn({ socket }: IncomingMessage, response: ServerResponse, handle: () => void): void {
    const begin = () => {
      response.once('close', () => this.#next(socket));
      handle();
    };
    const waiting = this.#waiting.get(socket);
    if (waiting === undefined) {
      this.#waiting.set(socket, []);
      begin();
    } else if (waiting.length < maxWaiting) waiting.push(begin);
    else socket.destroy();
  }

  #next(socket: Socket): void {
    const begin = socket.destroyed ? undefined : this.#waiting.get(socket)?.shift();
    if (begin === undefined) this.#waiting.delete(socket);
    else begin();
  }
}
