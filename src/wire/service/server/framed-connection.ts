import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import {
  create,
  type DescMethod,
  type Message,
  type MessageInitShape,
  toBinary,
} from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { quoted } from '#base';
import { GetMarkResponseSchema, ListResponseSchema } from '#messages';
import { asVtrError, flow, maxRequestBytes, type ReadMark, VtrError } from '#model';
import { arrived } from '../call-headers.ts';
import { fromStatus } from '../errors.ts';
import {
  decodeCall,
  decodeCount,
  encodeFailure,
  encodeFrame,
  type Frame,
  FrameError,
  FrameReader,
  type FrameType,
  framedClients,
  frameTypes,
  headerBytes,
} from '../frames/frame.ts';
import { decodeMessage, encodeMessage } from '../frames/message-bytes.ts';
import { encodeList } from './handlers/listed-sessions.ts';
import { SlowInput } from './handlers/slow-input.ts';
import { noteLimit } from './limits/late-calls.ts';
import { callBytes, type HeldBytes } from './limits/request-budget.ts';
import { callKey, clientKey, markKey, type ServedConnection } from './limits/served-connection.ts';
import { type AllHandlers, contextOf, handlerOf, methods, ServedCall } from './served-call.ts';

const { maxUnsentBytes } = flow.calls;
/** How long a connection is not read for each call that was refused, in ms: others go on. */
const refusedMs = 0.25;
/** What the payload of a call has besides the request, and the longest name of a clock, in bytes. */
const maxNameBytes = 256;
/** Time for a client to close its side of a connection that was left, in ms. */
const farewellMs = 100;
/** A message of a stream that is not longer is sent at once: mostly it is an echo, for which a person waits. */
const promptBytes = 1024;

export interface FramedConnectionOptions {
  readonly handlers: AllHandlers;
  /** Called with defects that cannot be reported to the client. */
  readonly onFault: (error: unknown) => void;
}

