import { LocalProxy } from './local-proxy.ts';

/** A line whose connections can be lost. */
export class CutLine {
  readonly #proxy: LocalProxy;

  private constructor(proxy: LocalProxy) {
    this.#proxy = proxy;
  }

  static async open(target: number): Promise<CutLine> {
    const proxy = await LocalProxy.open(target, (client, upstream) => {
      client.pipe(upstream).pipe(client);
    });
    return new CutLine(proxy);
  }

  get port(): number {
    return this.#proxy.port;
  }

  /** Closes all connections. */
  cut(): void {
    this.#proxy.cut();
  }

  /** Nothing passes on today's connections any more, and neither side is told: as after a sleep. */
  hang(): void {
    for (const socket of this.#proxy.sockets) {
      socket.unpipe();
      socket.resume();
    }
  }

  close(): void {
    this.#proxy.close();
  }
}
