import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import type { Clock } from '#base';
import { type JsonCalls, VtrError } from '#model';
import type { Share, WebAccess } from './access/web-access.ts';
import { alisProtocol, alisRequest } from './alis/alis-request.ts';
import { AlisStream } from './alis/alis-stream.ts';
import { notLoggedIn, type Refusal, securityHeaders, sendRefusal } from './http/answers.ts';
import { refusalOf } from './http/gate.ts';
import { Origins } from './http/origins.ts';
import { PageFiles } from './http/page-files.ts';
import { offeredProtocols, pathOf, RequestHandler } from './http/request-handler.ts';
import { visitorOf } from './http/visitors.ts';
import { PageConnection } from './socket/page-connection.ts';
import type { PageSocket } from './socket/page-socket.ts';
import { Scope } from './socket/scope.ts';

const defaultPort = 7681;
/** How many ports are tried from that one on. */
const triedPorts = 100;
/** A request must be complete within this time, in ms. */
const requestMs = 10_000;
const maxHeaderBytes = 16 * 1024;
const maxConnections = 512;
const maxWebSockets = 128;
/** The largest message of a page, in bytes. */
const maxMessageBytes = 4 * 1024 * 1024;
/** A page that does not answer pings for this long is gone, in ms. */
const pingMs = 20_000;
/** Time for pages to take the end, in ms. */
const farewellMs = 250;

/** RFC 6455, 7.4.1, and of the range for applications. */
const closeCodes = { restarting: 1012, going: 1001, revoked: 4001, full: 1013 };

export interface WebServerOptions {
  readonly calls: JsonCalls;
  readonly access: WebAccess;
  /** With `index.html` and its files. */
  readonly pageDirectory: string;
  /** The name of the coordinator, for people. */
  readonly coordinator: string;
  readonly clock: Clock;
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** Default: 7681 or the next free one; 0 any free one. */
  readonly port?: number;
  /** PEM. */
  readonly tls?: { readonly cert: string | Buffer; readonly key: string | Buffer };
  /** The origin at which a proxy serves the page. */
  readonly behindProxy?: string;
  /** Called with defects that cannot be reported to a client. */
  readonly onFault?: (error: unknown) => void;
}

interface Parts {
  readonly options: WebServerOptions;
  readonly server: Server;
  readonly origins: Origins;
  readonly files: PageFiles;
  readonly port: number;
}

