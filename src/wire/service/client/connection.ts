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

/** The header by which `request` finds the {@link Connection.call} of a stream. It is not sent. */
const orderHeader = 'vtr-order';

/**
 * One HTTP/2 connection to a Unix socket, opened again after it was lost. Streams are opened in the
 * order in which calls were made, however long each takes in the transport.
 */
export class Connection implements SessionManager {
  /** The URLs of gRPC need a host; a Unix socket has none. */
  readonly authority = 'http://localhost';
  readonly #socketPath: string;
  readonly #onLost: () => void;
  readonly #order = new CallOrder();
  readonly #called = new Map<string, OrderedCall>();
  #count = 0;
  #session: ClientHttp2Session | null = null;

  /** @param onLost called when the connection is lost or closed, by either side */
  constructor(socketPath: string, onLost: () => void = () => {}) {
    this.#socketPath = socketPath;
    this.#onLost = onLost;
  }

  /** Makes a call, whose stream opens after those of all earlier calls. @param call must pass its headers on */
  async call<T>(call: (headers: Record<string, string>) => Promise<T>): Promise<T> {
    const ordered = this.#order.add();
    const key = String(this.#count++);
    this.#called.set(key, ordered);
    try {
      return await call({ [orderHeader]: key });
    } finally {
      // Needed when the call failed before its stream was opened.
      ordered.done();
      this.#called.delete(key);
    }
  }

  /** Resolves when an HTTP/2 server answers. @throws Error of the system, or a timeout */
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
    { [orderHeader]: key, ...headers }: OutgoingHttpHeaders,
  ): Promise<ClientHttp2Stream> {
    const ordered = this.#called.get(String(key));
    await ordered?.ready;
    try {
      return this.#open().request({ ...headers, ':method': method, ':path': path });
    } finally {
      ordered?.done();
    }
  }

  notifyResponseByteRead(): void {}

  /** Pending calls fail. */
  close(): void {
    // With an error: streams that end without one do not reject pending calls.
    this.#session?.destroy(new Error('the connection was closed'), constants.NGHTTP2_CANCEL);
  }

  #open(): ClientHttp2Session {
    const { closed = true, destroyed = true } = this.#session ?? {};
    if (this.#session !== null && !closed && !destroyed) return this.#session;
    const session = connect(this.authority, {
      createConnection: () => connectSocket(this.#socketPath),
    });
    // Its streams get the error too, and reject their calls.
    session.on('error', () => {});
    session.on('goaway', () => session.close());
    session.once('close', () => {
      if (this.#session === session) this.#onLost();
    });
    this.#session = session;
    return session;
  }
}
