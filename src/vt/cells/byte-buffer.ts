/** Whether more than an eighth of what is held is not used. */
export function isWasteful(used: number, held: number): boolean {
  return used < held - (held >> 3);
}

/** Bytes that grow at the end. */
export class ByteBuffer {
  #bytes: Uint8Array;
  #length = 0;
  readonly #maxStepBytes: number;

  /** @param maxStepBytes it doubles when it is full, but grows by no more than this at a time */
  constructor(capacity: number, maxStepBytes = Number.MAX_SAFE_INTEGER) {
    this.#bytes = new Uint8Array(capacity);
    this.#maxStepBytes = maxStepBytes;
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
    const held = this.#bytes.length;
    const step = Math.min(held, this.#maxStepBytes);
    const grown = new Uint8Array(Math.max(this.#length + count, held + step));
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

  /** Gives back the room that is not used, where it is worth it. */
  trim(): void {
    if (isWasteful(this.#length, this.#bytes.length)) {
      this.#bytes = this.#bytes.slice(0, this.#length);
    }
  }
}
