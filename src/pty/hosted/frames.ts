import { type ErrorCode, errorTable, VtrError } from '#model';

/**
 * The protocol between a coordinator and a PTY host, in one definition for both. A frame is, in
 * little endian:
 *
 * ```
 *  0  u32  length of what follows
 *  4  u8   type
 *  5  u8   flags
 *  6  u16  0
 *  8  u32  request; 0: none. An answer has the number of its request.
 * 12  u32  session; 0: the connection
 * 16  ...  payload
 * ```
 *
 * Offsets and times are f64: integers up to 2^53. Types of frames, fields at the end of a payload and
 * properties of JSON can be added within a version of the protocol; their meaning never changes. The
 * format of `hello` is the same in all versions. Versions 2 to 4 have more options of `write`.
 */
export const protocol = { min: 1, max: 4 };

/** Bytes of a header, including the length. */
export const headerBytes = 16;
/** The most bytes of a frame, without the length. A write of input is the longest. */
export const maxFrameBytes = 8 * 1024 * 1024;
/** The most bytes of output in one frame. */
export const maxDataBytes = 64 * 1024;
/** Bytes of a `data` frame before the output. */
const dataHeaderBytes = headerBytes + 24;

/** A frame of an unknown type is ignored if it has this flag, and an error otherwise. */
export const ignorable = 1;
/** On `data`: the window is wide, and acknowledgements may be rare. */
export const lazy = 2;
/** The payload goes on in the next frame of the same type, request and session. */
export const more = 4;
/** On `data`: the session floods, and the frames of those that do not are handled first. */
export const flooding = 8;

const typeCodes = {
  hello: 1,
  take: 2,
  list: 3,
  kept: 4,
  spawn: 10,
  started: 11,
  write: 12,
  written: 13,
  abort: 14,
  resize: 15,
  ask: 18,
  answer: 19,
  follow: 20,
  data: 21,
  resized: 22,
  note: 23,
  exited: 24,
  ack: 25,
  keep: 26,
  fetch: 27,
  fetched: 28,
  forget: 29,
  bye: 30,
  superseded: 31,
  error: 32,
  paused: 33,
  dropped: 34,
  replayed: 35,
  ping: 36,
  pong: 37,
  learned: 38,
  shown: 39,
} as const;

export type FrameType = keyof typeof typeCodes;

const typeNames = new Map<number, FrameType>(
  Object.entries(typeCodes).map(([name, code]) => [code, name as FrameType]),
);

/**
 * A frame as it was received. The payload is a Buffer, whose `slice` does not copy, and is valid only
 * until {@link FrameReader.push} returns.
 */
export interface Frame {
  readonly type: FrameType;
  readonly flags: number;
  readonly request: number;
  readonly session: number;
  readonly payload: Uint8Array;
}

/** The peer does not follow the protocol. The connection cannot continue. */
export class ProtocolError extends Error {}

export interface FrameTarget {
  readonly request?: number;
  readonly session?: number;
  readonly flags?: number;
}

/**
 * Returns the header of a frame with a payload of `bytes`, which must be sent after it.
 *
 * @throws VtrError INVALID_ARGUMENT if it is too long
 */
export function encodeHeader(type: FrameType, target: FrameTarget, bytes: number): Buffer {
  const length = headerBytes + bytes;
  checkLength(length);
  const header = Buffer.allocUnsafe(headerBytes);
  writeHeader(header, type, target, length);
  return header;
}

/** Returns a frame with a payload of `parts`. @throws VtrError INVALID_ARGUMENT if it is too long */
export function encodeFrame(
  type: FrameType,
  target: FrameTarget,
  ...parts: readonly Uint8Array[]
): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, headerBytes);
  checkLength(length);
  const frame = Buffer.allocUnsafe(length);
  writeHeader(frame, type, target, length);
  let at = headerBytes;
  for (const part of parts) {
    frame.set(part, at);
    at += part.length;
  }
  return frame;
}

function checkLength(length: number): void {
  if (length - 4 <= maxFrameBytes) return;
  throw new VtrError(
    'INVALID_ARGUMENT',
    `a request to the PTY host has ${length} bytes; the limit is ${maxFrameBytes}`,
  );
}

