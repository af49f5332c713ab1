const replacement = 0xfffd;

/** UTF-8 (RFC 3629) of `text`. A surrogate without its partner becomes U+FFFD. */
export function encodeUtf8(text: string): Uint8Array {
  // Three bytes a UTF-16 unit are enough: a surrogate pair takes four for its two.
  const bytes = new Uint8Array(text.length * 3);
  let end = 0;
  for (let at = 0; at < text.length; at++) {
    const codePoint = text.codePointAt(at) ?? replacement;
    if (codePoint > 0xffff) at++;
    end = writeCodePoint(bytes, end, isSurrogate(codePoint) ? replacement : codePoint);
  }
  return bytes.slice(0, end);
}

const isSurrogate = (codePoint: number): boolean => codePoint >= 0xd800 && codePoint <= 0xdfff;

/** Returns where the next one goes. */
function writeCodePoint(bytes: Uint8Array, at: number, codePoint: number): number {
  if (codePoint < 0x80) {
    bytes[at] = codePoint;
    return at + 1;
  }
  const continuations = codePoint < 0x800 ? 1 : codePoint < 0x10000 ? 2 : 3;
  // As many ones on top as there are bytes: C0, E0, F0.
  const lead = (0xff00 >> (continuations + 1)) & 0xff;
  bytes[at] = lead | (codePoint >> (6 * continuations));
  for (let left = continuations - 1; left >= 0; left--) {
    bytes[at + continuations - left] = 0x80 | ((codePoint >> (6 * left)) & 0x3f);
  }
  return at + 1 + continuations;
}
