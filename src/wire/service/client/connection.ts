import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type OutgoingHttpHeaders,
} from 'node:http2';
import { connect as connectSocket } from 'node:net';
import type { GrpcTransportOptions } from '@connectrpc/connect-node';
import { CallOrder, type OrderedCall } from '../call-order.ts';

type SessionManager = NonNullable<GrpcTransportOptions['sessionManager']>;

/** Names the turn of a call between {@link Connection.callHeaders} and its stream; never sent. */
const turnHeader = 'vtr-turn';

/**
 * One HTTP/2 connection to a Unix socket, opened anew when it was lost. Streams are opened in the
 * order in which calls were made, whatever happens to each on its way through the transport.
 */
export class Connection implements SessionManager {
  /** Of URLs that lead here; there is no host on the other side of a Unix socket. */
  readonly authority = 'http://localhost';
  readonly #socketPath: string;
  readonly #onLost: () => void;
  readonly #order = new CallOrder();
  readonly #called = new Map<string, OrderedCall>();
  #count = 0;
  #session: ClientHttp2Session | null = null;

  /** @param onLost is told when the other side is gone, or has closed the connection */
  constructor(socketPath: string, onLost: () => void = () => {}) {
    this.#socketPath = socketPath;
    this.#onLost = onLost;
  }

  /** Makes a call in its turn. @param call passes the headers on to the transport */
  async call<T>(call: (headers: Record<string, string>) => Promise<T>): Promise<T> {
    const turn = this.#order.add();
    const key = String(this.#count++);
    this.#called.set(key, turn);
    try {
      return await call({ [turnHeader]: key });
    } finally {
      // Also where it failed before there was a stream.
      turn.done();
      this.#called.delete(key);
    }
  }

  /** Resolves when somebody who speaks HTTP/2 answers. @throws Error what the system says */
  ready(timeoutMs: number): Promise<void> {
    const session = this.#open();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        session.destroy(new Error(`no answer within ${timeoutMs} ms`));
      }, timeoutMs);
      session.once('remoteSettings', () => resolve());
      session.once('error', reject);
      session.once('close', () => {
        clearTimeout(timer);
        reject(new Error('the connection was closed'));
      });
      session.once('remoteSettings', () => clearTimeout(timer));
    });
  }

  async request(
    method: string,
    path: string,
    { [turnHeader]: key, ...headers }: OutgoingHttpHeaders,
  ): Promise<ClientHttp2Stream> {
    const turn = this.#called.get(String(key));
    await turn?.ready;
    try {
      return this.#open().request({ ...headers, ':method': method, ':path': path });
    } finally {
      turn?.done();
    }
  }

  notifyResponseByteRead(): void {}

  /** What is under way fails. */
  close(): void {
    // With an error: streams that end without one would not tell who waits for them.
    this.#session?.destroy(new Error('the connection was closed'), constants.NGHTTP2_CANCEL);
  }

  #open(): ClientHttp2Session {
    const { closed = true, destroyed = true } = this.#session ?? {};
    if (this.#session !== null && !closed && !destroyed) return this.#session;
    const session = connect(this.authority, {
      createConnection: () => connectSocket(this.#socketPath),
    });
    // Its streams are told, and with them whoever called.
    session.on('error', () => {});
    session.on('goaway', () => session.close());
    session.once('close', () => {
      if (this.#session === session) this.#onLost();
    });
    this.#session = session;
    return session;
  }
}