function writeHeader(
  frame: Buffer,
  type: FrameType,
  { request = 0, session = 0, flags = 0 }: FrameTarget,
  length: number,
): void {
  frame.writeUInt32LE(length - 4, 0);
  frame[4] = typeCodes[type];
  frame[5] = flags;
  frame.writeUInt16LE(0, 6);
  frame.writeUInt32LE(request, 8);
  frame.writeUInt32LE(session, 12);
}

/** Bytes 4 to 15 of a header. */
const bodyHeaderBytes = headerBytes - 4;

/**
 * Splits received bytes into frames, in any chunks. A frame that is complete in its chunk is not
 * copied.
 */
export class FrameReader {
  /** The most bytes of a frame, without the length. */
  maxBytes = maxFrameBytes;
  readonly #onFrame: (frame: Frame) => void;
  /** Memory for the next partial frame. */
  #memory: Buffer = Buffer.alloc(0);
  /** The memory of the previous partial frame, which may have been completed in the same chunk. */
  #lastMemory: Buffer = Buffer.alloc(0);
  /** The beginning of a frame: the length, or the length and a part of the rest. */
  #partial: Buffer = Buffer.alloc(0);
  #have = 0;

  constructor(onFrame: (frame: Frame) => void) {
    this.#onFrame = onFrame;
  }

  /** @throws ProtocolError; the reader must not be used after it */
  push(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    let at = 0;
    while (at < bytes.length) {
      if (this.#have === 0 && bytes.length - at >= 4) {
        const end = at + 4 + this.#checked(bytes.readUInt32LE(at));
        if (end <= bytes.length) {
          this.#emit(bytes.subarray(at + 4, end));
          at = end;
          continue;
        }
      }
      at += this.#collect(bytes.subarray(at));
    }
  }

  /** Adds bytes to the partial frame, and emits it if it is complete. @returns how many */
  #collect(bytes: Buffer): number {
    if (this.#have === 0) this.#partial = this.#memoryOf(4);
    let count = 0;
    while (count < bytes.length) {
      const copied = bytes.copy(this.#partial, this.#have, count);
      count += copied;
      this.#have += copied;
      if (this.#have < this.#partial.length) break;
      if (this.#have > 4) {
        this.#have = 0;
        [this.#memory, this.#lastMemory] = [this.#lastMemory, this.#memory];
        this.#emit(this.#partial.subarray(4));
        break;
      }
      const whole = this.#memoryOf(4 + this.#checked(this.#partial.readUInt32LE(0)));
      this.#partial.copy(whole);
      this.#partial = whole;
    }
    return count;
  }

  /** Most frames are output, and share memory: V8 would have to collect it. */
  #memoryOf(bytes: number): Buffer {
    if (bytes > dataHeaderBytes + maxDataBytes) return Buffer.allocUnsafeSlow(bytes);
    if (bytes > this.#memory.length) this.#memory = Buffer.allocUnsafeSlow(bytes);
    return this.#memory.subarray(0, bytes);
  }

  /** @throws ProtocolError */
  #checked(length: number): number {
    if (length >= bodyHeaderBytes && length <= this.maxBytes) return length;
    throw new ProtocolError(`frame of ${length} bytes`);
  }

  #emit(body: Buffer): void {
    const [code = 0, flags = 0] = body;
    const type = typeNames.get(code);
    if (type === undefined) {
      if ((flags & ignorable) !== 0) return;
      throw new ProtocolError(`frame of unknown type ${code}`);
    }
    const request = body.readUInt32LE(4);
    const session = body.readUInt32LE(8);
    this.#onFrame({ type, flags, request, session, payload: body.subarray(bodyHeaderBytes) });
  }
}

/** Reads the fields of a payload in order. Every method throws ProtocolError at its end. */
export class Fields {
  readonly #bytes: Buffer;
  #at = 0;

