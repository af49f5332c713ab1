import type { Readable, Writable } from 'node:stream';
import {
  INVALID_REQUEST,
  type JSONRPCMessage,
  PARSE_ERROR,
  parseJSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/server';
import { decodeUtf8, invalidUtf8Text, LineReader, repeatedJsonName } from '#base';

/** Without the line feed. Input text is at most a megabyte, and JSON may write a character as `\u0000`. */
const maxLineBytes = 10 * 1024 * 1024;

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
  readonly #hear: (message: JSONRPCMessage) => void;
  readonly #lines = new LineReader({ maxBytes: maxLineBytes + 1, headBytes: 0 });
  #isClosed = false;

  /** @param hear is called with each message before it is handled */
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

  /** Resolves when the message is written. */
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
        this.#refuse(INVALID_REQUEST, `the message is larger than ${maxLineBytes} bytes`);
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
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(json);
    } catch {
      this.#refuse(INVALID_REQUEST, 'not a JSON-RPC 2.0 message', idOf(json));
      return;
    }
    this.#hear(message);
    this.onmessage?.(message);
  }

  #refuse(code: number, message: string, id: Refusal['id'] = null): void {
    this.onerror?.(new Error(`line refused: ${message}`));
    this.send({ jsonrpc: '2.0', error: { code, message }, id }).catch(() => {});
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