/** Serves the page, its calls and its streams. */
export class WebServer {
  readonly port: number;
  readonly #options: WebServerOptions;
  readonly #server: Server;
  readonly #origins: Origins;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #sockets = new Set<Socket>();
  readonly #pages = new Map<WebSocket, Asked>();
  readonly #upgrades = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: maxMessageBytes,
    // Which of them fits the address was checked before.
    handleProtocols: (offered) =>
      [pageProtocol, alisProtocol].find((each) => offered.has(each)) ?? false,
  });

  private constructor({ options, server, origins, files, port }: Parts) {
    this.port = port;
    this.#options = options;
    this.#server = server;
    this.#origins = origins;
    this.#headers = securityHeaders(origins);
    const { onFault = () => {} } = options;
    const { access, calls, coordinator } = options;
    const headers = this.#headers;
    const handler = new RequestHandler({
      access,
      calls,
      coordinator,
      files,
      origins,
      port,
      headers,
    });
    server.on('request', (request, response) => {
      handler.handle(request, response).catch((error) => {
        // Mostly a client that has gone.
        if (!response.destroyed && !response.headersSent) onFault(error);
        response.destroy();
      });
    });
    server.on('upgrade', (request, socket, head) => {
      this.#upgrade(request, socket, head).catch((error) => {
        onFault(error);
        socket.destroy();
      });
    });
    server.on('clientError', (_error, socket) => refuseBroken(socket, headers));
  }

  /** @throws VtrError UNAVAILABLE if it cannot listen there */
  static async open(options: WebServerOptions): Promise<WebServer> {
    const { host = '127.0.0.1', tls, behindProxy = null } = options;
    const limits = {
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: requestMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: 1000,
      keepAliveTimeout: requestMs,
      requireHostHeader: false,
    };
    const server = tls === undefined ? createHttpServer(limits) : secureServer(limits, tls);
    server.maxConnections = maxConnections;
    const port = await listen(server, host, options.port);
    const origins = new Origins({ host, port, hasTls: tls !== undefined, behindProxy });
    const files = await PageFiles.read(options.pageDirectory);
    const opened = new WebServer({ options, server, origins, files, port });
    server.on('connection', (socket: Socket) => opened.#follow(socket));
    return opened;
  }

  get origin(): string {
    return this.#origins.main;
  }

  /** Returns an address of the page for one login. */
  newLink(): string {
    return this.linkOf(this.#options.access.newLink());
  }

  /** A fragment is not sent to servers, and is not in their logs. */
  linkOf(token: string): string {
    return `${this.origin}/#t=${token}`;
  }

  /** Returns the address of a session's live stream for players. */
  streamOf({ session }: Share, secret: string): string {
    return `${this.origin.replace(/^http/, 'ws')}/alis/${session}?t=${secret}`;
  }

  /** The number of open connections. @param shareId only those with this share */
  viewers(shareId?: string): number {
    const visitors = [...this.#pages.values()];
    return visitors.filter(({ share }) => shareId === undefined || share?.id === shareId).length;
  }

  /** Closes the connections of a share that was ended. */
  endShare(shareId: string): void {
    for (const [page, { share }] of this.#pages) {
      if (share?.id === shareId) page.close(closeCodes.revoked, 'the share has ended');
    }
  }

  /** @param isRestart whether another server continues: pages connect again */
  async close(isRestart = false): Promise<void> {
    const code = isRestart ? closeCodes.restarting : closeCodes.going;
    for (const page of this.#pages.keys()) page.close(code);
    this.#server.closeIdleConnections();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    const late = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy();
    }, farewellMs);
    await closed;
    clearTimeout(late);
  }

  #follow(socket: Socket): void {
    socket.setNoDelay(true);
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy());
    const asked = await this.#asked(request);
    if ('status' in asked) {
      refuseUpgrade(request, socket as Socket, asked, this.#headers);
      return;
    }
    // It may have left meanwhile.
    if (socket.destroyed) return;
    const serve = (page: WebSocket) => this.#serve(page, socket, asked);
    this.#upgrades.handleUpgrade(request, socket, head, serve);
  }

  /** Returns what a client wants to connect to, or why it may not. */
  async #asked(request: IncomingMessage): Promise<Asked | Refusal> {
    if (this.#pages.size >= maxWebSockets) {
      return { status: 503, message: `${maxWebSockets} pages are connected; close some` };
    }
    const path = pathOf(request);
    if (path?.startsWith('/alis/')) {
      const { access, calls } = this.#options;
      return alisRequest(request, { access, calls, origins: this.#origins, port: this.port });
    }
    const refusal = refusalOf(
      { headers: request.headers, acts: true, isEntry: false },
      this.#origins,
    );
    if (refusal !== null) return refusal;
    if (path !== '/ws') return { status: 404, message: 'there is nothing at this address' };
    if (!offeredProtocols(request).includes(pageProtocol)) {
      return { status: 400, message: `use the subprotocol ${pageProtocol}` };
    }
    const visitor = visitorOf(request, { access: this.#options.access, port: this.port });
    return visitor === null ? notLoggedIn : { share: visitor.share, sessionId: null };
  }

  #serve(page: WebSocket, socket: Duplex, asked: Asked): void {
    const { share, sessionId } = asked;
    const { clock } = this.#options;
    this.#pages.set(page, asked);
    const calls = this.#options.calls.connect();
    const connection =
      sessionId === null
        ? new PageConnection(pageSocket(page, socket), { calls, scope: new Scope(share), clock })
        : new AlisStream(pageSocket(page, socket), calls, sessionId);
    if (connection instanceof AlisStream) void connection.run();
    else {
      page.on('message', (data: RawData, isBinary: boolean) => {
        const bytes = data as Buffer;
        connection.receive(isBinary ? bytes : bytes.toString());
      });
    }
    const life = watchLife(page, share, clock);
    page.once('close', () => {
      life.dispose();
      this.#pages.delete(page);
      connection.end();
    });
    // Its message was too large, or not of the protocol; `close` follows.
    page.on('error', () => {});
  }
}

/** What a client may connect to. */
interface Asked {
  /** Null: everything. */
  readonly share: Share | null;
  /** The session of a player; null for a page. */
  readonly sessionId: string | null;
}

const pageProtocol = 'v1.vtr';

/** @param socket the connection of the page */
function pageSocket(page: WebSocket, socket: Duplex): PageSocket {
  const listeners: (() => void)[] = [];
  let isCorked = false;
  // Messages of one turn are sent in one system call: the frames of many tiles.
  const cork = () => {
    if (isCorked) return;
    isCorked = true;
    socket.cork();
    process.nextTick(() => {
      isCorked = false;
      socket.uncork();
    });
  };
  const sent = () => {
    for (const each of listeners) each();
  };
  return {
    get unsentBytes() {
      return page.bufferedAmount;
    },
    send: (message) => {
      cork();
      page.send(message, sent);
    },
    onSent: (listener) => void listeners.push(listener),
    pause: () => page.pause(),
    resume: () => page.resume(),
    close: (code, reason) => page.close(code, reason),
  };
}

/** Ends a connection whose page is gone, or whose share has ended. */
function watchLife(page: WebSocket, share: Share | null, clock: Clock) {
  let hasAnswered = true;
  page.on('pong', () => {
    hasAnswered = true;
  });
  let timer = clock.schedule(pingMs, function ping() {
    timer = clock.schedule(pingMs, ping);
    if (!hasAnswered) {
      page.terminate();
      return;
    }
    hasAnswered = false;
    page.ping();
  });
  const leftMs = share === null ? null : share.untilMs - clock.wallMs();
  const end = () => page.close(closeCodes.revoked, 'the share has ended');
  const ending = leftMs === null ? null : clock.schedule(Math.min(leftMs, maxTimerMs), end);
  return {
    dispose() {
      timer.dispose();
      ending?.dispose();
    },
  };
}

/** The longest time of a timer of Node. */
const maxTimerMs = 2 ** 31 - 1;

/** Answers an upgrade that is refused, as a request. */
function refuseUpgrade(
  request: IncomingMessage,
  socket: Socket,
  refusal: Refusal,
  headers: Readonly<Record<string, string>>,
): void {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.setHeaders(new Headers(headers));
  response.once('finish', () => socket.end());
  sendRefusal(response, refusal);
}

/** Answers what is not a request of HTTP, or was too slow or too large. */
function refuseBroken(socket: Duplex, headers: Readonly<Record<string, string>>): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const end = 'Connection: close\r\nContent-Length: 0\r\n\r\n';
  socket.end(`HTTP/1.1 400 Bad Request\r\n${lines.join('')}${end}`, () => socket.destroy());
}

/** @throws VtrError INVALID_ARGUMENT for a certificate or key that is not one */
function secureServer(limits: ServerOptions, tls: NonNullable<WebServerOptions['tls']>): Server {
  try {
    return createHttpsServer({ ...limits, ...tls, minVersion: 'TLSv1.2' });
  } catch (error) {
    const message = `the TLS certificate or key cannot be used: ${(error as Error).message}`;
    throw new VtrError('INVALID_ARGUMENT', message, { cause: error });
  }
}

/** @param wanted default: the first free one from {@link defaultPort} on */
async function listen(server: Server, host: string, wanted: number | undefined): Promise<number> {
  const first = wanted ?? defaultPort;
  const last = wanted === undefined ? first + triedPorts : first;
  for (let port = first; ; port++) {
    try {
      return await listenAt(server, host, port);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'EADDRINUSE' && port < last) continue;
      const why =
        code === 'EADDRINUSE' ? 'the port is in use; choose another with --port' : message;
      throw new VtrError('UNAVAILABLE', `cannot listen at ${host} port ${port}: ${why}`, {
        cause: error,
      });
    }
  }
}

function listenAt(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}
