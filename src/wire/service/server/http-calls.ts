import type { ServerResponse } from 'node:http';
import { constants, Http2ServerRequest, type ServerHttp2Stream } from 'node:http2';
import {
  Code,
  ConnectError,
  type ConnectRouter,
  createConnectRouter,
  createContextValues,
} from '@connectrpc/connect';
import type { Compression, UniversalHandler } from '@connectrpc/connect/protocol';
import {
  universalRequestFromNodeRequest,
  universalResponseToNodeResponse,
} from '@connectrpc/connect-node';
import { VTR } from '#messages';
import { type MetricsPage, metricsPath, type PageAnswer, textAnswer } from '#metrics';
import { asVtrError, type Client, clientKind, maxRequestBytes, type VtrError } from '#model';
import { clientHeader } from '../call-headers.ts';
import { noteArrival } from './limits/late-calls.ts';
import { callBytes } from './limits/request-budget.ts';
import {
  callKey,
  clientKey,
  handledKey,
  type ServedConnection,
} from './limits/served-connection.ts';
import { checkedBody, RequestBody } from './request-body.ts';

export type HttpRequest = Parameters<typeof universalRequestFromNodeRequest>[0];
export type HttpResponse = Parameters<typeof universalResponseToNodeResponse>[1];

export interface HttpCallsOptions {
  readonly routes: (router: ConnectRouter) => void;
  /** Aborted when pending calls must end. */
  readonly shutdownSignal: AbortSignal;
  /** Returns the connection of a request; null if it has closed. */
  readonly connectionOf: (request: HttpRequest) => ServedConnection | null;
  readonly metrics: MetricsPage;
  /** The version of this package. */
  readonly version: string;
  /** Called with defects that cannot be reported to a client. */
  readonly onFault: (error: unknown) => void;
}

/**
 * A message that is not compressed. Every client is on this machine, where compression costs more than it
 * saves; and a few kilobytes could become megabytes. A library names what it accepts by this list.
 */
const identity: Compression = {
  name: 'identity',
  compress: async (bytes) => new Uint8Array(bytes),
  decompress: async (bytes) => new Uint8Array(bytes),
};

/** Why a request is not taken as a call, by the status of the answer. */
const refusals: ReadonlyMap<number, string> = new Map([
  [405, 'use POST'],
  [
    415,
    'send JSON with the header content-type: application/json, or for a stream application/connect+json, each message after a byte 0 and its length in 4 bytes',
  ],
  [505, 'this method streams both ways, which needs HTTP/2'],
]);

/** Answers the calls of gRPC, gRPC-Web and Connect. */
export class HttpCalls {
  readonly #options: HttpCallsOptions;
  readonly #handlers: ReadonlyMap<string, UniversalHandler>;

  constructor(options: HttpCallsOptions) {
    this.#options = options;
    const router = createConnectRouter({
      readMaxBytes: maxRequestBytes,
      acceptCompression: [identity],
      compressMinBytes: Number.MAX_SAFE_INTEGER,
      shutdownSignal: options.shutdownSignal,
    });
    options.routes(router);
    this.#handlers = new Map(router.handlers.map((each) => [each.requestPath, each]));
  }

  handle(request: HttpRequest, response: HttpResponse): void {
    const connection = this.#options.connectionOf(request);
    if (connection === null) return;
    const { bodyMs } = connection.limits;
    const take = (onAnswered = () => {}, forMs = () => bodyMs) => {
      if (request instanceof Http2ServerRequest) takeRest(request.stream, forMs, onAnswered);
    };
    const path = request.url?.split('?', 1)[0] ?? '';
    if (path === metricsPath) {
      take();
      void this.#answerMetrics(connection, request, response);
      return;
    }
    const handler = this.#handlers.get(path);
    if (handler === undefined) {
      take();
      discard(request);
      // Without a body: by that, clients know a call that this version does not have.
      response.writeHead(404);
      response.end();
      return;
    }
    const call = new HttpCall(handler, connection, request);
    response.once('close', () => call.end());
    // A client that was too slow has had its time.
    const restMs = () => (call.body.isLate ? 0 : bodyMs);
    take(() => call.end(), restMs);
    if (response.socket === null) closeWith(connection, response);
    const turn = connection.lane.turn();
    if (turn === null) this.#answer(call, request, response);
    else void turn.then(() => this.#answer(call, request, response));
  }

  async #answerMetrics(
    connection: ServedConnection,
    request: HttpRequest,
    response: HttpResponse,
  ): Promise<void> {
    const hold = connection.budget.hold();
    connection.received();
    response.once('close', () => {
      hold.release();
      connection.answered();
    });
    if (response.socket === null) closeWith(connection, response);
    request.resume();
    try {
      hold.add(callBytes);
      await connection.lane.turn();
      const { method, headers } = request;
      send(response, await this.#options.metrics.answer(method, headers.accept));
    } catch (error) {
      const { code, message } = asVtrError(error);
      if (code === 'INTERNAL_ERROR') this.#options.onFault(error);
      send(response, textAnswer(503, message));
    }
  }

  #answer(call: HttpCall, request: HttpRequest, response: HttpResponse): void {
    if (call.hasEnded) return;
    // A Unix socket has no host, so clients send any name or none. The library builds a URL with it
    // and throws when that fails.
    request.headers[request instanceof Http2ServerRequest ? ':authority' : 'host'] = 'localhost';
    const { onFault, version } = this.#options;
    try {
      const universal = universalRequestFromNodeRequest(request, response, undefined, call.values);
      call
        .handler({ ...universal, body: checkedBody(call.body, request, version) })
        .then(async (answer) => {
          if (answer.trailer !== undefined) encodeAsSpecified(answer.trailer);
          // The library gives no reason, and curl then prints nothing.
          const why = answer.body === undefined ? refusals.get(answer.status) : undefined;
          if (why === undefined) await universalResponseToNodeResponse(answer, response);
          else {
            discard(request);
            send(response, textAnswer(answer.status, why));
          }
        })
        .catch((error) => {
          // A client that has gone is not a defect.
          if (!response.destroyed && ConnectError.from(error).code !== Code.Aborted) onFault(error);
          response.destroy();
        });
    } catch (error) {
      onFault(error);
      response.destroy();
    }
  }
}

