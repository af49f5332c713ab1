import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import type { Clock, Disposable } from '#base';
import type { JsonCalls } from '#model';
import type { Login, Share, WebAccess } from '../access/web-access.ts';
import { Scope, type WebSessions } from '../scope.ts';
import { AlisStream } from './alis-stream.ts';
import { HalfMessage, type HalfMessages } from './half-messages.ts';
import { PageConnection, type PageConnectionOptions } from './page-connection.ts';
import type { PageSocket } from './page-socket.ts';

/** A client that does not answer pings for this long is gone, in ms. */
const pingMs = 20_000;
/**
 * The end of a share is looked for this often, in ms: the wall clock may jump, and a timer of Node is at most 24
 * days long.
 */
const maxShareTimerMs = 60_000;
/** Time for a client to take the end, in ms. */
const farewellMs = 250;

/** RFC 6455, 7.4.1; of the range for applications, the end of a share. */
export const closeCodes = { restarting: 1012, going: 1001, revoked: 4001 } as const;

/** What a client connects to. */
export interface Asked {
  /** Null: everything. */
  readonly share: Share | null;
  /** The session of a player; null for a page. */
  readonly sessionId: string | null;
  /** Null for a player with the secret of a share. */
  readonly login: Login | null;
}

export interface ConnectedPageOptions {
  /** The connection under the WebSocket. */
  readonly socket: Duplex;
  readonly request: Asked;
  readonly access: WebAccess;
  readonly calls: JsonCalls;
  readonly sessions: WebSessions;
  /** Shared by all pages of a server. */
  readonly halves: HalfMessages;
  /** Other coordinators that a page without a share may call, by name. */
  readonly others: ReadonlyMap<string, JsonCalls>;
  readonly clock: Clock;
  readonly onFile: NonNullable<PageConnectionOptions['onFile']>;
  /** Called with each call that the client may not make. */
  readonly onRefused: (method: string) => void;
}

/** A WebSocket of a page or a player, until it closes, its share ends, or it does not answer. */
export class ConnectedPage {
  readonly #page: WebSocket;
  readonly #options: ConnectedPageOptions;
  readonly #connection: PageConnection | AlisStream;
  readonly #half: HalfMessage;
  #ping: Disposable;
  #shareTimer: Disposable | null = null;
  #farewell: Disposable | null = null;
  #hasAnswered = true;

  constructor(page: WebSocket, options: ConnectedPageOptions) {
    this.#page = page;
    this.#options = options;
    this.#connection = connectionOf(page, options);
    const { request, clock, halves, socket } = options;
    this.#half = new HalfMessage(page, socket, halves, (...why) => this.end(...why));
    page.on('pong', () => {
      this.#hasAnswered = true;
    });
    this.#ping = clock.schedule(pingMs, () => this.#check());
    const { share } = request;
    if (share !== null) this.#awaitEndOf(share);
    page.once('close', () => this.#closed());
    // Its message was too large, or not of the protocol; `close` follows.
    page.on('error', () => {});
  }

  get shareId(): string | null {
    return this.#options.request.share?.id ?? null;
  }

  get login(): Login | null {
    return this.#options.request.login;
  }

  endShare(): void {
    this.end(closeCodes.revoked, 'the share has ended');
  }

  /** Ends its calls at once, and the connection also if the client does not take the end. */
  end(code: number, reason = ''): void {
    this.#connection.end();
    this.#page.close(code, reason);
    this.#farewell ??= this.#options.clock.schedule(farewellMs, () => this.#page.terminate());
  }

  #awaitEndOf(share: Share): void {
    const { clock } = this.#options;
    const leftMs = share.untilMs - clock.wallMs();
    if (leftMs <= 0) this.endShare();
    else {
      const waitMs = Math.min(leftMs, maxShareTimerMs);
      this.#shareTimer = clock.schedule(waitMs, () => this.#awaitEndOf(share));
    }
  }

  #check(): void {
    const { access, request, clock } = this.#options;
    this.#ping = clock.schedule(pingMs, () => this.#check());
    if (!this.#hasAnswered || this.#half.isStuck()) {
      this.#page.terminate();
      return;
    }
    this.#hasAnswered = false;
    if (request.login !== null) access.used(request.login);
    this.#page.ping();
  }

  #closed(): void {
    this.#ping.dispose();
    this.#half.end();
    this.#shareTimer?.dispose();
    this.#farewell?.dispose();
    this.#connection.end();
  }
}

function connectionOf(
  page: WebSocket,
  { socket: below, request, calls, sessions, others, ...options }: ConnectedPageOptions,
): PageConnection | AlisStream {
  const { share, sessionId } = request;
  const socket = pageSocket(page, below);
  const client = { kind: share === null ? 'web' : 'share' };
  if (sessionId !== null) {
    const what = { id: sessionId, redact: share?.redact ?? false, client };
    const stream = new AlisStream(socket, sessions, what);
    void stream.run();
    return stream;
  }
  const connection = new PageConnection(socket, {
    calls: calls.connect(client),
    sessions,
    scope: new Scope(share, personOf(request)),
    clock: options.clock,
    onRefused: options.onRefused,
    onFile: options.onFile,
    ...(share === null ? { others } : {}),
  });
  page.on('message', (data: RawData, isBinary: boolean) => {
    const bytes = data as Buffer;
    connection.receive(isBinary ? bytes : bytes.toString());
  });
  return connection;
}

/**
 * Returns the name of a person as others see it; null for none. While a person has given none, it is what the browser says
 * that it is, but for visitors, of whom others see that they are visitors.
 */
const personOf =
  ({ login, share }: ConnectedPageOptions['request']) =>
  (): string | null =>
    login !== null && (login.isNamed || share === null) && login.name !== '' ? login.name : null;

function pageSocket(page: WebSocket, below: Duplex): PageSocket {
  const listeners: (() => void)[] = [];
  let isCorked = false;
  let isUrgentTurn = false;
  const uncork = () => {
    if (!isCorked) return;
    isCorked = false;
    below.uncork();
  };
  // Messages are sent together, in one system call: those of one turn, and the frames of many tiles, which are
  // due at the same time in turns of their own.
  const cork = (isUrgent: boolean) => {
    if (!isCorked) {
      isCorked = true;
      below.cork();
      setImmediate(uncork);
    }
    if (!isUrgent || isUrgentTurn) return;
    isUrgentTurn = true;
    process.nextTick(() => {
      isUrgentTurn = false;
      uncork();
    });
  };
  const callListeners = () => {
    for (const each of listeners) each();
  };
  return {
    get unsentBytes() {
      return page.bufferedAmount;
    },
    send: (message, isUrgent = false) => {
      cork(isUrgent);
      page.send(message, callListeners);
    },
    onSent: (listener) => void listeners.push(listener),
    pause: () => page.pause(),
    resume: () => page.resume(),
    close: (code, reason) => page.close(code, reason),
  };
}
