import { decodeUtf8 } from '#base';
import { type ErrorCode, errorTable, VtrError } from '#model';
import { noLimit, type StartLimit } from '../call-headers.ts';

/**
 * vtr's own protocol on the socket of the service: the calls of proto/vtr.proto, in frames.
 *
 * A client begins with {@link preface}, the server with a `hello`. Every frame is the length of what
 * follows it (4 bytes, little endian), its type (1 byte), the number of its call (4 bytes, little endian)
 * and a payload:
 *
 * | type | from | payload |
 * |---|---|---|
 * | hello | server | nothing |
 * | clock | client | the name of the client's clock, before its calls; see `session-requests.ts`. In place of the number of a call, that of the kind of client in {@link framedClients} |
 * | call | client | the length of the method's name (1 byte), the name, the start limit (4 bytes for the time in ms, 8 for the time on the client's clock as a double, little endian), the request; nothing in place of the request if the client streams |
 * | message | both | a message of a stream |
 * | end | both | nothing: the stream of the sender has ended; it ends the call if the server sends it |
 * | answer | server | the message that ends the call |
 * | failure | server | an error, as JSON; it ends the call |
 * | cancel | client | nothing; the call ends without an answer |
 * | taken | client | how many bytes of the call's messages were taken (4 bytes, little endian) |
 * | leave | server | nothing: further calls need another connection |
 *
 * Frames of both sides are handled in the order in which they were sent. A server sends messages of a
 * stream while fewer than {@link windowBytes} of it have not been taken.
 */
export const preface = 'vtr/2\n';

export const frameTypes = {
  hello: 1,
  call: 2,
  message: 3,
  end: 4,
  answer: 5,
  failure: 6,
  cancel: 7,
  taken: 8,
  leave: 9,
  clock: 10,
} as const;

export type FrameType = (typeof frameTypes)[keyof typeof frameTypes];

/** Kinds of clients that use frames, by number; see `Client.kind`. Never change a number. */
export const framedClients = ['library', 'cli', 'mcp', 'acp', 'web'] as const;

export type FramedClient = (typeof framedClients)[number];

/** The length, the type and the number of the call. */
export const headerBytes = 9;
const lengthBytes = 4;
/** The start limit of a call. */
const limitBytes = 12;
/** What a frame has at least after its length. */
const minLength = headerBytes - lengthBytes;

/** The bytes of a stream's messages that may not have been taken before the server stops sending. */
export const windowBytes = 256 * 1024;

/** What a message takes from the window besides its payload, in bytes, so that empty ones count, too. */
const messageBytes = 64;

/** What a message takes from the window, in bytes. */
export const costOf = (payload: Uint8Array): number => payload.length + messageBytes;

export interface Frame {
  readonly type: number;
  /** The number of the call; 0 for frames of the connection. */
  readonly call: number;
  readonly payload: Uint8Array;
}

/** The peer does not follow the protocol. */
export class FrameError extends Error {}

/** Returns a whole frame. @param name of the method, for a call */
export function encodeFrame(
  type: FrameType,
  call: number,
  payload: Uint8Array = new Uint8Array(0),
  name = '',
  limit = noLimit,
): Buffer {
  const nameBytes = name === '' ? 0 : 1 + name.length + limitBytes;
  const frame = Buffer.allocUnsafe(headerBytes + nameBytes + payload.length);
  frame.writeUInt32LE(frame.length - lengthBytes, 0);
  frame[4] = type;
  frame.writeUInt32LE(call, 5);
  if (name !== '') {
    frame[headerBytes] = name.length;
    frame.write(name, headerBytes + 1, 'latin1');
    const at = headerBytes + 1 + name.length;
    frame.writeUInt32LE(Math.ceil(limit.withinMs), at);
    frame.writeDoubleLE(limit.untilMs, at + 4);
  }
  frame.set(payload, headerBytes + nameBytes);
  return frame;
}

/** Returns the payload of a `taken`. */
export function encodeCount(count: number): Uint8Array {
  const payload = Buffer.allocUnsafe(4);
  payload.writeUInt32LE(count);
  return payload;
}

/** @throws FrameError */
export function decodeCount(payload: Uint8Array): number {
  if (payload.length !== 4) throw new FrameError('a count has 4 bytes');
  return bufferOf(payload).readUInt32LE(0);
}

export interface CallFrame {
  /** The name of the method. */
  readonly name: string;
  /** On the client's clock. */
  readonly limit: StartLimit;
  readonly request: Uint8Array;
}

