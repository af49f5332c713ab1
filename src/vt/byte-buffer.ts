/** Bytes that grow at the end. */
export class ByteBuffer {
  #bytes: Uint8Array;
  #length = 0;

  constructor(capacity: number) {
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

  push(byte: number): void {
    this.reserve(1);
    this.#bytes[this.#length++] = byte;
  }

  append(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Gives back the room that is not used. */
  trim(): void {
    if (this.#length < this.#bytes.length) this.#bytes = this.#bytes.slice(0, this.#length);
  }
}
