import { decodeUtf8 } from '#base';
import { type Input, type Scanned, unknown } from './scanned.ts';

/** The character or control at `at`, with the ESC at `from` if that is before it. */
export function scanCharacter(input: Input, from: number, at: number): Scanned | null {
  const alt = at > from;
  const code = input.bytes[at] ?? 0;
  if (code < 0x20 || code === 0x7f) {
    return { token: { kind: 'control', code, alt }, length: at + 1 - from };
  }
  const length = utf8Length(input.bytes, at);
  if (length === 'more') return input.ends ? unknown(input.bytes.length - from) : null;
  if (length < 0) return unknown(at - length - from);
  const char = input.bytes.subarray(at, at + length);
  const text = length === 1 ? String.fromCharCode(code) : decodeUtf8(char);
  return { token: { kind: 'character', text, alt }, length: at + length - from };
}

/** The three values of a report in the encodings without parameters. */
export function scanMouse(input: Input, from: number, start: number): Scanned | null {
  const values: number[] = [];
  let at = start;
  while (values.length < 3) {
    if (at >= input.bytes.length) return input.ends ? unknown(at - from) : null;
    const length = input.utf8Mouse ? utf8Length(input.bytes, at) : 1;
    if (length === 'more' && !input.ends) return null;
    if (length === 'more' || length < 0) return unknown(at - from);
    const char = input.bytes.subarray(at, at + length);
    values.push((length === 1 ? (char[0] ?? 0) : (decodeUtf8(char).codePointAt(0) ?? 0)) - 32);
    at += length;
  }
  return { token: { kind: 'mouse', values }, length: at - from };
}

const isContinuation = (byte: number, low = 0x80, high = 0xbf): boolean =>
  byte >= low && byte <= high;

/** The bounds of the second byte that differ from those of the others (RFC 3629, section 4). */
const secondBytes: ReadonlyMap<number, readonly [number, number]> = new Map([
  [0xe0, [0xa0, 0xbf]],
  [0xed, [0x80, 0x9f]],
  [0xf0, [0x90, 0xbf]],
  [0xf4, [0x80, 0x8f]],
]);

function lengthOf(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

/**
 * Returns the number of bytes of the character at `from`: `more` if the bytes end inside of it. For
 * ill-formed UTF-8, returns the number of bytes that are not the beginning of another character,
 * as a negative number.
 */
function utf8Length(bytes: Uint8Array, from: number): number | 'more' {
  const lead = bytes[from] ?? 0;
  const length = lengthOf(lead);
  if (length === 0) return -1;
  for (let at = 1; at < length; at++) {
    const byte = bytes[from + at];
    if (byte === undefined) return 'more';
    const [low, high] = (at === 1 ? secondBytes.get(lead) : undefined) ?? [0x80, 0xbf];
    if (!isContinuation(byte, low, high)) return -at;
  }
  return length;
}
