// Every JavaScript runtime has these two; the language library of the pure rooms does not declare
// them.
declare const TextEncoder: new () => { encode(text: string): Uint8Array };
declare const TextDecoder: new (
  label: string,
  options: { ignoreBOM: boolean; fatal?: boolean },
) => { decode(bytes?: Uint8Array, options?: { stream: boolean }): string };

// A byte order mark is output like any other: it is kept.
const keepByteOrderMark = { ignoreBOM: true };

/** The most bytes of an incomplete character. */
const maxPending = 3;

// Made when they are first needed: a short command needs none.
let encoder: InstanceType<typeof TextEncoder> | null = null;
let decoder: InstanceType<typeof TextDecoder> | null = null;
let strictDecoder: InstanceType<typeof TextDecoder> | null = null;

/** Encodes `text` as UTF-8 (RFC 3629). A lone surrogate becomes U+FFFD. */
export function encodeUtf8(text: string): Uint8Array {
  encoder ??= new TextEncoder();
  return encoder.encode(text);
}

/** A longer text is encoded to count its bytes: the encoder takes less time for each character. In UTF-16 units. */
const longText = 512;

/** Returns the number of bytes of {@link encodeUtf8}. */
export function utf8Length(text: string): number {
  const units = text.length;
  if (units > longText) return encodeUtf8(text).length;
  let bytes = units;
  for (let at = 0; at < units; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    bytes += unit < 0x800 ? 1 : 2;
    // Both halves of a character take 4 bytes, a lone one the 3 of U+FFFD.
    if (unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) at++;
  }
  return bytes;
}

/** Decodes UTF-8. Ill-formed bytes become U+FFFD. */
export function decodeUtf8(bytes: Uint8Array): string {
  decoder ??= new TextDecoder('utf-8', keepByteOrderMark);
  return decoder.decode(bytes);
}

/** Returns the offset of the first byte that neither begins nor continues a character; null if all do. */
function invalidUtf8At(bytes: Uint8Array): number | null {
  strictDecoder ??= new TextDecoder('utf-8', { ...keepByteOrderMark, fatal: true });
  try {
    strictDecoder.decode(bytes);
    return null;
  } catch {
    const decoded = encodeUtf8(decodeUtf8(bytes));
    let at = 0;
    while (bytes[at] === decoded[at]) at++;
    // U+FFFD may have the first bytes of what it replaces.
    while (((decoded[at] ?? 0) & 0xc0) === 0x80) at--;
    return at;
  }
}

/** What is not UTF-8, for people: `byte FF at offset 17`. Null if everything is. */
export function invalidUtf8Text(bytes: Uint8Array): string | null {
  const at = invalidUtf8At(bytes);
  if (at === null) return null;
  const byte = (bytes[at] ?? 0).toString(16).toUpperCase().padStart(2, '0');
  return `byte ${byte} at offset ${at}`;
}

/**
 * What is not text in a string, for people: JSON can name halves of characters, which no encoding has. Null
 * if everything is.
 */
export function halfCharacterText(text: string): string | null {
  const match = /\p{Surrogate}/u.exec(text);
  if (match === null) return null;
  const code = match[0].charCodeAt(0).toString(16);
  return `\\u${code} at character ${match.index} is half a character`;
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
