import type { DescMethod } from '@bufbuild/protobuf';
import {
  type ContextValues,
  createContextValues,
  type HandlerContext,
  type ServiceImpl,
} from '@connectrpc/connect';
import { Queue } from '#base';
import { VTR } from '#messages';
import { Cancellation, maxRequestBytes } from '#model';
import { costOf, FrameError, windowBytes } from '../frames/frame.ts';
import type { HeldBytes } from './limits/request-budget.ts';

export type AllHandlers = ServiceImpl<typeof VTR>;

type Handler = (request: unknown, context: HandlerContext) => unknown;

/** The methods of the service by name. */
export const methods: ReadonlyMap<string, DescMethod> = new Map(
  VTR.methods.map((method) => [method.name, method]),
);

export const handlerOf = (handlers: AllHandlers, method: DescMethod): Handler =>
  handlers[method.localName as keyof AllHandlers] as Handler;

/** Handlers use only these two properties. */
export const contextOf = (call: ServedCall): HandlerContext => call as unknown as HandlerContext;

/** A call of a framed connection, and what a handler knows of it. */
export class ServedCall {
  readonly values: ContextValues = createContextValues();
  /** The messages that the client streams. */
  readonly requests: Requests;
  readonly signal = new Cancellation();
  /** What was sent and not taken, in bytes. */
  #untaken = 0;
  #wake: () => void = () => {};

  /** @param hold counts the messages that the client streams */
  constructor(hold: HeldBytes) {
    this.requests = new Requests(hold);
  }

  /** Ends the call. */
  abort(reason: unknown): void {
    this.signal.abort(reason);
    this.requests.fail(reason);
    this.#wake();
  }

  onSend(payload: Uint8Array): void {
    this.#untaken += costOf(payload);
  }

  /** The client has taken messages. */
  taken(bytes: number): void {
    this.#untaken -= bytes;
    this.#wake();
  }

  /** Whether another message may be sent. */
  get isOpen(): boolean {
    return this.#untaken < windowBytes;
  }

  /** Resolves when another message may be sent, or the call has ended. */
  async opened(): Promise<void> {
    while (!this.isOpen && !this.signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

/** The messages that a client streams, for one handler. */
class Requests implements AsyncIterableIterator<Uint8Array> {
  readonly #hold: HeldBytes;
  /** What the handler has now. */
  #takenBytes = 0;
  readonly #waiting = new Queue<Uint8Array>();
  #waitingBytes = 0;
  #isOver = false;
  #failure: unknown = null;
  #wake: () => void = () => {};

  constructor(hold: HeldBytes) {
    this.#hold = hold;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#hold.give(this.#takenBytes);
    this.#takenBytes = 0;
    for (;;) {
      const value = this.#waiting.shift();
      if (value !== undefined) {
        this.#waitingBytes -= costOf(value);
        this.#takenBytes = value.length;
        return { done: false, value };
      }
      if (this.#failure !== null) throw this.#failure;
      if (this.#isOver) return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** @throws FrameError if the client does not wait for the handler; VtrError REQUEST_BACKLOG */
  add(payload: Uint8Array): void {
    if (this.#isOver) return;
    this.#hold.add(payload.length);
    this.#waitingBytes += costOf(payload);
    if (this.#waitingBytes > 2 * maxRequestBytes) throw new FrameError('too many messages wait');
    this.#waiting.push(payload);
    this.#wake();
  }

  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  fail(reason: unknown): void {
    this.#failure ??= reason;
    this.end();
  }
}
