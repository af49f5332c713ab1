import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A proxy on the loopback interface whose connections can be lost. */
export class CutLine {
  readonly #server: Server;
  #pairs: (readonly [Socket, Socket])[] = [];

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(target: number): Promise<CutLine> {
    const server = createServer();
    const line = new CutLine(server);
    server.on('connection', (client) => line.#join(client, target));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return line;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Closes all connections. */
  cut(): void {
    for (const sockets of this.#pairs) for (const socket of sockets) socket.destroy();
    this.#pairs = [];
  }

  /** Nothing passes on today's connections any more, and neither side is told: as after a sleep. */
  hang(): void {
    for (const sockets of this.#pairs) {
      for (const socket of sockets) {
        socket.unpipe();
        socket.resume();
      }
    }
  }

  close(): void {
    this.cut();
    this.#server.close();
  }

  #join(client: Socket, target: number): void {
    const upstream = connect(target, '127.0.0.1');
    this.#pairs.push([client, upstream]);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.setNoDelay(true);
      from.on('error', () => from.destroy());
      from.on('close', () => to.destroy());
      from.pipe(to);
    }
  }
}
