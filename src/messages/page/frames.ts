import { decodeLeb128, encodeLeb128, joinBytes } from '#base';

/**
 * The binary messages of the subprotocol `v1.vtr` between the web page and its server, in one definition for both. A
 * frame is `[u8 kind][channel][payload]`. Numbers are unsigned LEB128. Texts of the subprotocol are calls and their
 * answers, in JSON.
 */
export const frameKinds = {
  /** To the page: a message of a stream, as JSON. */
  message: 1,
  /** To the page: a message with bytes: `[length of the JSON][JSON][bytes]`. */
  messageWithBytes: 2,
  /** To the page: the stream has ended. The payload is empty, or the error as JSON. */
  end: 3,
  /** To the server: how many bytes of the channel's payloads were shown. */
  credit: 4,
  /** To the page, channel 0: how many bytes were sent before. */
  ping: 5,
  /** To the server, channel 0: the number of a ping. */
  echo: 6,
  /** To the page: the beginning of a payload. The next frame of the channel continues it. */
  part: 7,
} as const;

export type FrameKind = (typeof frameKinds)[keyof typeof frameKinds];

export interface Frame {
  /** That of a later version is none of {@link frameKinds}. */
  readonly kind: number;
  /** 1 to 65,535; 0 is the connection. */
  readonly channel: number;
  readonly payload: Uint8Array;
}

/** The other side does not follow the protocol. */
export class FrameError extends Error {}

export const encodeFrame = (
  kind: FrameKind,
  channel: number,
  payload: Uint8Array,
): Uint8Array<ArrayBuffer> => joinBytes([new Uint8Array([kind]), encodeLeb128(channel), payload]);

/** Returns a frame whose payload is a number. */
export const encodeCount = (
  kind: FrameKind,
  channel: number,
  count: number,
): Uint8Array<ArrayBuffer> => encodeFrame(kind, channel, encodeLeb128(count));

/** @throws FrameError */
export function decodeFrame(bytes: Uint8Array): Frame {
  const channel = numberAt(bytes, 1);
  return { kind: bytes[0] ?? 0, channel: channel.value, payload: bytes.subarray(channel.end) };
}

/** Returns the number in the payload of a frame. @throws FrameError */
export const decodeCount = ({ payload }: Frame): number => numberAt(payload, 0).value;

/** Returns the payload of a message with bytes. */
export const encodeWithBytes = (json: Uint8Array, bytes: Uint8Array): Uint8Array<ArrayBuffer> =>
  joinBytes([encodeLeb128(json.length), json, bytes]);

/** Returns the parts of the payload of a message with bytes. @throws FrameError */
export function decodeWithBytes(payload: Uint8Array): { json: Uint8Array; bytes: Uint8Array } {
  const length = numberAt(payload, 0);
  const end = length.end + length.value;
  if (end > payload.length) throw new FrameError('the frame is too short');
  return { json: payload.subarray(length.end, end), bytes: payload.subarray(end) };
}

function numberAt(bytes: Uint8Array, from: number): { value: number; end: number } {
  const number = decodeLeb128(bytes, from);
  if (number === null) throw new FrameError('the frame has no number');
  return number;
}
