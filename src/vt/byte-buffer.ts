/** Bytes that grow at the end. */
export class ByteBuffer {
  #bytes: Uint8Array;
  #length = 0;

  constructor(capacity = 64) {
    this.#bytes = new Uint8Array(capacity);
  }

  get length(): number {
    return this.#length;
  }

  /** For who has written to {@link bytes} directly, with room reserved. */
  set length(length: number) {
    this.#length = length;
  }

  get capacity(): number {
    return this.#bytes.length;
  }

  /** Valid up to {@link length}, until the next change. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** Makes room for `count` more bytes. */
  reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(this.#length + count, this.#bytes.length * 2));
    grown.set(this.#bytes);
    this.#bytes = grown;
  }

  /** To be called with room reserved. */
  push(byte: number): void {
    this.#bytes[this.#length++] = byte;
  }

  /** Appends a code point as UTF-8; to be called with 4 bytes reserved. */
  pushCodePoint(codePoint: number): void {
    if (codePoint < 0x80) {
      this.push(codePoint);
      return;
    }
    if (codePoint < 0x800) this.push(0xc0 | (codePoint >> 6));
    else {
      if (codePoint < 0x1_0000) this.push(0xe0 | (codePoint >> 12));
      else {
        this.push(0xf0 | (codePoint >> 18));
        this.push(0x80 | ((codePoint >> 12) & 0x3f));
      }
      this.push(0x80 | ((codePoint >> 6) & 0x3f));
    }
    this.push(0x80 | (codePoint & 0x3f));
  }

  /** Appends a number of up to 31 bits, 7 bits a byte, the lowest first; reserve 5 bytes. */
  pushVarint(value: number): void {
    let rest = value;
    while (rest > 0x7f) {
      this.push((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    this.push(rest);
  }

  clear(): void {
    this.#length = 0;
  }

  /** A copy of what has been written. */
  slice(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  /** Gives back the room that is not used. */
  trim(): void {
    if (this.#length < this.#bytes.length) this.#bytes = this.slice();
  }
}
