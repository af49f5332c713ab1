import type {
  DescMessage,
  DescMethodBiDiStreaming,
  DescMethodServerStreaming,
  DescMethodUnary,
  MessageInitShape,
  MessageShape,
} from '@bufbuild/protobuf';
import { Queue } from '#base';
import { type CancelSignal, isVtrError, maxRequestBytes, VtrError } from '#model';
import { CallOrder } from '../call-order.ts';
import { protocolError } from '../convert/field.ts';
import {
  costOf,
  encodeCount,
  type FramedClient,
  frameTypes,
  windowBytes,
} from '../frames/frame.ts';
import { decodeMessage, encodeMessage } from '../frames/message-bytes.ts';
import type { ToolStreamOptions } from '../tool-stream.ts';
import { Link } from './link.ts';
import type { Pace } from './pace.ts';
import type { CancelBy } from './silence.ts';

export interface CallOptions {
  /** Called with a message that comes before the answer. */
  readonly onMessage?: ((payload: Uint8Array) => void) | undefined;
  /** Ends the call. */
  readonly signal?: CancelSignal | undefined;
  /** Called with a function that ends the call. */
  readonly cancelBy?: CancelBy;
  /** From the first byte of the answer to its last, in ms. Default: any time, at the {@link Pace}. */
  readonly answerMs?: number;
}

export interface ConnectionOptions extends ToolStreamOptions {
  /** Called when the connection is lost or closed, by either side. */
  readonly onLost?: () => void;
}

/** Calls over one connection to a Unix socket, which is opened again after it was lost. */
export class Connection {
  readonly #socketPath: string;
  readonly #client: FramedClient;
  readonly #onLost: () => void;
  readonly #options: ToolStreamOptions;
  readonly #order = new CallOrder();
  /** Calls that are not sent yet, because one of them waits for something. */
  #count = 0;
  #link: Link | null = null;

  constructor(
    socketPath: string,
    client: FramedClient,
    { onLost = () => {}, ...options }: ConnectionOptions = {},
  ) {
    this.#socketPath = socketPath;
    this.#client = client;
    this.#onLost = onLost;
    this.#options = options;
  }

