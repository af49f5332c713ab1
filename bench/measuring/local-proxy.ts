import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** Passes on what one connection sends; called once for each pair of connections. */
export type Join = (client: Socket, upstream: Socket) => void;

/** A proxy on the loopback interface. Both connections of a pair end together. */
export class LocalProxy {
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();

  private constructor(server: Server) {
    this.#server = server;
  }

  /** @param target a port of the loopback interface */
  static async open(target: number, join: Join): Promise<LocalProxy> {
    const server = createServer();
    const proxy = new LocalProxy(server);
    server.on('connection', (client) => proxy.#connect(client, target, join));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The connections that are open. */
  get sockets(): readonly Socket[] {
    return [...this.#pairs].flat();
  }

  /** Ends all connections. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  close(): void {
    this.cut();
    this.#server.close();
  }

  #connect(client: Socket, target: number, join: Join): void {
    const upstream = connect(target, '127.0.0.1');
    const pair = [client, upstream] as const;
    this.#pairs.add(pair);
    for (const socket of pair) {
      socket.setNoDelay(true);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        this.#pairs.delete(pair);
        for (const each of pair) each.destroy();
      });
    }
    join(client, upstream);
  }
}
