import { decodeUtf8 } from '#base';

/** The kinds of binary frames of the subprotocol `v1.vtr` (docs/web.md). */
export const frameKinds = {
  /** A message of a stream as JSON. */
  message: 1,
  /** A message with bytes: the length of the JSON, the JSON, the bytes. */
  bytes: 2,
  /** The end of a stream; with a payload, its error as JSON. */
  end: 3,
  /** What the page has shown of a stream, in bytes. */
  credit: 4,
  ping: 5,
  pong: 6,
  /** The beginning of a payload. The next message of the channel continues it. */
  part: 7,
} as const;

/** A frame that the server sent. */
export interface Frame {
  readonly kind: number;
  readonly channel: number;
  readonly payload: Uint8Array;
}

/** The server sent something else than a frame. */
class FrameError extends Error {}

/** @throws FrameError */
export function decodeFrame(bytes: Uint8Array): Frame {
  const channel = readNumber(bytes, 1);
  return { kind: bytes[0] ?? 0, channel: channel.value, payload: bytes.subarray(channel.end) };
}

/** Returns a frame whose payload is a number. */
export function encodeCount(kind: number, channel: number, count: number): Uint8Array<ArrayBuffer> {
  const bytes = [kind];
  for (const each of [channel, count]) {
    let rest = each;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
    bytes.push(rest);
  }
  return new Uint8Array(bytes);
}

/** The message of a stream, and the bytes that it has. */
export interface StreamMessage {
  readonly body: unknown;
  readonly bytes: Uint8Array | null;
}

/** @throws FrameError */
export function decodeMessage({ kind, payload }: Frame): StreamMessage {
  if (kind === frameKinds.message) return { body: parse(payload), bytes: null };
  const length = readNumber(payload, 0);
  const end = length.end + length.value;
  if (end > payload.length) throw new FrameError('the frame is too short');
  return { body: parse(payload.subarray(length.end, end)), bytes: payload.subarray(end) };
}

/** Returns the count of a ping. @throws FrameError */
export const decodeCount = ({ payload }: Frame): number => readNumber(payload, 0).value;

/** @throws FrameError */
export function parse(payload: Uint8Array): unknown {
  try {
    return JSON.parse(decodeUtf8(payload));
  } catch {
    throw new FrameError('the frame has no JSON');
  }
}

/** Returns the bytes of several arrays as one. */
export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** The digits of a number below 2^53. */
const maxDigits = 8;

/** Reads an unsigned LEB128 number. @throws FrameError */
function readNumber(bytes: Uint8Array, from: number): { value: number; end: number } {
  let value = 0;
  for (let at = 0; at < maxDigits; at++) {
    const byte = bytes[from + at];
    if (byte === undefined) break;
    value += (byte & 0x7f) * 0x80 ** at;
    if (byte < 0x80) return { value, end: from + at + 1 };
  }
  throw new FrameError('the frame has no number');
}
