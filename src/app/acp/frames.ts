import { type Readable, Writable } from 'node:stream';
import { type LineBytes, LineReader } from '#base';
import type { RpcError } from '#wire/acp';
import { members, NotJson, raw, type Span, skipSpace } from './json-spans.ts';

/** Kept of a frame that is too long, to identify its message. */
const headBytes = 64 * 1024;

export interface Frame {
  /** The line with its line end, as received; the last frame may have no line end. */
  readonly bytes: Buffer;
  /** The size of a frame over the limit, of which `bytes` is the beginning; null if `bytes` is all of it. */
  readonly tooLongBytes: number | null;
}

/**
 * Reads the frames of a stream: lines, each a JSON-RPC message. The stream is read only as fast as the
 * frames are consumed, and at most one frame is kept in memory.
 *
 * @param maxBytes without the line end; the rest of a longer frame is read and dropped
 */
export async function* readFrames(
  stream: Readable,
  maxBytes: number,
): AsyncGenerator<Frame, void, void> {
  // `\r\n` is two bytes more.
  const lines = new LineReader({ maxBytes: maxBytes + 2, headBytes });
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    for (const line of lines.push(chunk)) yield frameOf(line);
  }
  const last = lines.end();
  if (last !== null) yield frameOf(last);
}

function frameOf({ bytes, tooLongBytes }: LineBytes): Frame {
  return { bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), tooLongBytes };
}

/** Writes frames, each whole, in the order of calls. */
export class FrameWriter {
  readonly #stream: Writable;
  readonly #gone: Promise<void>;
  #isGone = false;
  #writtenBytes = 0;
  #drained: Promise<void> | null = null;

  constructor(stream: Writable) {
    this.#stream = stream;
    this.#gone = new Promise((resolve) => {
      const onGone = () => {
        this.#isGone = true;
        resolve();
      };
      // After EPIPE and similar errors nobody reads.
      stream.on('error', onGone);
      stream.on('close', onGone);
    });
  }

  /** Resolves when the peer has closed its side. */
  get gone(): Promise<void> {
    return this.#gone;
  }

  /** Bytes that the peer has not read yet. */
  get waitingBytes(): number {
    return this.#stream.writableLength;
  }

  /** All bytes written so far, read by the peer or not. */
  get writtenBytes(): number {
    return this.#writtenBytes;
  }

  /** Resolves when more can be written, or the peer is gone. */
  async write(frame: Uint8Array | string): Promise<void> {
    if (this.#isGone || this.#stream.writableEnded) return;
    this.#writtenBytes += Buffer.byteLength(frame);
    if (!this.#stream.write(frame)) await this.drained();
  }

  /** Resolves when the stream's buffer has space, or the peer is gone. */
  drained(): Promise<void> {
    if (this.#isGone || !this.#stream.writableNeedDrain) return Promise.resolve();
    this.#drained ??= new Promise<void>((resolve) => {
      this.#stream.once('drain', resolve);
      void this.#gone.then(resolve);
    }).finally(() => {
      this.#drained = null;
    });
    return this.#drained;
  }

  /** Resolves when the system has all bytes written so far, or the peer is gone. */
  flushed(): Promise<void> {
    if (this.#isGone || this.waitingBytes === 0) return Promise.resolve();
    const taken = new Promise<void>((resolve) => {
      this.#stream.write('', () => resolve());
    });
    return Promise.race([taken, this.#gone]);
  }

  /** Closes the stream. */
  end(): void {
    if (!this.#isGone) this.#stream.end();
  }
}

/**
 * Returns a stream to stdout for the protocol, and redirects all other writes to stdout to stderr: one
 * stray line breaks the editor.
 */
export function takeStdout(): Writable {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  // The default handler exits at once, but the agent must be ended first.
  stdout.removeAllListeners('error');
  const taken = new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, done) => void write(chunk, done),
  });
  stdout.on('error', (error) => taken.destroy(error));
  stdout.write = stderr.write.bind(stderr);
  return taken;
}

/** The envelope of a frame; its contents are not parsed. */
export interface Message {
  /** Null for an answer and for an invalid message. */
  readonly method: string | null;
  /** As JSON text, so that a long number loses no digit; null if there is none. */
  readonly id: string | null;
  /** In a request or a notification. */
  readonly params: Span | null;
  /** In a successful answer. */
  readonly result: Span | null;
  /** In a truncated frame, the member in whose value it ends; null if it ends in none. */
  readonly cutMember: string | null;
}

/**
 * Returns the message in a frame; null if it is not a JSON object.
 *
 * @param isCut whether the frame is truncated; then returns the members found
 */
export function messageIn(frame: Uint8Array, isCut = false): Message | null {
  const parts: Found = { method: null, id: null, params: null, result: null, cutMember: null };
  try {
    return readMembers(frame, parts) ? parts : null;
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    return isCut ? { ...parts, cutMember: error.member } : null;
  }
}

type Found = { -readonly [Name in keyof Message]: Message[Name] };

/** Returns whether the frame is exactly one object. @throws NotJson */
function readMembers(frame: Uint8Array, parts: Found): boolean {
  const each = members(frame, 0);
  let count = 0;
  let next = each.next();
  for (; !next.done; next = each.next()) {
    const { key, value } = next.value;
    count++;
    if (key === 'method') parts.method = textIn(raw(frame, value));
    else if (key === 'id') parts.id = idIn(raw(frame, value));
    else if (key === 'params' || key === 'result') parts[key] = value;
  }
  return count > 0 && skipSpace(frame, next.value) === frame.length;
}

/** Returns an id in one spelling: JSON can write a string in several ways. */
function idIn(written: string): string | null {
  if (written === 'null') return null;
  const text = textIn(written);
  return text === null ? written : JSON.stringify(text);
}

function textIn(written: string): string | null {
  if (!written.startsWith('"')) return null;
  try {
    return JSON.parse(written);
  } catch {
    return null;
  }
}

/** Returns the frame of an answer. @param id as JSON text */
export const resultFrame = (id: string, result: object): string =>
  `{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(result)}}\n`;

/** Returns the frame of an error. @param id null if the request's id is unknown */
export const errorFrame = (id: string | null, error: Omit<RpcError, 'data'>): string =>
  `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(error)}}\n`;

export const notificationFrame = (method: string, params: string): string =>
  `{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":${params}}\n`;
