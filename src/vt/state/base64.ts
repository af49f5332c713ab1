const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const values = new Map([...digits].map((digit, value) => [digit, value]));

/** Decodes base64 (RFC 4648, 4), padded or not. Returns null if it is ill-formed. */
export function decodeBase64(text: string): Uint8Array | null {
  const body = text.replace(/={1,2}$/, '');
  if (body.length % 4 === 1) return null;
  const bytes = new Uint8Array(Math.floor((body.length * 3) / 4));
  let bits = 0;
  let buffer = 0;
  let length = 0;
  for (const digit of body) {
    const value = values.get(digit);
    if (value === undefined) return null;
    buffer = ((buffer << 6) | value) & 0xfff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[length++] = buffer >> bits;
  }
  return bytes;
}

/** Encodes base64 (RFC 4648, 4), padded. */
export function encodeBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const [first = 0, second = 0, third = 0] = bytes.subarray(at, at + 3);
    const bits = (first << 16) | (second << 8) | third;
    const count = Math.min(3, bytes.length - at) + 1;
    const sextets = [18, 12, 6, 0].slice(0, count).map((shift) => digits[(bits >> shift) & 63]);
    text += sextets.join('').padEnd(4, '=');
  }
  return text;
}