/** @throws FrameError */
export function decodeCall(payload: Uint8Array): CallFrame {
  const bytes = bufferOf(payload);
  const nameEnd = 1 + (payload[0] ?? 0);
  const end = nameEnd + limitBytes;
  if (end > payload.length) throw new FrameError('the beginning of a call is not complete');
  const name = bytes.toString('latin1', 1, nameEnd);
  const limit = {
    withinMs: bytes.readUInt32LE(nameEnd),
    untilMs: bytes.readDoubleLE(nameEnd + 4),
  };
  return { name, limit, request: payload.subarray(end) };
}

const bufferOf = ({ buffer, byteOffset, length }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, length);

/** Cuts what was received into frames. */
export class FrameReader {
  readonly #maxPayload: number;
  readonly #onFrame: (frame: Frame) => void;
  /** The pieces of a frame that is not complete. */
  #pieces: Buffer[] = [];
  #have = 0;
  /** The bytes that are needed to go on. */
  #need = headerBytes;
  /** The bytes that are ignored: the rest of a frame. */
  #ignored = 0;

  /** @param maxPayload the most bytes of a payload */
  constructor(maxPayload: number, onFrame: (frame: Frame) => void) {
    this.#maxPayload = maxPayload;
    this.#onFrame = onFrame;
  }

  /** What it has of a frame that is not complete, in bytes. */
  get incomplete(): number {
    return this.#have;
  }

  /** The part of a frame that is not complete, also of one that is ignored; null between two frames. */
  get receiving(): 'head' | 'payload' | null {
    if (this.#have === 0 && this.#ignored === 0) return null;
    return this.#ignored === 0 && this.#have < headerBytes ? 'head' : 'payload';
  }

  /** The call of the frame that is not complete; null if that is not known yet. */
  get incompleteCall(): number | null {
    // Once the header is complete, the first piece begins with it.
    return this.receiving === 'payload' ? (this.#pieces[0]?.readUInt32LE(5) ?? null) : null;
  }

  /** Ignores the frame that is not complete, of which it must have the header. @returns what it was */
  ignore(): Pick<Frame, 'type' | 'call'> {
    const bytes = Buffer.concat(this.#pieces);
    this.#ignored = this.#need - this.#have;
    this.#pieces = [];
    this.#have = 0;
    this.#need = headerBytes;
    return { type: bytes[4] as number, call: bytes.readUInt32LE(5) };
  }

  /** @param chunk kept by the payloads of its frames. @throws FrameError; the reader must not be used after it */
  push(chunk: Buffer): void {
    let bytes = chunk;
    if (this.#ignored > 0) {
      bytes = chunk.subarray(this.#ignored);
      this.#ignored -= chunk.length - bytes.length;
      if (bytes.length === 0) return;
    }
    if (this.#have > 0 || bytes.length < headerBytes) {
      this.#pieces.push(bytes);
      this.#have += bytes.length;
      if (this.#have < this.#need) return;
      if (this.#pieces.length > 1) bytes = Buffer.concat(this.#pieces);
      this.#pieces = [];
      this.#have = 0;
    }
    let at = 0;
    this.#need = headerBytes;
    while (bytes.length - at >= headerBytes) {
      const length = bytes.readUInt32LE(at);
      if (length < minLength || length - minLength > this.#maxPayload) {
        throw new FrameError(`a frame of ${length} bytes`);
      }
      const end = at + lengthBytes + length;
      if (end > bytes.length) {
        this.#need = end - at;
        break;
      }
      // A plain array, because a Buffer has other methods, and users of the client get parts of it.
      const from = bytes.byteOffset + at + headerBytes;
      const payload = new Uint8Array(bytes.buffer, from, end - at - headerBytes);
      const frame = { type: bytes[at + 4] as number, call: bytes.readUInt32LE(at + 5), payload };
      at = end;
      this.#onFrame(frame);
    }
    if (at === bytes.length) return;
    const rest = bytes.subarray(at);
    this.#pieces.push(rest);
    this.#have = rest.length;
  }
}

type Details = VtrError['details'];

/** Returns the payload of a `failure`. */
export const encodeFailure = ({ code, message, details }: VtrError): Uint8Array =>
  Buffer.from(JSON.stringify({ code, message, details }));

/**
 * The error of a `failure`. One of a later version, with another code, is a defect.
 *
 * @throws FrameError if the payload is not a failure
 */
export function decodeFailure(payload: Uint8Array): VtrError {
  const { code, message, details } = parsed(payload);
  if (typeof code !== 'string' || typeof message !== 'string' || !isObject(details ?? {})) {
    throw new FrameError('a failure whose values have other types');
  }
  const isKnown = Object.hasOwn(errorTable, code);
  return new VtrError(isKnown ? (code as ErrorCode) : 'INTERNAL_ERROR', message, {
    details: (details ?? {}) as Details,
  });
}

function parsed(payload: Uint8Array): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(decodeUtf8(payload));
    if (isObject(value)) return value;
  } catch {
    // Thrown below.
  }
  throw new FrameError('a failure that cannot be read');
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
