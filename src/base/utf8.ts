// Every JavaScript runtime has these two; the language library of the pure rooms does not declare
// them.
declare const TextEncoder: new () => { encode(text: string): Uint8Array };
declare const TextDecoder: new (
  label: string,
  options: { ignoreBOM: boolean },
) => { decode(bytes?: Uint8Array, options?: { stream: boolean }): string };

// A byte order mark is output like any other: it is kept.
const keepByteOrderMark = { ignoreBOM: true };

/** The most bytes of an incomplete character. */
const maxPending = 3;

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', keepByteOrderMark);

/** Encodes `text` as UTF-8 (RFC 3629). A lone surrogate becomes U+FFFD. */
export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Decodes UTF-8. Ill-formed bytes become U+FFFD. */
export function decodeUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/**
 * Decodes UTF-8 that arrives in chunks. A chunk may end inside a character: the character is
 * returned with the chunk that completes it. Any chunking gives the text of {@link decodeUtf8}.
 */
export class Utf8Decoder {
  readonly #decoder = new TextDecoder('utf-8', keepByteOrderMark);
  /** The last bytes: as many as an incomplete character can have. */
  #tail: readonly number[] = [];

  /** Returns the text that `bytes` complete. */
  push(bytes: Uint8Array): string {
    const last =
      bytes.length < maxPending ? [...this.#tail, ...bytes] : [...bytes.slice(-maxPending)];
    this.#tail = last.slice(-maxPending);
    return this.#decoder.decode(bytes, { stream: true });
  }

  /** The bytes at the end that are not a whole character yet, 0 to 3. */
  get pendingBytes(): number {
    for (let count = this.#tail.length; count > 0; count--) {
      const end = Uint8Array.from(this.#tail.slice(-count));
      const isContinued = ((end[0] ?? 0) & 0xc0) === 0x80;
      const decoder = new TextDecoder('utf-8', keepByteOrderMark);
      if (!isContinued && decoder.decode(end, { stream: true }) === '') return count;
    }
    return 0;
  }

  /**
   * Ends the text: returns U+FFFD if its last character is incomplete. The next push begins
   * another.
   */
  end(): string {
    this.#tail = [];
    return this.#decoder.decode();
  }
}
