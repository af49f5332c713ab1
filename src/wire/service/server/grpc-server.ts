import { setMaxListeners } from 'node:events';
import { createServer as createHttp1Server } from 'node:http';
import {
  createServer as createHttp2Server,
  Http2ServerRequest,
  type ServerHttp2Session,
} from 'node:http2';
import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { defined, ignored, TransferCodings } from '#base';
import { type MetricFamily, MetricsPage } from '#metrics';
import {
  type Coordinator,
  defaultLimits,
  type JsonCalls,
  type RunCommand,
  type TmuxCalls,
  VtrError,
  type WebControls,
} from '#model';
import type { DaemonControls } from '../convert/daemon.ts';
import { toStatus } from '../errors.ts';
import { CommandConnection } from './command-connection.ts';
import { closeHalfSent, detectProtocol, RequestHeads } from './connections.ts';
import { FramedConnection, type FramedConnectionOptions } from './framed-connection.ts';
import { vtrHandlers } from './handlers/handlers.ts';
import { HttpCalls, type HttpRequest, type HttpResponse } from './http-calls.ts';
import { ServedJsonConnection } from './json-connection.ts';
import { restarting } from './limits/accepted.ts';
import { OpenConnections } from './limits/open-connections.ts';
import { Pipelines } from './limits/pipelines.ts';
import type { ServiceLimits } from './limits/request-budget.ts';
import { type ServedConnection, SharedLimits } from './limits/served-connection.ts';
import { CallMetrics, measured } from './metrics/call-metrics.ts';
import { routes } from './routes.ts';

export interface GrpcServerOptions {
  /** Answers DescribeDaemon and StopDaemon; they are UNIMPLEMENTED when absent. */
  readonly daemon?: DaemonControls;
  /** Answers the calls about the web page; they are UNIMPLEMENTED when absent. */
  readonly web?: WebControls;
  /** Answers the calls of `vtr tmux`; they are UNIMPLEMENTED when absent. */
  readonly tmux?: TmuxCalls;
  /** Runs the commands of `contrib/quick`; refused when absent. */
  readonly commands?: {
    readonly run: RunCommand;
    /** Whether a connection is of a process that may have its commands run. */
    readonly mayRun: (socket: unknown) => boolean;
  };
  /** Collects what GET /metrics answers besides the calls and the connections. */
  readonly metrics?: () => Promise<readonly MetricFamily[]>;
  /** Screens that wait for a slow subscriber, at least 1; 10 when absent. */
  readonly maxSnapshots?: number;
  /** Called with defects that cannot be reported to a client. */
  readonly onFault?: (error: unknown) => void;
  /** What clients may take; those of `defaultLimits` when absent. */
  readonly limits?: Partial<ServiceLimits>;
  /** Returns the process that has opened a connection; null if that is not known, as by default. */
  readonly peerPid?: (socket: unknown) => number | null;
  /** The version of this package. Unknown fields of newer clients are ignored. */
  readonly version?: string;
}

export interface CloseOptions {
  /** Default: 0. */
  readonly graceMs?: number;
  /** Another coordinator takes over the sessions: failed calls have `details.restarting`. */
  readonly restarting?: boolean;
}

/**
 * Pending calls of one connection: enough for a thousand waits and the input that they wait for. Each
 * takes about 30 KB.
 */
const maxStreams = 1024;