  constructor({ buffer, byteOffset, length }: Uint8Array) {
    this.#bytes = Buffer.from(buffer, byteOffset, length);
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  u8(): number {
    return this.#bytes.readUInt8(this.#next(1));
  }

  u16(): number {
    return this.#bytes.readUInt16LE(this.#next(2));
  }

  u32(): number {
    return this.#bytes.readUInt32LE(this.#next(4));
  }

  /** A whole number from 0 to 2^53 - 1. */
  offset(): number {
    const value = this.#bytes.readDoubleLE(this.#next(8));
    if (Number.isSafeInteger(value) && value >= 0) return value;
    throw new ProtocolError(`offset ${value}`);
  }

  bytes(count: number): Uint8Array {
    const at = this.#next(count);
    return this.#bytes.subarray(at, at + count);
  }

  rest(): Uint8Array {
    return this.bytes(this.left);
  }

  #next(count: number): number {
    const at = this.#at;
    if (count > this.left) throw new ProtocolError('frame that is too short');
    this.#at += count;
    return at;
  }
}

/** Values of a payload, to be encoded in order. */
export type FieldValue =
  | { readonly u8: number }
  | { readonly u16: number }
  | { readonly u32: number }
  | { readonly offset: number }
  | { readonly bytes: Uint8Array };

export function encodeFields(...values: readonly FieldValue[]): Buffer {
  const payload = Buffer.allocUnsafe(values.reduce((sum, value) => sum + sizeOf(value), 0));
  let at = 0;
  for (const value of values) {
    if ('u8' in value) payload.writeUInt8(value.u8, at);
    else if ('u16' in value) payload.writeUInt16LE(value.u16, at);
    else if ('u32' in value) payload.writeUInt32LE(value.u32, at);
    else if ('offset' in value) payload.writeDoubleLE(value.offset, at);
    else payload.set(value.bytes, at);
    at += sizeOf(value);
  }
  return payload;
}

function sizeOf(value: FieldValue): number {
  if ('u8' in value) return 1;
  if ('u16' in value) return 2;
  if ('u32' in value) return 4;
  return 'offset' in value ? 8 : value.bytes.length;
}

/**
 * Returns the part of a `data` frame before the output.
 *
 * @param flags {@link lazy} and {@link flooding}, or neither
 */
export function encodeDataHeader(session: number, data: DataFrame, flags: number): Buffer {
  const frame = Buffer.allocUnsafe(dataHeaderBytes);
  writeHeader(frame, 'data', { session, flags }, dataHeaderBytes + data.bytes.length);
  frame.writeDoubleLE(data.offset, headerBytes);
  frame.writeDoubleLE(data.wallMs, headerBytes + 8);
  frame.writeDoubleLE(data.bootMs, headerBytes + 16);
  return frame;
}

/** Output of a program that is applied in one step, now and whenever it is replayed. */
export interface DataFrame {
  readonly offset: number;
  /** When it was read: ms since 1970, and ms of the system's monotonic clock (one per boot). */
  readonly wallMs: number;
  readonly bootMs: number;
  readonly bytes: Uint8Array;
}

/** @throws ProtocolError */
export function decodeData(payload: Uint8Array): DataFrame {
  const fields = new Fields(payload);
  const offset = fields.offset();
  const [wallMs, bootMs] = [timeOf(fields), timeOf(fields)];
  if (fields.left === 0 || fields.left > maxDataBytes) {
    throw new ProtocolError(`output of ${fields.left} bytes`);
  }
  return { offset, wallMs, bootMs, bytes: fields.rest() };
}

function timeOf(fields: Fields): number {
  const bytes = fields.bytes(8);
  return new DataView(bytes.buffer, bytes.byteOffset, 8).getFloat64(0, true);
}

/** Encodes a value as JSON. */
export const encodeJson = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

/** Decodes JSON whose value is an object. @throws ProtocolError */
export function decodeJson(payload: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(payload).toString('utf8'));
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // Reported below.
  }
  throw new ProtocolError('payload that is not a JSON object');
}

export function encodeError({ code, message, details }: VtrError): Buffer {
  return encodeJson({ code, message, details });
}

/** @throws ProtocolError */
export function decodeError(payload: Uint8Array): VtrError {
  const { code, message, details } = decodeJson(payload);
  const isKnown = typeof code === 'string' && Object.hasOwn(errorTable, code);
  const facts = typeof details === 'object' && details !== null ? details : {};
  return new VtrError(isKnown ? (code as ErrorCode) : 'PTY_ERROR', String(message), {
    details: facts as VtrError['details'],
  });
}

/** The most raw output in one answer, in bytes. */
export const maxFetchBytes = 1024 * 1024;
