import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A connection is cut when it has carried this many bytes, in either direction. */
export interface Cut {
  readonly up?: number;
  readonly down?: number;
}

/** A Unix socket in front of another, whose connections can be cut. */
export class CuttingProxy {
  readonly socket: string;
  /** Returns where the next connection is cut; null: nowhere. */
  nextCut: () => Cut | null = () => null;
  readonly #directory = mkdtempSync(join(tmpdir(), 'vtr-proxy-'));
  readonly #server = createServer((client) => this.#serve(client));
  readonly #sockets = new Set<Socket>();
  readonly #target: string;

  private constructor(target: string) {
    this.#target = target;
    this.socket = join(this.#directory, 'proxy.sock');
  }

  static async open(target: string): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(proxy.socket, resolve));
    return proxy;
  }

  /** Cuts all connections now. */
  cutAll(): void {
    for (const each of this.#sockets) each.destroy();
  }

  async close(): Promise<void> {
    this.cutAll();
    await new Promise((resolve) => this.#server.close(resolve));
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #serve(client: Socket): void {
    const { up = Number.POSITIVE_INFINITY, down = Number.POSITIVE_INFINITY } = this.nextCut() ?? {};
    const server = connect(this.#target);
    const sockets = [client, server];
    for (const each of sockets) {
      this.#sockets.add(each);
      each.on('error', () => {});
      each.once('close', () => {
        this.#sockets.delete(each);
        for (const other of sockets) other.destroySoon();
      });
    }
    pass(client, server, up);
    pass(server, client, down);
  }
}

/** Passes on `limit` bytes, then cuts the connection. */
function pass(from: Socket, to: Socket, limit: number): void {
  let left = limit;
  from.on('data', (bytes) => {
    const part = bytes.subarray(0, left);
    left -= part.length;
    if (left > 0) {
      to.write(part);
      return;
    }
    to.write(part, () => to.destroy());
    from.destroy();
  });
}