/** Commands that run at a time for callers; a caller beyond that starts Node.js. */
const maxCommands = 256;

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
  readonly #heads: RequestHeads;
  readonly #http2 = createHttp2Server({
    maxSessionMemory,
    settings: { maxConcurrentStreams: maxStreams },
  });
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #limits: ServiceLimits;
  readonly #connections: OpenConnections;
  readonly #peerPid: NonNullable<GrpcServerOptions['peerPid']>;
  /** By the socket of HTTP/1.1, and the session of HTTP/2. */
  readonly #served = new WeakMap<object, ServedConnection>();
  readonly #framed: FramedConnectionOptions;
  readonly #framedConnections = new Set<FramedConnection>();
  readonly #commands: NonNullable<GrpcServerOptions['commands']> | null;
  readonly #commandConnections = new Set<CommandConnection>();
  readonly #onFault: (error: unknown) => void;
  /** Aborted when the server begins to stop: health becomes NOT_SERVING, new connections are refused. */
  readonly #closing = new AbortController();
  /** Aborted when pending calls must end. */
  readonly #shutdown = new AbortController();
  #closed: Promise<void> | null = null;

  /** Serves the connections of `listener`. The caller closes `listener`. */
  constructor(coordinator: Coordinator, listener: Listener, options: GrpcServerOptions = {}) {
    const { daemon = null, web = null, tmux = null, onFault = () => {}, version = '' } = options;
    const { maxSnapshots = defaultLimits.snapshots, metrics = async () => [] } = options;
    const closing = this.#closing.signal;
    const callMetrics = new CallMetrics();
    const handlers = measured(
      vtrHandlers(coordinator, { daemon, web, tmux, maxSnapshots, closing }),
      callMetrics,
    );
    const shared = new SharedLimits(options.limits);
    this.#connections = new OpenConnections(shared);
    this.#limits = shared.limits;
    this.#peerPid = options.peerPid ?? (() => null);
    this.jsonCalls = {
      connect: (client) => new ServedJsonConnection(handlers, shared.connection(client), version),
    };
    this.#framed = { handlers, onFault };
    this.#commands = options.commands ?? null;
    this.#onFault = onFault;
    const calls = new HttpCalls({
      routes: routes(handlers, closing),
      shutdownSignal: this.#shutdown.signal,
      connectionOf: (request) => this.#connectionOf(request),
      metrics: new MetricsPage(async () => [
        ...(await metrics()),
        ...callMetrics.families(),
        ...this.#connections.families(),
      ]),
      version,
      onFault,
    });
    const onRequest = (request: HttpRequest, response: HttpResponse) =>
      calls.handle(request, response);
    const codings = new TransferCodings();
    const pipelines = new Pipelines();
    this.#http1.on('request', (request, response) => {
      if (!codings.admit(request, response)) return;
      pipelines.inTurn(request, response, () => onRequest(request, response));
    });
    this.#http2.on('request', onRequest);
    this.#heads = new RequestHeads(this.#http1, shared.limits.headMs);
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
    const connection = this.#connections.admit(socket);
    if (connection === null) return;
    const pid = this.#peerPid(socket);
    // Clients may say more; see `clientHeader`.
    const clientOf = (kind: string) => ({ kind, ...defined({ pid }) });
    detectProtocol(socket, this.#limits.headMs, (protocol) => {
      connection.client = clientOf(protocol === 'frames' ? 'library' : 'grpc');
      if (protocol === 'frames') this.#serveFrames(socket, connection);
      else if (protocol === 'http2') this.#serveHttp2(socket, connection);
      else if (protocol === 'command') this.#serveCommand(socket, connection);
      else {
        this.#served.set(socket, connection);
        this.#http1.emit('connection', socket);
      }
    });
  }

  #connectionOf(request: HttpRequest): ServedConnection | null {
    const place = request instanceof Http2ServerRequest ? request.stream?.session : request.socket;
    return (place && this.#served.get(place)) ?? null;
  }

  #serveFrames(socket: Socket, connection: ServedConnection): void {
    const framed = new FramedConnection(socket, connection, this.#framed);
    connection.retire = () => framed.retire();
    this.#framedConnections.add(framed);
    socket.once('close', () => this.#framedConnections.delete(framed));
    if (this.#closing.signal.aborted) framed.leave();
  }

  /** The calls of a command are those of its caller, as if they came by HTTP. */
  #serveCommand(socket: Socket, connection: ServedConnection): void {
    const { run, mayRun } = this.#commands ?? { run: async () => null, mayRun: () => false };
    const { pid } = connection.client ?? {};
    const isFull = this.#commandConnections.size >= maxCommands;
    const command = new CommandConnection(socket, connection, {
      run: pid === undefined || isFull || !mayRun(socket) ? async () => null : run,
      service: this.jsonCalls.connect({ kind: 'cli', ...defined({ pid }) }),
      onFault: this.#onFault,
    });
    this.#commandConnections.add(command);
    socket.once('close', () => this.#commandConnections.delete(command));
  }

  #serveHttp2(socket: Socket, connection: ServedConnection): void {
    const onSession = (session: ServerHttp2Session) => {
      this.#served.set(session, connection);
      connection.retire = () => session.close();
      closeHalfSent(session, socket, this.#limits.headMs);
      this.#sessions.add(session);
      session.once('close', () => this.#sessions.delete(session));
      if (this.#closing.signal.aborted) session.close();
    };
    // It is emitted during the call.
    this.#http2.once('session', onSession).emit('connection', socket);
    this.#http2.off('session', onSession);
  }

  async #close({ graceMs = 0, restarting: isRestart = false }: CloseOptions): Promise<void> {
    this.#closing.abort(isRestart ? restarting : undefined);
    for (const session of this.#sessions) session.close();
    for (const connection of this.#framedConnections) connection.leave();
    // A caller whose command was given up runs it with Node.js, which waits for the next daemon.
    if (isRestart) for (const command of this.#commandConnections) command.giveUp();
    this.#heads.closeIdle();
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
    for (const socket of this.#connections.sockets) socket.destroy();
  }

  /** Resolves to whether all connections have closed within `waitMs`. */
  async #areAllGone(waitMs: number): Promise<boolean> {
    const timer = new AbortController();
    const gone = [...this.#connections.sockets].map(
      (socket) => new Promise<void>((resolve) => socket.once('close', () => resolve())),
    );
    const late = ignored(
      setTimeout(waitMs, 'late', { signal: timer.signal }),
      'it is aborted when all are gone',
    );
    const first = await Promise.race([Promise.all(gone), late]);
    timer.abort();
    return first !== 'late';
  }
}

/** Time to send the last answers, in ms. */
const farewellMs = 250;