/** A call, until its answer was sent or its client has gone. */
class HttpCall {
  readonly handler: UniversalHandler;
  readonly body: RequestBody;
  readonly values = createContextValues();
  hasEnded = false;
  #isReceived = false;
  readonly #connection: ServedConnection;
  readonly #onEnd: () => void;

  constructor(handler: UniversalHandler, connection: ServedConnection, request: HttpRequest) {
    this.handler = handler;
    this.#connection = connection;
    const { methodKind } = handler.method;
    const isFed = methodKind === 'bidi_streaming' || methodKind === 'client_streaming';
    const hold = connection.budget.hold();
    const bodyMs = isFed ? null : connection.limits.bodyMs;
    const onComplete = () => this.#received();
    this.body = new RequestBody(request, { budget: hold, bodyMs, onComplete });
    if (isFed) this.#received();
    try {
      hold.add(callBytes);
    } catch (error) {
      this.body.fail(error as VtrError);
    }
    // Health checks and reflection have no order.
    const place = handler.service.typeName === VTR.typeName ? connection.begin() : null;
    noteArrival(this.values, request);
    this.values.set(clientKey, clientOf(connection, request));
    this.values.set(callKey, place).set(handledKey, () => this.body.handled());
    this.#onEnd = () => {
      place?.done();
      hold.release();
    };
  }

  end(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.body.end();
    this.#onEnd();
    if (this.#isReceived) this.#connection.answered();
  }

  #received(): void {
    if (this.#isReceived || this.hasEnded) return;
    this.#isReceived = true;
    this.#connection.received();
  }
}

function send(response: HttpResponse, { status, headers, body }: PageAnswer): void {
  if (response.destroyed) return;
  // Those of HTTP/2 have the same methods; the types of both together cannot be called.
  (response as ServerResponse).writeHead(status, headers).end(body);
}

/**
 * Makes trailers take the message of an error as gRPC specifies it: only `%` and what is not printable ASCII is encoded.
 * The library encodes all that a URL does not allow, and @grpc/grpc-js decodes only a part of that. It sets the trailers
 * after the first bytes of the body.
 */
function encodeAsSpecified(trailers: Pick<Headers, 'get' | 'set'>): void {
  const set = trailers.set.bind(trailers);
  const value = (name: string, text: string) =>
    set(name, name.toLowerCase() === 'grpc-message' ? grpcMessage(text) : text);
  Object.defineProperty(trailers, 'set', { value });
  const early = trailers.get('grpc-message');
  if (early !== null) value('grpc-message', early);
}

/** Decodes printable ASCII other than `%`. */
const grpcMessage = (encoded: string): string =>
  encoded.replace(/%(?!25|7F)[2-7][\dA-F]/g, decodeURIComponent);

function clientOf({ client }: ServedConnection, { headers }: HttpRequest): Client | null {
  const named = headers[clientHeader];
  if (client === null || typeof named !== 'string') return client;
  return { ...client, kind: clientKind(named, client.kind) };
}

/** Node never closes the response to a request that was sent before those before it were answered. */
function closeWith({ waitingCalls }: ServedConnection, response: HttpResponse): void {
  const close = () => response.emit('close');
  waitingCalls.add(close);
  response.once('close', () => waitingCalls.delete(close));
}

/** Drops a body that nobody reads. Over HTTP/2, Node would reset its stream, and the client could lose the answer. */
function discard(request: HttpRequest): void {
  if (request instanceof Http2ServerRequest) request.resume();
}

/**
 * Calls `onAnswered` when a request is answered, and drops the rest of its body for a time, in ms. Some clients, such as
 * Node's, send all of it, and keep in memory what they cannot send; others stop by themselves.
 */
function takeRest(stream: ServerHttp2Stream, forMs: () => number, onAnswered: () => void): void {
  const take = () => {
    onAnswered();
    if (stream.readableEnded || stream.destroyed) return;
    // The listeners of the request, which nobody reads any more.
    stream.removeAllListeners('data').resume();
    const late = setTimeout(() => {
      stream.close(constants.NGHTTP2_NO_ERROR);
      // Node would keep the stream until what arrived is read.
      setImmediate(() => stream.destroy());
    }, forMs()).unref();
    stream.once('close', () => clearTimeout(late));
  };
  // After the trailers, which end the answer.
  stream.once('wantTrailers', () => setImmediate(take));
}
