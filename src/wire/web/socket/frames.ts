/** Binary messages are `[u8 kind][varint channel][payload]`; numbers are unsigned LEB128. */
export const kinds = {
  /** To the page: a message of a stream as JSON. */
  message: 1,
  /** To the page: `[varint n][n bytes of JSON][bytes]`. */
  messageWithBytes: 2,
  /** To the page: the stream has ended; empty, or the error as JSON. */
  end: 3,
  /** To the server: `[varint bytes]` of this channel were shown. */
  credit: 4,
  /** To the page, channel 0: `[varint total]` of bytes sent before. */
  ping: 5,
  /** To the server, channel 0: the same number. */
  echo: 6,
  /** To the page: the beginning of a payload that the next message of the channel continues. */
  part: 7,
} as const;

export type Kind = (typeof kinds)[keyof typeof kinds];

/** A number takes at most this many bytes; larger ones are not sent. */
const maxNumberBytes = 8;

/** @param value a safe integer, 0 or more */
export function encodeNumber(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  // Bit operations would not do: a count of bytes may need more than 32 bits.
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  bytes.push(rest);
  return Uint8Array.from(bytes);
}

/** Returns a number and where the next one begins; null if there is none. */
export function decodeNumber(
  bytes: Uint8Array,
  at: number,
): { readonly value: number; readonly next: number } | null {
  let value = 0;
  for (let taken = 0; taken < maxNumberBytes; taken++) {
    const byte = bytes[at + taken];
    if (byte === undefined) return null;
    value += (byte & 0x7f) * 0x80 ** taken;
    if (byte < 0x80) return Number.isSafeInteger(value) ? { value, next: at + taken + 1 } : null;
  }
  return null;
}

export function encodeFrame(kind: Kind, channel: number, payload: Uint8Array): Uint8Array {
  const number = encodeNumber(channel);
  const frame = new Uint8Array(1 + number.length + payload.length);
  frame[0] = kind;
  frame.set(number, 1);
  frame.set(payload, 1 + number.length);
  return frame;
}

/** A message from the page: a kind, a channel and a number. */
export interface CountFrame {
  readonly kind: number;
  readonly channel: number;
  readonly count: number;
}

/** Null if it is not one. */
export function decodeCount(frame: Uint8Array): CountFrame | null {
  const [kind] = frame;
  const channel = decodeNumber(frame, 1);
  const count = channel && decodeNumber(frame, channel.next);
  if (kind === undefined || channel === null || count === null) return null;
  return { kind, channel: channel.value, count: count.value };
}

/** Returns the payload of a message with bytes. */
export function joinBytes(json: Uint8Array, bytes: Uint8Array): Uint8Array {
  const length = encodeNumber(json.length);
  const payload = new Uint8Array(length.length + json.length + bytes.length);
  payload.set(length);
  payload.set(json, length.length);
  payload.set(bytes, length.length + json.length);
  return payload;
}
