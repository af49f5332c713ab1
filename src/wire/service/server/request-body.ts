import { Http2ServerRequest } from 'node:http2';
import type { Readable } from 'node:stream';
import { VtrError } from '#model';
import { toStatus } from '../errors.ts';
import type { HeldBytes } from './limits/request-budget.ts';
import { leastGainBytes } from './limits/service-limits.ts';

export interface RequestBodyOptions {
  readonly held: HeldBytes;
  /** See `ServiceLimits`; null for a client that streams and may be silent. */
  readonly bodyMs: number | null;
  /** Called once, when all of it was received. */
  readonly onComplete: () => void;
}

/** The body of a request over HTTP: counts its bytes, and fails if the client does not go on. */
export class RequestBody implements AsyncIterableIterator<Uint8Array> {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #sharesConnection: boolean;
  readonly #options: RequestBodyOptions;
  readonly #timer: NodeJS.Timeout | null;
  #hasEnded = false;
  #gainedBytes = 0;
  #lastBytes = 0;
  #failure: unknown = null;
  #reject: (error: unknown) => void = () => {};

  constructor(request: Readable, options: RequestBodyOptions) {
    this.#chunks = request[Symbol.asyncIterator]();
    this.#sharesConnection = request instanceof Http2ServerRequest;
    this.#options = options;
    const { bodyMs } = options;
    this.#timer = bodyMs === null ? null : setInterval(this.#lookAfterInput, bodyMs).unref();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      this.#read().then(resolve, reject);
    });
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.end();
    // Over HTTP/2 that would close the stream before the answer is sent.
    if (!this.#sharesConnection) await this.#chunks.return?.();
    return { done: true, value: undefined };
  }

  /** Makes the call fail that reads it. */
  fail(error: VtrError): void {
    this.end();
    this.#failure ??= toStatus(error);
    this.#reject(this.#failure);
  }

  /** The handler is done with the messages before this one: they no longer count. */
  handled(): void {
    this.#options.held.keep(this.#lastBytes);
  }

  /** Nothing more is expected of the client. */
  end(): void {
    this.#hasEnded = true;
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  async #read(): Promise<IteratorResult<Uint8Array, undefined>> {
    const { done, value } = await this.#chunks.next();
    // It would count for ever: the call has given back what it held.
    if (this.#hasEnded)
      throw this.#failure ?? toStatus(new VtrError('CANCELLED', 'the call has ended'));
    if (done) {
      this.end();
      this.#options.onComplete();
      return { done: true, value: undefined };
    }
    this.#gainedBytes += value.length;
    this.#lastBytes = value.length;
    try {
      this.#options.held.add(value.length);
    } catch (error) {
      this.end();
      throw toStatus(error);
    }
    return { done: false, value };
  }

  /** What has arrived while this process was suspended counts. */
  readonly #lookAfterInput = () => setImmediate(this.#look);

  readonly #look = () => {
    const { bodyMs } = this.#options;
    if (this.#gainedBytes < leastGainBytes) this.fail(incomplete(bodyMs ?? 0));
    this.#gainedBytes = 0;
  };
}

/** The error of a request of which too little arrives. */
const incomplete = (withinMs: number): VtrError =>
  new VtrError(
    'REQUEST_INCOMPLETE',
    `less than ${leastGainBytes} bytes of the request arrived within ${withinMs / 1000} s`,
  );