  /**
   * Resolves when a coordinator answers.
   *
   * @param timeoutMs null: none
   * @throws Error of the system, or a timeout
   */
  async ready(timeoutMs: number | null): Promise<void> {
    const link = this.#open();
    const late = () => link.destroy(new Error(`no answer within ${timeoutMs} ms`));
    const timer = timeoutMs === null ? undefined : setTimeout(late, timeoutMs);
    try {
      await link.ready;
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Makes calls in the order of this method's calls: at once, or after those that wait for something.
   *
   * @param send sends its call before it returns
   */
  async inOrder<T>(send: () => T, after?: Promise<unknown>): Promise<Awaited<T>> {
    if (after === undefined && this.#count === 0) return await send();
    const ordered = this.#order.add();
    this.#count++;
    let result: T;
    try {
      await after;
      await ordered.ready;
      result = send();
    } finally {
      this.#count--;
      ordered.done();
    }
    return await result;
  }

  /** @throws Error of the connection, VtrError */
  call<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    request: MessageInitShape<I>,
    options: CallOptions = {},
  ): Promise<MessageShape<O>> {
    return this.decodedCall(
      method,
      request,
      (answer) => decodeMessage(method.output, answer),
      options,
    );
  }

  /**
   * As {@link call}.
   *
   * @param decode returns the value of an encoded answer; if it throws, the call fails with UNAVAILABLE
   */
  decodedCall<I extends DescMessage, T>(
    method: DescMethodUnary<I, DescMessage>,
    request: MessageInitShape<I>,
    decode: (answer: Uint8Array) => T,
    { signal, cancelBy, answerMs = Number.POSITIVE_INFINITY, onMessage }: CallOptions = {},
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const link = this.#open();
      const abort = () => {
        link.cancel(number);
        reject(new Error('the call was cancelled'));
      };
      const settle = () => signal?.removeEventListener('abort', abort);
      const number = link.call(method.name, encode(method.input, request), {
        answerMs,
        message: (payload) => onMessage?.(payload),
        end: (answer) => {
          settle();
          try {
            if (answer === null) throw new Error('it is missing');
            resolve(decode(answer));
          } catch (error) {
            reject(unreadable(error, this.#socketPath));
          }
        },
        fail(error) {
          settle();
          reject(error);
        },
      });
      signal?.addEventListener('abort', abort);
      if (signal?.aborted) abort();
      cancelBy?.(abort, () => link.isArriving(number));
    });
  }

  /** @param requests a message, or those of a stream */
  stream<I extends DescMessage, O extends DescMessage>(
    method: DescMethodServerStreaming<I, O> | DescMethodBiDiStreaming<I, O>,
    requests: MessageInitShape<I> | AsyncIterable<MessageInitShape<I>>,
    signal?: AbortSignal,
  ): Answers<MessageShape<O>> {
    const link = this.#open();
    const streams = method.methodKind === 'bidi_streaming';
    const cancel = () => {
      link.cancel(number);
      signal?.removeEventListener('abort', abort);
    };
    const answers = new Answers<MessageShape<O>>({
      decode: (payload) => decodeMessage(method.output, payload),
      taken: (bytes) => link.send(frameTypes.taken, number, encodeCount(bytes)),
      cancel,
    });
    const abort = () => {
      cancel();
      answers.fail(new Error('the call was cancelled'));
    };
    const first = streams
      ? new Uint8Array(0)
      : encode(method.input, requests as MessageInitShape<I>);
    const number = link.call(method.name, first, {
      answerMs: null,
      message: (payload) => answers.add(payload),
      end() {
        signal?.removeEventListener('abort', abort);
        answers.end();
      },
      fail(error) {
        signal?.removeEventListener('abort', abort);
        answers.fail(error);
      },
    });
    signal?.addEventListener('abort', abort);
    if (signal?.aborted) abort();
    if (streams) {
      const steps = requests as AsyncIterable<MessageInitShape<I>>;
      sendAll(link, number, method.input, steps).catch((error) => {
        cancel();
        answers.fail(error);
      });
    }
    return answers;
  }

  /** Pending calls fail. */
  close(): void {
    this.#link?.destroy(new Error('the connection was closed'));
  }

  #open(): Link {
    if (this.#link?.accepts) return this.#link;
    const onClosed = () => {
      if (this.#link === link) this.#onLost();
    };
    const link = new Link(this.#socketPath, this.#client, onClosed, this.#options);
    this.#link = link;
    return link;
  }
}

/** The error of an answer that cannot be decoded. */
function unreadable(cause: unknown, path: string): VtrError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return protocolError(
    `this version of vtr cannot read an answer of the process that listens at ${path} (${why}); if it is a daemon of another version, 'vtr serve --restart' replaces it`,
    cause,
  );
}

/** @throws VtrError INPUT_TOO_LARGE */
function encode<I extends DescMessage>(schema: I, request: MessageInitShape<I>): Uint8Array {
  const bytes = encodeMessage(schema, request);
  if (bytes.length <= maxRequestBytes) return bytes;
  throw new VtrError(
    'INPUT_TOO_LARGE',
    `the request has ${bytes.length} bytes, over the limit of ${maxRequestBytes}; send it in parts`,
  );
}

async function sendAll<I extends DescMessage>(
  link: Link,
  call: number,
  schema: I,
  requests: AsyncIterable<MessageInitShape<I>>,
): Promise<void> {
  for await (const each of requests) link.send(frameTypes.message, call, encode(schema, each));
  link.send(frameTypes.end, call);
}

/**
 * Converts the error of a connection to UNAVAILABLE: the coordinator could not be reached, or disconnected.
 * Errors of the coordinator remain as they are.
 *
 * @param place the coordinator, for the message
 */
export function unreachable(thrown: unknown, place: string): VtrError {
  if (isVtrError(thrown)) return thrown;
  const why = thrown instanceof Error ? thrown.message : String(thrown);
  return new VtrError('UNAVAILABLE', `${place} cannot be reached: ${why}; is it running?`, {
    cause: thrown,
    details: { reason: systemCode(thrown) ?? 'DISCONNECTED' },
  });
}

/** Returns the system's code of a failed connection, such as ECONNREFUSED. */
function systemCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('errno' in error) || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

type Result<T> = IteratorResult<T, undefined>;

const done = { done: true, value: undefined } as const;

/** How much the consumer takes before the server is told. */
const toldBytes = windowBytes / 4;

export interface AnswersParts<T> {
  decode(payload: Uint8Array): T;
  /** Tells the server that the consumer has taken messages. */
  taken(bytes: number): void;
  /** Ends the call. */
  cancel(): void;
}

/** The messages of a call that streams, for one consumer. */
export class Answers<T> implements AsyncIterableIterator<T> {
  readonly #parts: AnswersParts<T>;
  readonly #waiting = new Queue<Uint8Array>();
  readonly #takers = new Queue<{
    resolve(result: Result<T>): void;
    reject(error: unknown): void;
  }>();
  #takenBytes = 0;
  #isOver = false;
  #failure: unknown = null;

  constructor(parts: AnswersParts<T>) {
    this.#parts = parts;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Result<T>> {
    const payload = this.#waiting.shift();
    if (payload !== undefined) return this.#take(payload);
    if (!this.#isOver) {
      return new Promise((resolve, reject) => this.#takers.push({ resolve, reject }));
    }
    const failure = this.#failure;
    this.#failure = null;
    return failure === null ? Promise.resolve(done) : Promise.reject(failure);
  }

  async return(): Promise<Result<T>> {
    this.#waiting.clear();
    if (!this.#isOver) this.#parts.cancel();
    this.end();
    return done;
  }

  add(payload: Uint8Array): void {
    const taker = this.#takers.shift();
    if (taker === undefined) this.#waiting.push(payload);
    else this.#take(payload).then(taker.resolve, taker.reject);
  }

  end(): void {
    this.#isOver = true;
    for (let each = this.#takers.shift(); each !== undefined; each = this.#takers.shift()) {
      each.resolve(done);
    }
  }

  fail(error: unknown): void {
    if (this.#isOver) return;
    const taker = this.#takers.shift();
    if (taker === undefined) this.#failure = error;
    else taker.reject(error);
    this.end();
  }

  async #take(payload: Uint8Array): Promise<Result<T>> {
    this.#takenBytes += costOf(payload);
    if (this.#takenBytes >= toldBytes && !this.#isOver) {
      this.#parts.taken(this.#takenBytes);
      this.#takenBytes = 0;
    }
    return { done: false, value: this.#parts.decode(payload) };
  }
}
