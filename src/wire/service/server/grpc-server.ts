import { setMaxListeners } from 'node:events';
import { createServer as createHttp1Server } from 'node:http';
import { createServer as createHttp2Server, type ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import {
  type Coordinator,
  type JsonCalls,
  maxRequestBytes,
  VtrError,
  type WebControls,
} from '#model';
import type { DaemonControls } from '../convert/daemon.ts';
import { toStatus } from '../errors.ts';
import { callOrderByConnection } from './accepted.ts';
import { closeBroken, detectProtocol } from './connections.ts';
import { checkBody } from './exact-body.ts';
import { FramedConnection, type FramedConnectionOptions } from './framed-connection.ts';
import { vtrHandlers } from './handlers.ts';
import { ServedJsonConnection } from './json-connection.ts';
import { routes } from './routes.ts';
import { restarting } from './until-closing.ts';

export interface GrpcServerOptions {
  /** Answers DescribeDaemon and StopDaemon; they are UNIMPLEMENTED when absent. */
  readonly daemon?: DaemonControls;
  /** Answers the calls about the web page; they are UNIMPLEMENTED when absent. */
  readonly web?: WebControls;
  /** Screens that wait for a slow subscriber, at least 1; 10 when absent. */
  readonly maxSnapshots?: number;
  /** Called with defects that cannot be reported to a client. */
  readonly onFault?: (error: unknown) => void;
  /** Of this package. Unknown fields of newer clients are ignored. */
  readonly version?: string;
  /** A connection without calls is checked once it has been silent this long, in ms; 30 s when absent. */
  readonly quietMs?: number;
}

export interface CloseOptions {
  /** Default: 0. */
  readonly graceMs?: number;
  /** Another coordinator takes over the sessions: failed calls have `details.restarting`. */
  readonly restarting?: boolean;
}

const defaultMaxSnapshots = 10;
const defaultQuietMs = 30_000;

/**
 * Pending calls of one connection: enough for a thousand waits and the input that they wait for. Each
 * takes about 30 KB.
 */
const maxStreams = 1024;

/** Memory for the streams of a connection, their headers and their unsent bytes, in MB. */
const maxSessionMemory = 64;

/**
 * A `Server` of node:net. Declared without Node's types, because the package's types include this one
 * and its users need not have Node's.
 */
export interface Listener {
  on(event: 'connection', handler: (socket: unknown) => void): unknown;
}

/**
 * Serves a coordinator to gRPC, gRPC-Web and Connect clients, over HTTP/2 and HTTP/1.1 alike, and to vtr's
 * own, over frames.
 */
export class GrpcServer {
  /** The same service without a socket. */
  readonly jsonCalls: JsonCalls;
  readonly #http1 = createHttp1Server();
  readonly #http2 = createHttp2Server({
    maxSessionMemory,
    settings: { maxConcurrentStreams: maxStreams },
  });
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #sockets = new Set<Socket>();
  readonly #framed: FramedConnectionOptions;
  readonly #framedConnections = new Set<FramedConnection>();
  /** Aborted when the server begins to stop: health becomes NOT_SERVING, new connections are refused. */
  readonly #closing = new AbortController();
  /** Aborted when pending calls must end. */
  readonly #shutdown = new AbortController();
  #closed: Promise<void> | null = null;

  /** Serves the connections of `listener`. The caller closes `listener`. */
  constructor(coordinator: Coordinator, listener: Listener, options: GrpcServerOptions = {}) {
    const { daemon = null, web = null, onFault = () => {}, version = '' } = options;
    const { maxSnapshots = defaultMaxSnapshots } = options;
    const closing = this.#closing.signal;
    const handlers = vtrHandlers(coordinator, { daemon, web, maxSnapshots, closing });
    this.jsonCalls = { connect: () => new ServedJsonConnection(handlers, version) };
    this.#framed = { handlers, onFault };
    const handle = connectNodeAdapter({
      routes: routes(handlers, closing),
      readMaxBytes: maxRequestBytes,
      // Every client is on this machine: compression costs more than it saves.
      compressMinBytes: Number.MAX_SAFE_INTEGER,
      shutdownSignal: this.#shutdown.signal,
      contextValues: callOrderByConnection(),
    });
    const onRequest = (...[request, response]: Parameters<typeof handle>) => {
      // A Unix socket has no host, so clients send any name or none. The adapter builds a URL with it
      // and throws when that fails.
      request.headers[request.httpVersionMajor === 2 ? ':authority' : 'host'] = 'localhost';
      checkBody(request, version);
      try {
        handle(request, response);
      } catch (error) {
        onFault(error);
        response.destroy();
      }
    };
    this.#http1.on('request', onRequest);
    this.#http2.on('request', onRequest);
    const { quietMs = defaultQuietMs } = options;
    this.#http2.on('session', (session) => {
      this.#onSession(session);
      closeBroken(session, quietMs);
    });
    // A peer that violates the protocol loses its connection. Nothing else needs to be done.
    this.#http2.on('sessionError', () => {});
    // Every pending call listens to them.
    setMaxListeners(0, this.#closing.signal, this.#shutdown.signal);
    listener.on('connection', (socket) => this.#onConnection(socket as Socket));
  }

  /**
   * Refuses new connections, answers pending calls, then closes all connections. Calls that take longer
   * than `graceMs` fail with UNAVAILABLE.
   */
  close(options: CloseOptions = {}): Promise<void> {
    this.#closed ??= this.#close(options);
    return this.#closed;
  }

  #onConnection(socket: Socket): void {
    if (this.#closing.signal.aborted) {
      socket.destroy();
      return;
    }
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    detectProtocol(socket, (protocol) => {
      if (protocol === 'frames') this.#serveFrames(socket);
      else if (protocol === 'http2') this.#http2.emit('connection', socket);
      else this.#http1.emit('connection', socket);
    });
  }

  #serveFrames(socket: Socket): void {
    const connection = new FramedConnection(socket, this.#framed);
    this.#framedConnections.add(connection);
    socket.once('close', () => this.#framedConnections.delete(connection));
    if (this.#closing.signal.aborted) connection.leave();
  }

  #onSession(session: ServerHttp2Session): void {
    this.#sessions.add(session);
    session.once('close', () => this.#sessions.delete(session));
    if (this.#closing.signal.aborted) session.close();
  }

  async #close({ graceMs = 0, restarting: isRestart = false }: CloseOptions): Promise<void> {
    this.#closing.abort(isRestart ? restarting : undefined);
    for (const session of this.#sessions) session.close();
    for (const connection of this.#framedConnections) connection.leave();
    this.#http1.closeIdleConnections();
    if (await this.#areAllGone(graceMs)) return;
    const message = `the coordinator is ${isRestart ? 'being restarted' : 'shutting down'}`;
    const error = new VtrError(
      'UNAVAILABLE',
      message,
      isRestart ? { details: { restarting: true } } : {},
    );
    this.#shutdown.abort(toStatus(error));
    for (const connection of this.#framedConnections) connection.abort(toStatus(error));
    if (await this.#areAllGone(farewellMs)) return;
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Resolves to whether all connections have closed within `waitMs`. */
  async #areAllGone(waitMs: number): Promise<boolean> {
    const timer = new AbortController();
    const gone = [...this.#sockets].map(
      (socket) => new Promise<void>((resolve) => socket.once('close', () => resolve())),
    );
    const late = setTimeout(waitMs, 'late', { signal: timer.signal }).catch(() => {});
    const first = await Promise.race([Promise.all(gone), late]);
    timer.abort();
    return first !== 'late';
  }
}

/** Time to send the last answers, in ms. */
const farewellMs = 250;
