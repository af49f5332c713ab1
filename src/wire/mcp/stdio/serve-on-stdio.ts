import { type Readable, Writable } from 'node:stream';
import {
  INVALID_REQUEST,
  type JSONRPCMessage,
  type McpServer,
  PARSE_ERROR,
  parseJSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { decodeUtf8, ignored, invalidUtf8Text, LineReader, repeatedJsonName } from '#base';
import { Caller } from '../caller.ts';
import { createMcpServer } from '../mcp-server.ts';
import { ResourceWatch } from '../resources/resource-watch.ts';
import { acceptSubscriptions, Listens } from '../resources/subscriptions.ts';
import type { Service } from '../service.ts';
import { DirectCalls } from './direct-calls.ts';
import { LongMessageId } from './long-message-id.ts';

/**
 * Serves the client on stdin and stdout until it disconnects or `stop` resolves, in both versions of
 * the protocol. Other writes to stdout go to stderr: one stray line breaks the client.
 */
export async function serveOnStdio(service: Service, stop: Promise<unknown>): Promise<void> {
  const toClient = process.stdout.write.bind(process.stdout);
  const output = new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, done) => void toClient(chunk, done),
  });
  // `output` reports the error, too. Without a listener, it would end this process with a stack trace.
  process.stdout.on('error', () => {});
  process.stdout.write = process.stderr.write.bind(process.stderr);
  await serveOnStreams(service, { input: process.stdin, output }, stop);
}

/** The two directions of a connection. */
export interface Streams {
  /** What the client sends; its end disconnects the client. */
  readonly input: Readable;
  readonly output: Writable;
}

/** As {@link serveOnStdio}, on any two streams. */
export async function serveOnStreams(
  service: Service,
  { input, output }: Streams,
  stop: Promise<unknown>,
): Promise<void> {
  const gone = new Promise<void>((resolve) => {
    input.once('end', resolve);
    input.once('close', resolve);
    // The transport then reads no more, so the end of the input would not be seen.
    output.once('error', () => resolve());
  });
  const caller = new Caller(service);
  const { watch, serverFor } = watchedServers(caller);
  const listens = new Listens(watch);
  const direct = new DirectCalls({ caller, write: (line) => transport.write(line) });
  const transport = new LineTransport(input, output, {
    heard: (each) => listens.heard(each),
    takes: (each) => direct.takes(each),
    closed: () => direct.close(),
  });
  const serve = (era: 'legacy' | 'modern') => {
    const server = serverFor(era);
    direct.serves(era === 'legacy' ? server : null);
    return server;
  };
  const connection = serveStdio(({ era }) => serve(era), {
    transport,
    onerror: (error) => service.log('error', error.message),
  });
  await Promise.race([gone, stop]);
  watch.dispose();
  await connection.close();
}

/** The server of the only client. The library may make several while the client tries protocol versions; the last one stays. */
function watchedServers(caller: Caller) {
  const { service } = caller;
  let server: McpServer | null = null;
  let isWanted = (_uri: string) => true;
  const watch = new ResourceWatch(service, {
    updated(uri) {
      if (isWanted(uri))
        ignored(server?.server.sendResourceUpdated({ uri }), 'the client may be gone');
    },
    listChanged() {
      ignored(server?.server.sendResourceListChanged(), 'the client may be gone');
    },
  });
  const serverFor = (era: 'legacy' | 'modern') => {
    server = createMcpServer(caller, { subscribe: true });
    // For the newer version the library itself filters by subscription.
    isWanted = era === 'legacy' ? acceptSubscriptions(server, service.host, watch) : () => true;
    return server;
  };
  return { watch, serverFor };
}

/** Without the line feed. Input text is at most a megabyte, and JSON may write a character as `\u0000`. */
const maxLineBytes = 10 * 1024 * 1024;

