import type { IncomingMessage } from 'node:http';
import { Http2ServerRequest } from 'node:http2';
import type { Socket } from 'node:net';
import { type ContextValues, createContextKey } from '@connectrpc/connect';
import { asVtrError, VtrError } from '#model';
import {
  checkStartLimit,
  decodeStartLimit,
  isFresh,
  type StartLimit,
  startLimitHeader,
} from '../start-limit.ts';

/** Until when a call must be accepted, or why that is not known; null if its client does not say. */
export const limitKey = createContextKey<StartLimit | VtrError | null>(null);

/** The connection of a call of HTTP, whose end aborts the call only some turns later. */
const socketKey = createContextKey<Pick<Socket, 'readableEnded'> | null>(null);

/** Must be called when the headers of a call of HTTP have arrived: its limit may count from then. */
export function noteArrival(
  values: ContextValues,
  request: IncomingMessage | Http2ServerRequest,
): void {
  const limit = request.headers[startLimitHeader];
  if (typeof limit === 'string') values.set(limitKey, limitOf(limit));
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
  readonly known: Promise<void> | null;
  readonly #values: ContextValues;

  constructor(values: ContextValues) {
    this.#values = values;
    const limit = values.get(limitKey);
    // This process may have been suspended since an older call was sent.
    const fresh = limit !== null && !(limit instanceof VtrError) && isFresh(limit);
    this.known = fresh ? null : connectionsRead();
  }

  /** @throws VtrError UNAVAILABLE, CANCELLED; INVALID_ARGUMENT if the limit of the call is not one */
  check(): void {
    const limit = this.#values.get(limitKey);
    if (limit instanceof VtrError) throw limit;
    if (this.#values.get(socketKey)?.readableEnded) {
      throw new VtrError('CANCELLED', 'the client has gone');
    }
    if (limit !== null) checkStartLimit(limit);
  }
}

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
