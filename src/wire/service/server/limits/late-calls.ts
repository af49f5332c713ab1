import type { IncomingMessage } from 'node:http';
import { Http2ServerRequest } from 'node:http2';
import type { Socket } from 'node:net';
import { type ContextValues, createContextKey, type HandlerContext } from '@connectrpc/connect';
import { asVtrError, isVtrError, VtrError } from '#model';
import {
  checkStartLimit,
  decodeStartLimit,
  isFresh,
  isInTime,
  type StartLimit,
  startLimitHeader,
} from '../../call-headers.ts';

/** Until when a call must be accepted, or why that is not known; null if its client does not say. */
const limitKey = createContextKey<StartLimit | VtrError | null>(null);

/** When a call arrived that was in time then, on the clock of {@link ServedTime}; null if it was not. */
const arrivedMsKey = createContextKey<number | null>(null);

/** Must be called when a call with a limit has arrived. */
export function noteLimit(values: ContextValues, limit: StartLimit | VtrError): void {
  values.set(limitKey, limit);
  if (!isVtrError(limit) && isInTime(limit)) values.set(arrivedMsKey, served.arrived());
}

/** The connection of a call of HTTP, whose end aborts the call only some turns later. */
const socketKey = createContextKey<Pick<Socket, 'readableEnded'> | null>(null);

/** Must be called when the headers of a call of HTTP have arrived: its limit may count from then. */
export function noteArrival(
  values: ContextValues,
  request: IncomingMessage | Http2ServerRequest,
): void {
  const limit = request.headers[startLimitHeader];
  if (typeof limit === 'string') noteLimit(values, limitOf(limit));
  const session = request instanceof Http2ServerRequest ? request.stream?.session : undefined;
  values.set(socketKey, session?.socket ?? request.socket);
}

function limitOf(text: string): StartLimit | VtrError {
  try {
    return decodeStartLimit(text);
  } catch (error) {
    return asVtrError(error);
  }
}

/** Refuses calls whose clients have given them up, or have gone: they must not be carried out later. */
export class Lateness {
  /** Resolves when it can be {@link check checked}; null if it can now. */
  readonly checkable: Promise<void> | null;
  readonly #values: ContextValues;

  constructor(values: ContextValues) {
    this.#values = values;
    const limit = values.get(limitKey);
    // This process may have been suspended since an older call was sent.
    const fresh = limit !== null && !isVtrError(limit) && isFresh(limit);
    this.checkable = fresh ? null : connectionsRead();
  }

  /** @throws VtrError UNAVAILABLE, CANCELLED; INVALID_ARGUMENT if the limit of the call is not one */
  check(): void {
    const limit = this.#values.get(limitKey);
    if (isVtrError(limit)) throw limit;
    checkRemains(this.#values);
    if (limit === null) return;
    // It waited for calls before it, and its client knows that this process responds.
    const arrivedMs = this.#values.get(arrivedMsKey);
    if (arrivedMs === null || !served.respondsSince(arrivedMs)) checkStartLimit(limit);
  }
}

/** @throws VtrError CANCELLED if the connection of a call of HTTP has ended */
function checkRemains(values: ContextValues): void {
  if (!values.get(socketKey)?.readableEnded) return;
  throw new VtrError('CANCELLED', 'the client has gone');
}

/**
 * Must be called before a call that was accepted, and has waited since, changes anything.
 *
 * @throws the reason if it was cancelled meanwhile, or its client has gone
 */
export async function checkClient({ values, signal }: HandlerContext): Promise<void> {
  await connectionsRead();
  signal.throwIfAborted();
  checkRemains(values);
}

/** How often the process notes that it runs, in ms. */
const beatMs = 500;
/** A longer pause, in ms, may be a suspension: a client gives up 2 s after it has asked in vain. */
const pauseMs = 1_500;
/** How long after the last call it does so, in ms. A call that waits for longer counts as late. */
const keptForMs = 60_000;

/** Knows for how long the process has run without a pause, while there are calls. */
class ServedTime {
  #timer: NodeJS.Timeout | null = null;
  #sinceMs = 0;
  #beatMs = 0;
  #arrivedMs = 0;

  /** Must be called when a call arrives. Returns the time. */
  arrived(): number {
    const nowMs = performance.now();
    if (this.#timer !== null) this.#noteRunning();
    else {
      this.#sinceMs = nowMs;
      this.#beatMs = nowMs;
      this.#timer = setInterval(() => this.#beat(), beatMs).unref();
    }
    this.#arrivedMs = nowMs;
    return nowMs;
  }

  /** Whether the process has run since a time. */
  respondsSince(ms: number): boolean {
    if (this.#timer === null) return false;
    this.#noteRunning();
    return this.#sinceMs <= ms;
  }

  #beat(): void {
    this.#noteRunning();
    if (this.#beatMs - this.#arrivedMs < keptForMs) return;
    clearInterval(this.#timer ?? undefined);
    this.#timer = null;
  }

  #noteRunning(): void {
    const nowMs = performance.now();
    if (nowMs - this.#beatMs > pauseMs) this.#sinceMs = nowMs;
    this.#beatMs = nowMs;
  }
}

const served = new ServedTime();

let reading: Promise<void> | null = null;

/**
 * Resolves when what the clients had sent by now was read: that a call was cancelled, or that its
 * connection was closed.
 */
function connectionsRead(): Promise<void> {
  reading ??= new Promise((resolve) => {
    // The first runs after the poll phase of this iteration of the event loop, the second after the next:
    // a connection that was just accepted is read only then.
    setImmediate(() => {
      reading = null;
      setImmediate(resolve);
    });
  });
  return reading;
}
