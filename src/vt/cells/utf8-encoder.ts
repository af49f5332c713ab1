/** The longest character in UTF-8 (RFC 3629). */
export const maxCharacterBytes = 4;

/** Writes a code point of U+0080 or above at `start`, within capacity. Returns where it ends. */
export function writeCharacter(bytes: Uint8Array, start: number, codePoint: number): number {
  let at = start;
  if (codePoint < 0x800) bytes[at++] = 0xc0 | (codePoint >> 6);
  else {
    if (codePoint < 0x1_0000) bytes[at++] = 0xe0 | (codePoint >> 12);
    else {
      bytes[at++] = 0xf0 | (codePoint >> 18);
      bytes[at++] = 0x80 | ((codePoint >> 12) & 0x3f);
    }
    bytes[at++] = 0x80 | ((codePoint >> 6) & 0x3f);
  }
  bytes[at++] = 0x80 | (codePoint & 0x3f);
  return at;
}
