import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** A connection is cut when it has carried this many bytes, in either direction. */
export interface Cut {
  readonly up?: number;
  readonly down?: number;
  /** Whether bytes that it was sent are thrown away: the sender gets ECONNRESET. Default: false. */
  readonly isReset?: boolean;
  /** The first {@link maxPieces} pieces have this many bytes; default: as they arrive. */
  readonly pieceBytes?: number;
  /** For so many turns of the event loop nothing more is read: the buffers of the sender become full. */
  readonly pauseTurns?: number;
}

const maxPieces = 50;

/** A socket in front of another, whose connections can be cut: a path, or a port of 127.0.0.1. */
export class CuttingProxy {
  /** Its path; empty in front of a port. */
  readonly socket: string;
  /** Returns where the next connection is cut; null: nowhere. */
  nextCut: () => Cut | null = () => null;
  readonly #directory = mkdtempSync(join(tmpdir(), 'vtr-proxy-'));
  readonly #server = createServer((client) => this.#serve(client));
  readonly #sockets = new Set<Socket>();
  readonly #target: string | number;

  private constructor(target: string | number) {
    this.#target = target;
    this.socket = typeof target === 'number' ? '' : join(this.#directory, 'proxy.sock');
  }

  static async open(target: string | number): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(target);
    const place = proxy.socket === '' ? { host: '127.0.0.1', port: 0 } : { path: proxy.socket };
    await new Promise<void>((resolve) => proxy.#server.listen(place, resolve));
    return proxy;
  }

  /** Its port, in front of one. */
  get port(): number {
    return (this.#server.address() as AddressInfo).port;
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
    const { up = Infinity, down = Infinity, ...how } = this.nextCut() ?? {};
    const target = this.#target;
    const server = connect(typeof target === 'number' ? { port: target } : { path: target });
    const sockets = [client, server];
    for (const each of sockets) {
      this.#sockets.add(each);
      each.on('error', () => {});
      each.once('close', () => {
        this.#sockets.delete(each);
        for (const other of sockets) other.destroySoon();
      });
    }
    pass(client, server, up, how);
    pass(server, client, down, how);
  }
}

/** Passes on `limit` bytes, then cuts the connection. */
function pass(from: Socket, to: Socket, limit: number, how: Omit<Cut, 'up' | 'down'>): void {
  const { isReset = false, pieceBytes = Infinity, pauseTurns = 0 } = how;
  let left = limit;
  let pieces = 0;
  const cut = async () => {
    // What arrives meanwhile is thrown away.
    if (isReset) await turns(Math.max(1, pauseTurns));
    if (isReset && from.remoteAddress !== undefined) from.resetAndDestroy();
    else from.destroy();
    to.destroy();
  };
  const passPiece = async (piece: Buffer) => {
    const part = piece.subarray(0, left);
    left -= part.length;
    const written = new Promise((resolve) => to.write(part, resolve));
    if (left > 0) return;
    if (!isReset) await written;
    await cut();
  };
  from.on('data', async (bytes: Buffer) => {
    from.pause();
    await turns(pauseTurns);
    for (let at = 0; at < bytes.length && left > 0; ) {
      const length = pieces++ < maxPieces ? Math.min(pieceBytes, bytes.length) : bytes.length;
      await passPiece(bytes.subarray(at, at + length));
      at += length;
      if (length < bytes.length) await turns(1);
    }
    if (left > 0) from.resume();
  });
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await nextTurn();
}
