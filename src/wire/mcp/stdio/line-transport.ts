import type { Readable, Writable } from 'node:stream';
import {
  INVALID_REQUEST,
  type JSONRPCMessage,
  PARSE_ERROR,
  parseJSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/server';
import { decodeUtf8, LineReader } from '#base';

/** Without the line feed. Text to type is a megabyte at most, and JSON may write a character as `\u0000`. */
const maxLineBytes = 10 * 1024 * 1024;

/**
 * Messages of JSON-RPC, one a line. What is none is answered, as JSON-RPC has it, and what follows
 * is read: the library's own drops it without a word, and gives up at a long line.
 */
export class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport['onmessage']>;
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #hear: (message: JSONRPCMessage) => void;
  readonly #lines = new LineReader({ maxBytes: maxLineBytes + 1, headBytes: 0 });
  #isClosed = false;

  /** @param hear is told of each message before it is handled */
  constructor(input: Readable, output: Writable, hear: (message: JSONRPCMessage) => void) {
    this.#input = input;
    this.#output = output;
    this.#hear = hear;
  }

  async start(): Promise<void> {
    this.#input.on('data', this.#read);
    this.#input.once('end', this.#end);
    this.#input.once('close', this.#end);
    this.#output.once('error', this.#end);
  }

  /** Resolves when there is room for more. */
  async send(message: JSONRPCMessage | Refusal): Promise<void> {
    if (this.#isClosed) return;
    await new Promise<void>((resolve, reject) => {
      this.#output.write(`${JSON.stringify(message)}\n`, (error) => {
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
    this.onclose?.();
  }

  readonly #end = () => void this.close();

  readonly #read = (chunk: Buffer) => {
    for (const { bytes, tooLongBytes } of this.#lines.push(chunk)) {
      if (this.#isClosed) return;
      if (tooLongBytes !== null) {
        this.#refuse(INVALID_REQUEST, `a message has ${maxLineBytes} bytes at most`);
        continue;
      }
      const line = decodeUtf8(bytes);
      if (line.trim() !== '') this.#readLine(line);
    }
  };

  #readLine(line: string): void {
    let json: unknown;
    try {
      json = JSON.parse(line);
    } catch {
      this.#refuse(PARSE_ERROR, 'this is no JSON');
      return;
    }
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(json);
    } catch {
      this.#refuse(INVALID_REQUEST, 'this is no message of JSON-RPC 2.0', idOf(json));
      return;
    }
    this.#hear(message);
    this.onmessage?.(message);
  }

  #refuse(code: number, message: string, id: Refusal['id'] = null): void {
    this.onerror?.(new Error(`a line was refused: ${message}`));
    this.send({ jsonrpc: '2.0', error: { code, message }, id }).catch(() => {});
  }
}

/** An answer to what has no id, or none that can be read. */
interface Refusal {
  readonly jsonrpc: '2.0';
  readonly error: { readonly code: number; readonly message: string };
  readonly id: string | number | null;
}

function idOf(json: unknown): Refusal['id'] {
  const id = typeof json === 'object' && json !== null && 'id' in json ? json.id : null;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
