import type { Message } from '@bufbuild/protobuf';
import { ignored } from '#base';
import { VTR } from '#messages';
import type { JsonCalls, JsonConnection, JsonMessage, StreamedJson } from '#model';
import { decode, encode, methodOf, takeBytes } from '../exact-json.ts';
import { Connection, unreachable } from './connection.ts';
import { listLimits } from './pace.ts';
import { Silence } from './silence.ts';
import { answeredMs } from './silence-limits.ts';

/** The service of a coordinator in another process, in JSON. A client has a connection of its own. */
export function remoteJsonCalls(socket: string): JsonCalls {
  return { connect: () => new RemoteJsonConnection(socket) };
}

/** Calls to a coordinator that does not respond fail, so that those of others are not held up. */
class RemoteJsonConnection implements JsonConnection {
  readonly #connection: Connection;
  readonly #place: string;
  readonly #silence: Silence;

  constructor(socket: string) {
    this.#connection = new Connection(socket, 'web', { mayPrompt: false });
    this.#place = `the coordinator at ${socket}`;
    this.#silence = new Silence(socket, this.#place, null);
  }

  async unary(name: string, json: JsonMessage): Promise<JsonMessage> {
    const method = methodOf(name, 'unary');
    const request = decode(method.input, json);
    try {
      const isList = method === VTR.method.list;
      const answer = await this.#silence.during(
        (cancelBy) =>
          this.#connection.call(method, request, {
            cancelBy,
            ...(isList && { answerMs: listLimits.answerMs }),
          }),
        isList ? answeredMs : undefined,
      );
      return encode(method.output, answer);
    } catch (error) {
      throw unreachable(error, this.#place);
    }
  }

  stream(name: string, json: JsonMessage): AsyncIterableIterator<StreamedJson> {
    const method = methodOf(name, 'server_streaming');
    const place = this.#place;
    const answers = this.#connection.stream(method, decode(method.input, json));
    let first: ReturnType<typeof answers.next> | null = this.#silence.during((cancelBy) => {
      cancelBy(() => answers.return());
      return answers.next();
    });
    ignored(first, 'the first next() reports it');
    const next = () => {
      const result = first ?? answers.next();
      first = null;
      return result;
    };
    return {
      [Symbol.asyncIterator]() {
        return this;
      },
      async next() {
        try {
          const { done, value } = await next();
          if (done) return { done, value: undefined };
          const message: Message = value;
          const bytes = takeBytes(method.output, message);
          return { done: false, value: { json: encode(method.output, message), bytes } };
        } catch (error) {
          throw unreachable(error, place);
        }
      },
      async return() {
        await answers.return();
        return { done: true, value: undefined };
      },
    };
  }

  close(): void {
    this.#connection.close();
  }
}
