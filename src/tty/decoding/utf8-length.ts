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
export function utf8Length(bytes: Uint8Array, from: number): number | 'more' {
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
