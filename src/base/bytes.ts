/** Returns the bytes of several arrays as one. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** A number takes at most this many bytes: those below 2^53 do. */
const maxBytes = 8;

/**
 * Returns a number as unsigned LEB128: 7 bits in each byte, the lowest first. The highest bit says that another byte
 * follows.
 *
 * @param value a whole number from 0 to 2^53 - 1
 */
export function encodeLeb128(value: number): Uint8Array<ArrayBuffer> {
  const bytes: number[] = [];
  let rest = value;
  // Bit operations have 32 bits.
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  bytes.push(rest);
  return new Uint8Array(bytes);
}

/** Returns the number at a place and where it ends; null if there is none, or one above 2^53 - 1. */
export function decodeLeb128(
  bytes: Uint8Array,
  from: number,
): { readonly value: number; readonly end: number } | null {
  let value = 0;
  for (let at = 0; at < maxBytes; at++) {
    const byte = bytes[from + at];
    if (byte === undefined) return null;
    value += (byte & 0x7f) * 0x80 ** at;
    if (byte < 0x80) return Number.isSafeInteger(value) ? { value, end: from + at + 1 } : null;
  }
  return null;
}

/** Returns the FNV-1a hash of the UTF-16 code units of a text, from 0 to 2^32 - 1. Not for secrets. */
export function textHash(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
