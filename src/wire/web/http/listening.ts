import { createServer as createHttpServer, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Server as Listener, type Socket } from 'node:net';
import { VtrError } from '#model';

const defaultPort = 7681;
/** How many ports are tried from that one on. */
const triedPorts = 100;
const maxHeaderBytes = 16 * 1024;
/** What one client can take, unless a test says otherwise. */
export const usualLimits: ListeningLimits = { requestMs: 10_000, connections: 512 };

export interface ListeningLimits {
  /** A request must be complete within this time, in ms. */
  readonly requestMs: number;
  /** For another one, the oldest without a login is closed; see `Connections`. */
  readonly connections: number;
}

export interface ListeningOptions {
  readonly host: string;
  /** Default: 7681 or the next free one; 0 any free one. */
  readonly port: number | undefined;
  /** PEM. */
  readonly tls: { readonly cert: string | Buffer; readonly key: string | Buffer } | undefined;
  /** Default: 10 s and 512 connections. */
  readonly limits: ListeningLimits | undefined;
}

/** The loopback addresses; browsers may take either one for `localhost`. */
const [loopback4, loopback6] = ['127.0.0.1', '::1'];

/**
 * Opens a server of HTTP/1.1 that bounds what a client can take. At 127.0.0.1, it also listens at ::1,
 * unless the machine has no such address or the port is in use there.
 *
 * @throws VtrError INVALID_ARGUMENT for a certificate or key that is not one; UNAVAILABLE if it cannot
 * listen there
 */
export async function openServer({ host, port, tls, limits }: ListeningOptions): Promise<{
  readonly server: Server;
  readonly port: number;
}> {
  const { requestMs } = limits ?? usualLimits;
  const server = serverOf(tls, requestMs);
  const first = port ?? defaultPort;
  const last = port === undefined ? first + triedPorts : first;
  for (let tried = first; ; tried++) {
    try {
      const ownPort = await listen(server, host, tried);
      if (host === loopback4) await listenAlso(server, ownPort);
      return { server, port: ownPort };
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const isUsed = code === 'EADDRINUSE';
      if (isUsed && tried < last) continue;
      const why = isUsed ? 'the port is in use; choose another with --port' : message;
      throw new VtrError('UNAVAILABLE', `cannot listen at ${host} port ${tried}: ${why}`, {
        cause: error,
      });
    }
  }
}

function serverOf(tls: ListeningOptions['tls'], requestMs: number): Server {
  const limits = {
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: requestMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: requestMs / 10,
    keepAliveTimeout: requestMs,
    // It is checked with its answer.
    requireHostHeader: false,
  };
  if (tls === undefined) return createHttpServer(limits);
  try {
    return createHttpsServer({ ...limits, ...tls, minVersion: 'TLSv1.2' });
  } catch (error) {
    const message = `the TLS certificate or key cannot be used: ${(error as Error).message}`;
    throw new VtrError('INVALID_ARGUMENT', message, { cause: error });
  }
}

/** Gives the server the connections to a port of ::1, too, until it closes. */
async function listenAlso(server: Server, port: number): Promise<void> {
  const also = createServer({ allowHalfOpen: true }, (socket) => {
    server.emit('connection', socket);
  });
  try {
    await listen(also, loopback6, port);
    server.once('close', () => also.close());
  } catch {
    // A browser that requests localhost at that address reaches another server, or falls back to 127.0.0.1.
  }
}

function listen(server: Listener, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

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
