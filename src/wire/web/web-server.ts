import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { type Clock, TransferCodings } from '#base';
import type { JsonCalls } from '#model';
import type { Login, Share, WebAccess } from './access/web-access.ts';
import {
  notLoggedIn,
  type Refusal,
  type RefusedFor,
  refuseBroken,
  refuseUpgrade,
  securityHeaders,
  sendRefusal,
  unknownCoding,
} from './http/answers.ts';
import { refusalOf, visitorOf } from './http/gate.ts';
import { Connections, type ListeningOptions, openServer, usualLimits } from './http/listening.ts';
import { Origins } from './http/origins.ts';
import { PageFiles } from './http/page-files.ts';
import {
  type Others,
  offeredProtocols,
  pathOf,
  RequestHandler,
  type RequestParts,
} from './http/request-handler.ts';
import { Pusher, type PushOptions } from './push/pusher.ts';
import type { WebSessions } from './scope.ts';
import { alisProtocol, alisRequest } from './socket/alis-request.ts';
import { type Asked, ConnectedPage, closeCodes } from './socket/connected-page.ts';
import { HalfMessages } from './socket/half-messages.ts';
import type { SentFile } from './socket/sent-files.ts';

const maxWebSockets = 128;
/** How many of them visitors with a share may have. The rest is left for logins. */
const maxVisitors = 96;
/** The largest message of a page, in bytes. */
const maxMessageBytes = 4 * 1024 * 1024;
/** Time for clients to take the end, in ms. */
const farewellMs = 250;
const pageProtocol = 'v1.vtr';

const tooManyPages: Refusal = {
  status: 503,
  message: `${maxWebSockets} pages are connected; close some`,
};

const tooManyVisitors: Refusal = {
  status: 503,
  message: `${maxVisitors} pages of shared sessions are connected; try again later`,
};

const noOthers = async (): Promise<Others> => ({
  calls: new Map(),
  problems: [],
  isChanging: false,
});

