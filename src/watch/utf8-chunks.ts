import { decodeUtf8 } from '#base';

/** A character of UTF-8 has at most so many bytes before its last. */
const maxHeld = 3;

/** Text of bytes that come in chunks, which may be cut inside of a character. */
export class Utf8Chunks {
  #held = new Uint8Array(0);

  /** The text that the next bytes complete. */
  next(bytes: Uint8Array): string {
    const joined = this.#held.length === 0 ? bytes : concat(this.#held, bytes);
    const end = wholeEnd(joined);
    this.#held = joined.slice(end);
    return decodeUtf8(joined.subarray(0, end));
  }
}

/** Where a character begins that the last bytes leave incomplete; else their end. */
function wholeEnd(bytes: Uint8Array): number {
  for (let held = 1; held <= Math.min(maxHeld, bytes.length); held++) {
    const byte = bytes[bytes.length - held];
    if ((byte & 0xc0) === 0x80) continue;
    return held < characterLength(byte) ? bytes.length - held : bytes.length;
  }
  return bytes.length;
}

function characterLength(lead: number): number {
  if (lead < 0xc0) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}

function concat(one: Uint8Array, other: Uint8Array): Uint8Array {
  const joined = new Uint8Array(one.length + other.length);
  joined.set(one);
  joined.set(other, one.length);
  return joined;
}
