import type { Message } from '@bufbuild/protobuf';
import type { JsonCalls, JsonConnection, JsonMessage, StreamedJson } from '#model';
import { decode, encode, methodOf, takeBytes } from '../json-messages.ts';
import { Connection, unreachable } from './connection.ts';

/** The service of a coordinator in another process, in JSON. A client has a connection of its own. */
export function remoteJsonCalls(socket: string): JsonCalls {
  return { connect: () => new RemoteJsonConnection(socket) };
}

class RemoteJsonConnection implements JsonConnection {
  readonly #connection: Connection;
  readonly #place: string;

  constructor(socket: string) {
    this.#connection = new Connection(socket, 'web');
    this.#place = `the coordinator at ${socket}`;
  }

  async unary(name: string, json: JsonMessage): Promise<JsonMessage> {
    const method = methodOf(name, 'unary');
    const request = decode(method.input, json);
    try {
      return encode(method.output, await this.#connection.call(method, request));
    } catch (error) {
      throw unreachable(error, this.#place);
    }
  }

  stream(name: string, json: JsonMessage): AsyncIterableIterator<StreamedJson> {
    const method = methodOf(name, 'server_streaming');
    const place = this.#place;
    const answers = this.#connection.stream(method, decode(method.input, json));
    return {
      [Symbol.asyncIterator]() {
        return this;
      },
      async next() {
        try {
          const { done, value } = await answers.next();
          if (done) return { done, value: undefined };
          const message: Message = value;
          const bytes = takeBytes(method.output, message);
          return { done: false, value: { json: encode(method.output, message), bytes } };
        } catch (error) {
          throw unreachable(error, place);
        }
      },
      async return() {
        await answers.return?.();
        return { done: true, value: undefined };
      },
    };
  }

  close(): void {
    this.#connection.close();
  }
}
