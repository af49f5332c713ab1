import { decodeUtf8 } from '#base';

/** A character of UTF-8 has at most so many bytes before its last. */
const maxCutBytes = 3;
const noBytes = new Uint8Array(0);

/** Output in chunks as text in chunks: a character that is cut waits for its other part. */
export class WholeCharacters {
  #cut: Uint8Array = noBytes;

  /** The text of all bytes so far that was not given before. */
  push(bytes: Uint8Array): string {
    const joined = this.#cut.length === 0 ? bytes : joinedBytes(this.#cut, bytes);
    const end = endOfWhole(joined);
    this.#cut = joined.slice(end);
    return decodeUtf8(joined.subarray(0, end));
  }

  /** What is left where nothing comes any more: U+FFFD for half a character. */
  end(): string {
    const cut = this.#cut;
    this.#cut = noBytes;
    return decodeUtf8(cut);
  }
}

function joinedBytes(first: Uint8Array, second: Uint8Array): Uint8Array {
  const joined = new Uint8Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}

/**
 * Where the last character begins if it can go on behind the bytes, else their length. To cut before
 * the first byte of a character is safe whatever comes: no other character reaches over it.
 */
function endOfWhole(bytes: Uint8Array): number {
  for (let count = 1; count <= Math.min(maxCutBytes, bytes.length); count++) {
    const byte = bytes[bytes.length - count] ?? 0;
    if (byte < 0x80) break;
    if (byte >= 0xc0) return lengthOf(byte) > count ? bytes.length - count : bytes.length;
  }
  return bytes.length;
}

/** Of the character that begins so. RFC 3629, section 3. */
function lengthOf(lead: number): number {
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}