/** Serves one client that uses vtr's own protocol. A client that violates it loses its connection. */
export class FramedConnection {
  readonly #socket: Socket;
  readonly #handlers: AllHandlers;
  readonly #onFault: (error: unknown) => void;
  readonly #reader = new FrameReader(maxRequestBytes + maxNameBytes, (frame) =>
    this.#handle(frame),
  );
  readonly #calls = new Map<number, ServedCall>();
  readonly #connection: ServedConnection;
  /** What the frame holds that is being received. */
  readonly #received: HeldBytes;
  readonly #slow: SlowInput;
  /** The name of the client's clock. */
  #clock = '';
  #isLeaving = false;
  /** Calls that were refused since the connection was read. */
  #refused = 0;
  #isCorked = false;
  #draining: Promise<void> | null = null;

  /** @param socket of which the preface was read */
  constructor(
    socket: Socket,
    connection: ServedConnection,
    { handlers, onFault }: FramedConnectionOptions,
  ) {
    this.#socket = socket;
    this.#connection = connection;
    this.#received = connection.budget.hold();
    this.#slow = new SlowInput(connection.limits, () => socket.destroy());
    this.#handlers = handlers;
    this.#onFault = onFault;
    socket.on('data', (chunk) => this.#receive(chunk));
    socket.on('error', () => socket.destroy());
    // A client that sends nothing more has gone.
    socket.once('close', () => this.#end(new ConnectError('the client has gone', Code.Canceled)));
    this.#send(frameTypes.hello, 0);
  }

  /** Refuses further calls, and closes the connection when none is pending. */
  leave(): void {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    this.#send(frameTypes.leave, 0);
    this.#closeIfIdle();
  }

  /** Asks a client without calls to use another connection, and closes this one. */
  retire(): void {
    if (this.#calls.size > 0 || this.#isLeaving) return;
    this.#isLeaving = true;
    this.#send(frameTypes.leave, 0);
    // The client closes it, so that no call of it is lost on the way.
    void setTimeout(this.#connection.limits.headMs, undefined, { ref: false }).then(() =>
      this.#socket.destroy(),
    );
  }

  /** Ends all pending calls, which then fail with `reason`. */
  abort(reason: unknown): void {
    for (const call of [...this.#calls.values()]) call.abort(reason);
  }

  #receive(chunk: Buffer): void {
    try {
      this.#reader.push(chunk);
      this.#hold(this.#reader.incomplete);
      this.#slow.received(chunk.length, this.#reader.receiving);
    } catch (error) {
      if (!(error instanceof FrameError)) this.#onFault(error);
      this.#socket.destroy();
    }
    const restMs = this.#refused * refusedMs;
    this.#refused = 0;
    const isFull = this.#socket.writableLength > maxUnsentBytes;
    if ((restMs === 0 && !isFull) || this.#socket.isPaused()) return;
    this.#socket.pause();
    const rest = setTimeout(restMs, undefined, { ref: false });
    void Promise.all([rest, isFull && this.#drained()]).then(() => this.#socket.resume());
  }

  /** Counts the frame that is being received, or refuses it. */
  #hold(bytes: number): void {
    this.#received.release();
    if (bytes < headerBytes) return;
    try {
      this.#received.add(bytes);
    } catch (error) {
      const { type, call: number } = this.#reader.ignore();
      if (type === frameTypes.call) this.#fail(number, error);
      else this.#calls.get(number)?.abort(error);
    }
  }

  #handle({ type, call: number, payload }: Frame): void {
    if (this.#socket.destroyed) return;
    this.#slow.completed();
    this.#received.release();
    if (type === frameTypes.call) {
      this.#begin(number, payload);
      return;
    }
    // Frames of calls that have ended may be on their way.
    const call = this.#calls.get(number);
    if (type === frameTypes.message) this.#add(call, payload);
    else if (type === frameTypes.end) call?.requests.end();
    else if (type === frameTypes.taken) {
      const bytes = decodeCount(payload);
      call?.taken(bytes);
    } else if (type === frameTypes.cancel) {
      call?.abort(new ConnectError('the call was cancelled', Code.Canceled));
    } else if (type === frameTypes.clock) {
      if (payload.length > maxNameBytes) throw new FrameError('a clock with a long name');
      this.#clock = Buffer.from(payload).toString('latin1');
      this.#setClient(number);
    } else throw new FrameError(`a frame of type ${type}`);
  }

  #setClient(number: number): void {
    const { client } = this.#connection;
    const kind = framedClients[number];
    if (client !== null && kind !== undefined) this.#connection.client = { ...client, kind };
  }

  /** @throws FrameError */
  #add(call: ServedCall | undefined, payload: Uint8Array): void {
    try {
      call?.requests.add(compact(payload));
    } catch (error) {
      if (error instanceof FrameError) throw error;
      call?.abort(error);
    }
  }

  /** @throws FrameError */
  #begin(number: number, payload: Uint8Array): void {
    if (this.#calls.has(number)) throw new FrameError(`call ${number} twice`);
    const { name, limit, request } = decodeCall(payload);
    const method = methods.get(name);
    const hold = this.#connection.budget.hold();
    const refusal = this.#refusal(name, method, hold, request.length);
    if (refusal !== null || method === undefined) {
      this.#refused++;
      this.#send(frameTypes.failure, number, encodeFailure(refusal ?? asVtrError(null)));
      return;
    }
    const call = new ServedCall(hold);
    this.#calls.set(number, call);
    this.#connection.received();
    const place = this.#connection.begin();
    call.values.set(callKey, place).set(clientKey, this.#connection.client);
    call.values.set(markKey, (mark) => this.#sendMark(number, mark));
    noteLimit(call.values, arrived(limit, this.#clock));
    const message = compact(request);
    const served =
      method.methodKind === 'unary'
        ? this.#answer(number, call, method, message)
        : this.#stream(number, call, method, message);
    served
      .catch((error) => this.#fail(number, error))
      .finally(() => {
        place.done();
        hold.release();
        this.#connection.answered();
        this.#calls.delete(number);
        this.#closeIfIdle();
      });
  }

  /** Returns why a call is not begun; else its request counts. */
  #refusal(
    name: string,
    method: DescMethod | undefined,
    hold: HeldBytes,
    bytes: number,
  ): VtrError | null {
    if (method === undefined) {
      return new VtrError('INVALID_ARGUMENT', `there is no method ${quoted(name)}`);
    }
    if (this.#isLeaving) {
      // It has no effect, as if nothing listened.
      const details = { reason: 'ECONNREFUSED' };
      return new VtrError('UNAVAILABLE', 'the coordinator is shutting down', { details });
    }
    try {
      hold.add(callBytes + bytes);
      return null;
    } catch (error) {
      return asVtrError(error);
    }
  }

  async #answer(
    number: number,
    call: ServedCall,
    method: DescMethod,
    request: Uint8Array,
  ): Promise<void> {
    const handler = handlerOf(this.#handlers, method);
    const answer = await handler(decode(method, request), contextOf(call));
    this.#send(frameTypes.answer, number, encode(method, answer as Message));
  }

  async #stream(
    number: number,
    call: ServedCall,
    method: DescMethod,
    request: Uint8Array,
  ): Promise<void> {
    const handler = handlerOf(this.#handlers, method);
    const isFed = method.methodKind !== 'server_streaming';
    const message = isFed ? decodeAll(method, call.requests) : decode(method, request);
    const messages = (handler(message, contextOf(call)) as AsyncIterable<Message>)[
      Symbol.asyncIterator
    ]();
    try {
      for (;;) {
        if (!call.isOpen) await call.opened();
        if (this.#socket.writableNeedDrain) await this.#drained();
        call.signal.throwIfAborted();
        const { done, value } = await messages.next();
        if (done) break;
        const payload = encode(method, value);
        call.onSend(payload);
        this.#send(frameTypes.message, number, payload);
        if (payload.length <= promptBytes && !this.#connection.lane.isRunning) this.#uncork();
      }
    } finally {
      await messages.return?.();
    }
    this.#send(frameTypes.end, number);
  }

  /** Resolves when the client reads again, or has gone. All streams of the connection share it. */
  #drained(): Promise<void> {
    const { destroyed } = this.#socket;
    if (destroyed) return Promise.resolve();
    this.#draining ??= new Promise((resolve) => {
      const resume = () => {
        this.#socket.off('drain', resume).off('close', resume);
        this.#draining = null;
        resolve();
      };
      this.#socket.on('drain', resume).on('close', resume);
    });
    return this.#draining;
  }

  #fail(number: number, error: unknown): void {
    this.#send(frameTypes.failure, number, encodeFailure(fromStatus(error)));
  }

  /** Now, and not with the frames of the turn. */
  #sendMark(number: number, mark: ReadMark): void {
    const payload = toBinary(GetMarkResponseSchema, create(GetMarkResponseSchema, { mark }));
    this.#send(frameTypes.message, number, payload);
    this.#uncork();
  }

  readonly #flushSoon = () => process.nextTick(this.#flush);

  readonly #flush = () => {
    if (this.#connection.lane.isRunning) {
      // After the microtasks, which the call needs.
      queueMicrotask(this.#flushSoon);
      return;
    }
    this.#uncork();
  };

  #uncork(): void {
    this.#isCorked = false;
    this.#socket.uncork();
  }

  /** Frames of one turn are sent in one system call, except for short messages. */
  #send(type: FrameType, call: number, payload?: Uint8Array): void {
    if (this.#socket.destroyed) return;
    if (!this.#isCorked) {
      this.#isCorked = true;
      this.#socket.cork();
      this.#flushSoon();
    }
    this.#socket.write(encodeFrame(type, call, payload));
  }

  #end(reason: unknown): void {
    this.#isLeaving = true;
    this.#slow.end();
    this.#received.release();
    this.abort(reason);
  }

  /** A client that does not close its side, too, is suspended: it reads later what was sent. */
  #closeIfIdle(): void {
    if (!this.#isLeaving || this.#calls.size > 0) return;
    this.#socket.end(() => {
      void setTimeout(farewellMs, undefined, { ref: false }).then(() => this.#socket.destroy());
    });
  }
}

/** Returns a copy of a part that would keep much more in memory than it has. */
const compact = (part: Uint8Array): Uint8Array =>
  part.length * 2 < part.buffer.byteLength ? part.slice() : part;

/** @throws VtrError INVALID_ARGUMENT */
function decode({ input }: DescMethod, bytes: Uint8Array): Message {
  try {
    return decodeMessage(input, bytes);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new VtrError('INVALID_ARGUMENT', `the request cannot be decoded: ${why}`);
  }
}

async function* decodeAll(method: DescMethod, payloads: AsyncIterable<Uint8Array>) {
  for await (const payload of payloads) yield decode(method, payload);
}

const encode = ({ output }: DescMethod, message: Message): Uint8Array =>
  output === ListResponseSchema
    ? encodeList(message as MessageInitShape<typeof ListResponseSchema>)
    : encodeMessage(output, message as MessageInitShape<typeof output>);
