import {
  create,
  type DescMessage,
  type DescMethod,
  type Message,
  type MessageInitShape,
} from '@bufbuild/protobuf';
import { type JsonConnection, type JsonMessage, type StreamedJson, VtrError } from '#model';
import { CallOrder } from '../call-order.ts';
import { fromStatus, toStatus } from '../errors.ts';
import { decode, encode, methodOf, takeBytes } from '../json-messages.ts';
import { orderKey } from './accepted.ts';
import { type AllHandlers, contextOf, handlerOf, ServedCall } from './served-call.ts';

/** The most pending calls of a connection. */
const maxCalls = 1024;

/** Serves one client in this process whose messages are JSON. */
export class ServedJsonConnection implements JsonConnection {
  readonly #handlers: AllHandlers;
  readonly #version: string;
  readonly #order = new CallOrder();
  readonly #calls = new Set<ServedCall>();

  /** @param version of this package */
  constructor(handlers: AllHandlers, version = '') {
    this.#handlers = handlers;
    this.#version = version;
  }

  async unary(name: string, json: JsonMessage): Promise<JsonMessage> {
    const method = methodOf(name, 'unary');
    const { call, done } = this.#begin();
    try {
      const request = decode(method.input, json, this.#version);
      const answer = await handlerOf(this.#handlers, method)(request, contextOf(call));
      return encode(method.output, answer as Message);
    } catch (error) {
      throw fromStatus(error);
    } finally {
      done();
    }
  }

  stream(name: string, json: JsonMessage): AsyncIterableIterator<StreamedJson> {
    const method = methodOf(name, 'server_streaming');
    // Now, not when the first message is asked for: the call has its place in the order.
    const { call, done } = this.#begin();
    const messages = this.#messages(method, json, call, done);
    return {
      [Symbol.asyncIterator]() {
        return this;
      },
      next: () => messages.next(),
      async return() {
        call.abort(gone());
        done();
        await messages.return(undefined).catch(() => {});
        return { done: true, value: undefined };
      },
    };
  }

  async *#messages(
    method: DescMethod,
    json: JsonMessage,
    call: ServedCall,
    done: () => void,
  ): AsyncGenerator<StreamedJson, undefined> {
    const { input, output } = method;
    try {
      const answer = handlerOf(this.#handlers, method)(
        decode(input, json, this.#version),
        contextOf(call),
      );
      for await (const each of answer as AsyncIterable<MessageInitShape<DescMessage>>) {
        const message = create(output, each);
        const bytes = takeBytes(output, message);
        yield { json: encode(output, message), bytes };
      }
    } catch (error) {
      throw fromStatus(error);
    } finally {
      done();
    }
  }

  close(): void {
    for (const call of [...this.#calls]) call.abort(gone());
  }

  #begin(): { readonly call: ServedCall; readonly done: () => void } {
    if (this.#calls.size >= maxCalls) {
      const message = `${maxCalls} calls of this connection are pending; wait for some`;
      throw new VtrError('INVALID_ARGUMENT', message);
    }
    const call = new ServedCall();
    const ordered = this.#order.add();
    call.values.set(orderKey, ordered);
    this.#calls.add(call);
    const done = () => {
      ordered.done();
      this.#calls.delete(call);
    };
    return { call, done };
  }
}

const gone = () => toStatus(new VtrError('CANCELLED', 'the client has gone'));
