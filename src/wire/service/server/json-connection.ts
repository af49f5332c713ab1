import {
  create,
  type DescMessage,
  type DescMethod,
  fromJson,
  type JsonValue,
  type Message,
  type MessageInitShape,
  toJson,
} from '@bufbuild/protobuf';
import { type JsonConnection, type JsonMessage, type StreamedJson, VtrError } from '#model';
import { fromStatus, toStatus } from '../errors.ts';
import { callBytes } from './limits/request-budget.ts';
import { callKey, type ServedConnection } from './limits/served-connection.ts';
import { type AllHandlers, contextOf, handlerOf, methods, ServedCall } from './served-call.ts';

/** Serves one client in this process whose messages are JSON. */
export class ServedJsonConnection implements JsonConnection {
  readonly #handlers: AllHandlers;
  readonly #connection: ServedConnection;
  readonly #calls = new Set<ServedCall>();

  constructor(handlers: AllHandlers, connection: ServedConnection) {
    this.#handlers = handlers;
    this.#connection = connection;
  }

  async unary(name: string, json: JsonMessage, bytes = 0): Promise<JsonMessage> {
    const method = methodOf(name, 'unary');
    const { call, done } = this.#begin(bytes);
    try {
      const request = decode(method.input, json);
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
      const answer = handlerOf(this.#handlers, method)(decode(input, json), contextOf(call));
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
    const held = this.#connection.budget.hold();
    held.add(callBytes + bytes);
    const call = new ServedCall(held);
    const place = this.#connection.begin();
    call.values.set(callKey, place);
    this.#calls.add(call);
    const done = () => {
      place.done();
      held.release();
      this.#calls.delete(call);
    };
    return { call, done };
  }
}

const gone = () => toStatus(new VtrError('CANCELLED', 'the client has gone'));

/** @throws VtrError INVALID_ARGUMENT */
function methodOf(name: string, kind: DescMethod['methodKind']): DescMethod {
  const method = methods.get(name);
  if (method?.methodKind === kind) return method;
  const what = kind === 'unary' ? 'call' : 'stream';
  throw new VtrError('INVALID_ARGUMENT', `there is no ${what} ${JSON.stringify(name)}`);
}

/** Unknown fields are of a later version. @throws VtrError INVALID_ARGUMENT */
function decode(input: DescMessage, json: JsonMessage): Message {
  try {
    return fromJson(input, json as JsonValue, { ignoreUnknownFields: true });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new VtrError('INVALID_ARGUMENT', `the request cannot be decoded: ${why}`);
  }
}

const encode = (output: DescMessage, message: Message | MessageInitShape<DescMessage>) =>
  toJson(output, create(output, message as MessageInitShape<DescMessage>)) as JsonMessage;

const none = new Uint8Array();

/** Empties the field of bytes of a message, or of the message in it, and returns what it had. */
function takeBytes(type: DescMessage, message: Message): Uint8Array | null {
  const fields = message as unknown as Record<string, unknown>;
  for (const field of type.fields) {
    const { oneof, localName } = field;
    const holder = (oneof === undefined ? message : fields[oneof.localName]) as
      | { case?: string; value?: unknown; [name: string]: unknown }
      | undefined;
    const key = oneof === undefined ? localName : 'value';
    if (holder === undefined || (oneof !== undefined && holder.case !== localName)) continue;
    const value = holder[key];
    if (value instanceof Uint8Array) {
      if (value.length === 0) continue;
      holder[key] = none;
      return value;
    }
    if (field.fieldKind !== 'message' || value === undefined) continue;
    const found = takeBytes(field.message, value as Message);
    if (found !== null) return found;
  }
  return null;
}