/** What comes before the library. */
export interface LineListener {
  /** Called with each message that the library handles, before it does. */
  readonly heard?: (message: JSONRPCMessage) => void;
  /** Called with the JSON of each line; the message is handled if it returns true. */
  readonly takes?: (json: unknown) => boolean;
  readonly closed?: () => void;
}

/**
 * JSON-RPC messages, one per line. An invalid line is answered with an error, and reading continues; the
 * library's own transport drops such lines silently and stops at a long one.
 */
export class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport['onmessage']>;
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #listener: LineListener;
  /** Of the line that is too long; null if none is read. */
  #longId: LongMessageId | null = null;
  readonly #lines = new LineReader({
    maxBytes: maxLineBytes + 1,
    headBytes: 0,
    onLong: (piece) => {
      this.#longId ??= new LongMessageId();
      this.#longId.push(piece);
    },
  });
  #isClosed = false;

  constructor(input: Readable, output: Writable, listener: LineListener = {}) {
    this.#input = input;
    this.#output = output;
    this.#listener = listener;
  }

  async start(): Promise<void> {
    this.#input.on('data', this.#read);
    this.#input.once('end', this.#end);
    this.#input.once('close', this.#end);
    this.#output.once('error', this.#end);
  }

  /** Resolves when the message is written. */
  async send(message: JSONRPCMessage | Refusal): Promise<void> {
    await this.write(JSON.stringify(message));
  }

  /** As {@link send}, of a message as JSON. */
  async write(message: string): Promise<void> {
    if (this.#isClosed) return;
    await new Promise<void>((resolve, reject) => {
      this.#output.write(`${message}\n`, (error) => {
        if (error) reject(error);
        else resolve();
      });
    });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#input.off('data', this.#read);
    this.#input.pause();
    this.#listener.closed?.();
    this.onclose?.();
  }

  readonly #end = () => void this.close();

  readonly #read = (chunk: Buffer) => {
    for (const { bytes, tooLongBytes } of this.#lines.push(chunk)) {
      if (this.#isClosed) return;
      if (tooLongBytes !== null) {
        const id = this.#longId?.id ?? null;
        this.#longId = null;
        this.#refuse(INVALID_REQUEST, `the message is larger than ${maxLineBytes} bytes`, id);
        continue;
      }
      const line = decodeUtf8(bytes);
      if (line.trim() !== '') this.#readLine(line, invalidUtf8Text(bytes));
    }
  };

  /** @param problem what is not UTF-8 in it */
  #readLine(line: string, problem: string | null): void {
    let json: unknown;
    try {
      json = JSON.parse(line);
    } catch {
      this.#refuse(PARSE_ERROR, 'invalid JSON');
      return;
    }
    if (problem !== null) {
      this.#refuse(PARSE_ERROR, `the message is not UTF-8: ${problem}`, idOf(json));
      return;
    }
    const repeated = repeatedJsonName(line);
    if (repeated !== null) {
      this.#refuse(INVALID_REQUEST, `${repeated} is given twice`, idOf(json));
      return;
    }
    if (this.#listener.takes?.(json)) return;
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(json);
    } catch {
      this.#refuse(INVALID_REQUEST, 'not a JSON-RPC 2.0 message', idOf(json));
      return;
    }
    this.#listener.heard?.(message);
    this.onmessage?.(message);
  }

  #refuse(code: number, message: string, id: Refusal['id'] = null): void {
    this.onerror?.(new Error(`line refused: ${message}`));
    ignored(this.send({ jsonrpc: '2.0', error: { code, message }, id }), 'the client may be gone');
  }
}

/** An error answer; `id` is null if the message has no readable one. */
interface Refusal {
  readonly jsonrpc: '2.0';
  readonly error: { readonly code: number; readonly message: string };
  readonly id: string | number | null;
}

function idOf(json: unknown): Refusal['id'] {
  const id = typeof json === 'object' && json !== null && 'id' in json ? json.id : null;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