export interface WebServerOptions {
  /** The calls of pages. */
  readonly calls: JsonCalls;
  readonly sessions: WebSessions;
  /** Returns the user's other coordinators, as they are now. Default: none. */
  readonly others?: () => Promise<Others>;
  readonly access: WebAccess;
  /** With `index.html` and its files. */
  readonly pageDirectory: string;
  /** Returns the colour scheme of the page, or why it cannot be read; null for none. Default: none. */
  readonly theme?: RequestParts['theme'];
  /** The name of the coordinator, for people. */
  readonly coordinator: string;
  readonly clock: Clock;
  /** The address to listen at. */
  readonly host: string;
  /** Default: 7681 or the next free one; 0 any free one. */
  readonly port?: number;
  /** PEM. */
  readonly tls?: NonNullable<ListeningOptions['tls']>;
  /** Default: 10 s and 512 connections. */
  readonly limits?: NonNullable<ListeningOptions['limits']>;
  /** The origin at which a proxy serves the page. */
  readonly behindProxy?: string;
  /** Returns the uid of the process at the other end of a connection; null if it is not known. */
  readonly userOf?: (socket: Socket) => number | null;
  /** The user whose sessions these are. Default: every connection counts as this user's. */
  readonly owner?: number;
  /** How browsers are told of sessions while no page is open. Default: they are not. */
  readonly push?: PushOptions;
  /** Called with each login. @param uid of another user */
  readonly onLogin?: (address: string | undefined, uid: number | null) => void;
  /** Called with each file that a page has sent. */
  readonly onFile?: (file: FileOfPage) => void;
  /** Called with requests that are refused for the safety of the sessions; few of a flood. */
  readonly onRefused?: (refused: RefusedRequest) => void;
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
  readonly #connections: Connections;
  readonly #pages = new Set<ConnectedPage>();
  readonly #halves = new HalfMessages();
  readonly #refusals: Refusals;
  readonly #codings = new TransferCodings();
  #isClosed = false;
  #pusher: Pusher | null = null;
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
    this.#headers = securityHeaders(origins, files.inlineScripts);
    this.#connections = new Connections((options.limits ?? usualLimits).connections);
    const { access, sessions, others = noOthers, coordinator, onFault = () => {} } = options;
    const { clock, onRefused = () => {} } = options;
    this.#refusals = new Refusals(clock, onRefused);
    const onRefusal: RequestParts['onRefusal'] = (...each) => this.#refusals.request(...each);
    const onKnown: RequestParts['onKnown'] = ({ socket }) => this.#connections.keep(socket);
    const { onLogin = () => {} } = options;
    const own = {
      files,
      origins,
      port,
      headers: this.#headers,
      onRefusal,
      onKnown,
      pusher: () => this.#pusher,
      strangerOf: ({ socket }: IncomingMessage) => this.#strangerOf(socket),
      onLogin: ({ socket }: IncomingMessage, uid: number | null) =>
        onLogin(socket.remoteAddress, uid),
    };
    const { theme = async () => null } = options;
    const handler = new RequestHandler({ access, sessions, others, theme, coordinator, ...own });
    server.on('request', (request, response) => {
      const coding = this.#codings.check(request);
      if (coding === 'ignored') return;
      if (coding === 'unknown') {
        response.setHeaders(new Headers(this.#headers));
        sendRefusal(response, unknownCoding);
        return;
      }
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
    server.on('clientError', (error, socket) => refuseBroken(error, socket, this.#headers));
    server.on('connection', (socket) => this.#follow(socket));
    if (options.push !== undefined) this.offerPush(options.push);
  }

  /** @throws VtrError INVALID_ARGUMENT, UNAVAILABLE if it cannot listen there */
  static async open(options: WebServerOptions): Promise<WebServer> {
    const { host, tls, limits, behindProxy = null, pageDirectory } = options;
    const files = await PageFiles.read(pageDirectory);
    const { server, port } = await openServer({ host, port: options.port, tls, limits });
    const origins = new Origins({ host, port, hasTls: tls !== undefined, behindProxy });
    return new WebServer({ options, server, origins, files, port });
  }

  get origin(): string {
    return this.#origins.main;
  }

  /** Browsers that are logged in may be told of sessions by push messages, from now on. */
  offerPush(push: PushOptions): void {
    const { access, sessions, clock } = this.#options;
    this.#pusher ??= new Pusher({ ...push, access, sessions, clock, page: this.origin });
  }

  /** Returns an address of the page for one login. @param onEnd as `WebAccess.newLink` */
  newLink(onEnd?: () => void): string {
    return this.linkOf(this.#options.access.newLink(onEnd));
  }

  /** Root can act as any user. Behind a proxy, the connection is the proxy's. */
  #strangerOf(socket: Socket): number | null {
    const { userOf = () => null, owner, behindProxy } = this.#options;
    if (owner === undefined || behindProxy !== undefined) return null;
    const uid = userOf(socket);
    return uid === owner || uid === 0 ? null : uid;
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
    const pages = [...this.#pages];
    return pages.filter((page) => shareId === undefined || page.shareId === shareId).length;
  }

  get #visitors(): number {
    return [...this.#pages].filter(({ shareId }) => shareId !== null).length;
  }

  /** The number of open pages of a login. */
  pagesOf(login: Login): number {
    return [...this.#pages].filter((page) => page.login === login).length;
  }

  /** Closes the pages of a login that was ended. They find that they are logged out. */
  endLogin(login: Login): void {
    for (const page of this.#pages) if (page.login === login) page.end(closeCodes.going);
  }

  /** Closes the connections of a share that was ended. */
  endShare(shareId: string): void {
    for (const page of this.#pages) if (page.shareId === shareId) page.endShare();
  }

  /** @param isRestart whether another server continues: pages connect again */
  async close(isRestart = false): Promise<void> {
    this.#isClosed = true;
    this.#pusher?.dispose();
    const code = isRestart ? closeCodes.restarting : closeCodes.going;
    for (const page of this.#pages) page.end(code);
    this.#server.closeIdleConnections();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    const late = setTimeout(() => {
      for (const socket of this.#connections.all) socket.destroy();
    }, farewellMs);
    // Those to its second address are not the server's own.
    const sockets = this.#connections.all.map(
      (socket) => new Promise((resolve) => socket.once('close', resolve)),
    );
    await Promise.all([closed, ...sockets]);
    clearTimeout(late);
  }

  #follow(socket: Socket): void {
    // Its second address is open until the server has no connection.
    if (this.#isClosed) {
      socket.destroy();
      return;
    }
    socket.setNoDelay(true);
    this.#connections.add(socket);
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy());
    const { access, calls, sessions, others: othersOf = noOthers, clock } = this.#options;
    const refuse = (refusal: Refusal) => {
      this.#refusals.request(refusal, request);
      refuseUpgrade(request, socket as Socket, refusal, this.#headers);
    };
    const coding = this.#codings.check(request);
    if (coding === 'ignored') return;
    const answer = coding === 'unknown' ? unknownCoding : await this.#accessOf(request);
    if ('status' in answer) {
      refuse(answer);
      return;
    }
    this.#connections.keep(request.socket);
    const { calls: others } = await othersOf();
    // It may have left meanwhile.
    if (socket.destroyed) return;
    const refusal = this.#refusalNow(answer);
    if (refusal !== null) {
      refuse(refusal);
      return;
    }
    this.#upgrades.handleUpgrade(request, socket, head, (opened) => {
      const page = new ConnectedPage(opened, {
        socket,
        request: answer,
        access,
        calls,
        sessions,
        others,
        clock,
        halves: this.#halves,
        onFile: (file, by, at) =>
          this.#options.onFile?.({ kind: answer.share === null ? 'web' : 'share', file, by, at }),
        onRefused: (method) => this.#refusals.call(method, answer.share?.id ?? null),
      });
      this.#pages.add(page);
      opened.once('close', () => this.#pages.delete(page));
    });
  }

  /** Returns why a client that was let in may not connect any more; null if it may. */
  #refusalNow(answer: Asked): Refusal | null {
    if (this.#pages.size >= maxWebSockets) return tooManyPages;
    if (answer.share !== null && this.#visitors >= maxVisitors) return tooManyVisitors;
    return this.#options.access.isCurrent(answer) ? null : notLoggedIn;
  }

  /** Returns what a client wants to connect to, or why it may not. */
  async #accessOf(request: IncomingMessage): Promise<Asked | Refusal> {
    const { access, sessions } = this.#options;
    const [origins, port] = [this.#origins, this.port];
    if (this.#pages.size >= maxWebSockets) return tooManyPages;
    const path = pathOf(request);
    if (path?.startsWith('/alis/'))
      return alisRequest(request, { access, sessions, origins, port });
    const refusal = refusalOf({ request, acts: true, isEntry: false }, origins);
    if (refusal !== null) return refusal;
    if (path !== '/ws') return { status: 404, message: 'there is nothing at this address' };
    if (!offeredProtocols(request).includes(pageProtocol)) {
      return { status: 400, message: `use the subprotocol ${pageProtocol}` };
    }
    const visitor = visitorOf(request, { access, port });
    return visitor === null ? notLoggedIn : { ...visitor, sessionId: null };
  }
}

/** A file that a page has sent to the machine of a session. */
interface FileOfPage {
  /** `share`: a visitor with a share. */
  readonly kind: 'web' | 'share';
  readonly file: SentFile;
  /** The name of the person, if it is known. */
  readonly by: string | null;
  /** The name of the session's coordinator, if it is another one. */
  readonly at: string | undefined;
}

/** A request or a call that was refused for the safety of the sessions. */
interface RefusedRequest {
  /** `share`: a visitor with a share. */
  readonly kind: 'web' | 'share';
  readonly lacks: RefusedFor;
  /** As the client gives them: texts of an attacker. Undefined ones are unknown. */
  readonly details: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Refused since the one before, and not told. */
  readonly untold: number;
}

const windowMs = 60_000;
/** The most that are told within that time: a page of another site can make thousands. */
const maxTold = 20;

/** Tells of requests that were refused, and counts those of a flood. */
class Refusals {
  readonly #clock: Clock;
  readonly #tell: (refused: RefusedRequest) => void;
  /** When they were told, monotonic, in ms. */
  #times: number[] = [];
  #untold = 0;

  constructor(clock: Clock, tell: (refused: RefusedRequest) => void) {
    this.#clock = clock;
    this.#tell = tell;
  }

  /** A request was answered with a refusal. A refusal that does not concern safety is not reported. */
  request({ lacks, details }: Refusal, request: IncomingMessage): void {
    if (lacks === undefined) return;
    const { host, origin } = request.headers;
    // The query can have the secret of a share.
    const path = pathOf(request) ?? undefined;
    this.#add('web', lacks, {
      path,
      host,
      origin,
      address: request.socket.remoteAddress,
      ...details,
    });
  }

  /** A call was refused. @param share the id of its share; null for the page itself */
  call(method: string, share: string | null): void {
    this.#add(share === null ? 'web' : 'share', 'scope', { method, share: share ?? undefined });
  }

  #add(kind: 'web' | 'share', lacks: RefusedFor, details: RefusedRequest['details']): void {
    const nowMs = this.#clock.nowMs();
    this.#times = this.#times.filter((atMs) => atMs > nowMs - windowMs);
    if (this.#times.length >= maxTold) {
      this.#untold++;
      return;
    }
    this.#times.push(nowMs);
    const untold = this.#untold;
    this.#untold = 0;
    this.#tell({ kind, lacks, details, untold });
  }
}
