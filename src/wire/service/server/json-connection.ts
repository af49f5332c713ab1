import {
  create,
  type DescMessage,
  type DescMethod,
  type Message,
  type MessageInitShape,
} from '@bufbuild/protobuf';
import { ignored } from '#base';
import { type JsonConnection, type JsonMessage, type StreamedJson, VtrError } from '#model';
import { fromStatus, toStatus } from '../errors.ts';
import { decode, encode, methodOf, takeBytes } from '../exact-json.ts';
import { callBytes } from './limits/request-budget.ts';
import { callKey, clientKey, type ServedConnection } from './limits/served-connection.ts';
import { type AllHandlers, contextOf, handlerOf, ServedCall } from './served-call.ts';

/** Serves one client in this process whose messages are JSON. */
export class ServedJsonConnection implements JsonConnection {
  readonly #handlers: AllHandlers;
  readonly #connection: ServedConnection;
  readonly #version: string;
  readonly #calls = new Set<ServedCall>();

  /** @param version of this package */
  constructor(handlers: AllHandlers, connection: ServedConnection, version = '') {
    this.#handlers = handlers;
    this.#connection = connection;
    this.#version = version;
  }

  async unary(name: string, json: JsonMessage, bytes = 0): Promise<JsonMessage> {
    const method = methodOf(name, 'unary');
    const { call, done } = this.#begin(bytes);
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

  stream(name: string, json: JsonMessage, bytes = 0): AsyncIterableIterator<StreamedJson> {
    const method = methodOf(name, 'server_streaming');
    // Now, not when the first message is asked for: the call has its place in the order.
    const { call, done } = this.#begin(bytes);
    const messages = this.#messages(method, json, call, done);
    return {
      [Symbol.asyncIterator]() {
        return this;
      },
      next: () => messages.next(),
      async return() {
        call.abort(gone());
        done();
        await ignored(messages.return(undefined), 'the call is aborted');
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

  /** @throws VtrError REQUEST_BACKLOG */
  #begin(bytes: number): { readonly call: ServedCall; readonly done: () => void } {
    const hold = this.#connection.budget.hold();
    hold.add(callBytes + bytes);
    const call = new ServedCall(hold);
    const place = this.#connection.begin();
    call.values.set(callKey, place).set(clientKey, this.#connection.client);
    this.#calls.add(call);
    const done = () => {
      place.done();
      hold.release();
      this.#calls.delete(call);
    };
    return { call, done };
  }
}

const gone = () => toStatus(new VtrError('CANCELLED', 'the client has gone'));
