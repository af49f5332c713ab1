import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** Bytes that are sent at once. */
const sliceBytes = 512;
/** What waits in the line itself, in bytes: little, as in the modem of a slow line. */
const queueBytes = 4 * 1024;

/** A proxy on the loopback interface that sends to its clients at a fixed rate. */
export class SlowLine {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
  }

  /** @param bytesPerSecond from the target to the clients */
  static async open(target: number, bytesPerSecond: number): Promise<SlowLine> {
    const server = createServer();
    const line = new SlowLine(server);
    server.on('connection', (client) => line.#join(client, target, bytesPerSecond));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return line;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #join(client: Socket, target: number, bytesPerSecond: number): void {
    const upstream = connect(target, '127.0.0.1');
    let waiting: Buffer[] = [];
    let bytes = 0;
    let isSending = false;
    for (const socket of [client, upstream]) {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        client.destroy();
        upstream.destroy();
      });
    }
    const send = () => {
      isSending = bytes > 0;
      const [first] = waiting;
      if (first === undefined) return;
      const slice = first.subarray(0, sliceBytes);
      if (slice.length === first.length) waiting = waiting.slice(1);
      else waiting[0] = first.subarray(sliceBytes);
      bytes -= slice.length;
      if (bytes < queueBytes) upstream.resume();
      setTimeout(
        () => {
          client.write(slice);
          send();
        },
        (slice.length / bytesPerSecond) * 1_000,
      );
    };
    upstream.on('data', (chunk) => {
      waiting.push(chunk);
      bytes += chunk.length;
      if (bytes >= queueBytes) upstream.pause();
      if (!isSending) send();
    });
    client.pipe(upstream);
  }
}
