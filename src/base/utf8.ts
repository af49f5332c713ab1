// Every JavaScript runtime has these two; the language library of the pure rooms does not declare
// them.
declare const TextEncoder: new () => { encode(text: string): Uint8Array };
declare const TextDecoder: new (
  label: string,
  options: { ignoreBOM: boolean },
) => { decode(bytes?: Uint8Array, options?: { stream: boolean }): string };

// A byte order mark is output like any other: it is kept.
const keepByteOrderMark = { ignoreBOM: true };

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

  /** Returns the text that `bytes` complete. */
  push(bytes: Uint8Array): string {
    return this.#decoder.decode(bytes, { stream: true });
  }

  /**
   * Ends the text: returns U+FFFD if its last character is incomplete. The next push begins
   * another.
   */
  end(): string {
    return this.#decoder.decode();
  }
}
