/** Whether more than an eighth of the capacity is unused. */
export function isWasteful(used: number, capacity: number): boolean {
  return used < capacity - (capacity >> 3);
}

/** A growable array of bytes. */
export class ByteBuffer {
  #bytes: Uint8Array<ArrayBuffer>;
  /** Made when words are first written to the bytes. */
  #words: DataView | null = null;
  #length = 0;
  readonly #maxStepBytes: number;

  /**
   * @param maxStepBytes a full buffer doubles its capacity, but adds at most this much at a time
   * @param memory used as far as it suffices, also for more capacity; its content is undefined
   */
  constructor(
    capacity: number,
    maxStepBytes = Number.MAX_SAFE_INTEGER,
    memory: ArrayBuffer | null = null,
  ) {
    const suffices = memory !== null && capacity <= memory.byteLength;
    this.#bytes = suffices ? new Uint8Array(memory, 0, capacity) : new Uint8Array(capacity);
    this.#maxStepBytes = maxStepBytes;
  }

  get length(): number {
    return this.#length;
  }

  /** Used after writing to {@link bytes} directly, within reserved capacity. */
  set length(length: number) {
    this.#length = length;
  }

  get capacity(): number {
    return this.#bytes.length;
  }

  /** The memory in bytes: more than the capacity if it was another buffer's. */
  get heldBytes(): number {
    return this.#bytes.buffer.byteLength;
  }

  /** Valid up to {@link length}, until the next change. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** The same as {@link bytes}, to write several at once. */
  get words(): DataView {
    this.#words ??= new DataView(this.#bytes.buffer);
    return this.#words;
  }

  /** Ensures capacity for `count` more bytes. */
  reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const before = this.#bytes.length;
    const step = Math.min(before, this.#maxStepBytes);
    const capacity = Math.max(this.#length + count, before + step);
    const { buffer } = this.#bytes;
    if (capacity <= buffer.byteLength) {
      this.#replace(new Uint8Array(buffer, 0, capacity));
      return;
    }
    const grown = new Uint8Array(capacity);
    grown.set(this.#bytes);
    this.#replace(grown);
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

  /**
   * Releases unused capacity if it is more than an eighth, and memory beyond the capacity.
   *
   * @returns the memory that it had, for another buffer: views of it are not valid any more; null if it keeps it
   */
  trim(): ArrayBuffer | null {
    const { buffer, length: capacity } = this.#bytes;
    const size = isWasteful(this.#length, capacity) ? this.#length : capacity;
    if (size === buffer.byteLength) return null;
    this.#replace(this.#bytes.slice(0, size));
    return buffer;
  }

  #replace(bytes: Uint8Array<ArrayBuffer>): void {
    this.#bytes = bytes;
    this.#words = null;
  }
}

let lastBytes: Uint8Array | null = null;
let lastWords: DataView | null = null;

/** The same bytes, to read several at once. They are held until other ones are asked for, or {@link forgetWords}. */
export function wordsOf(bytes: Uint8Array): DataView {
  if (bytes !== lastBytes || lastWords === null) {
    lastWords = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    lastBytes = bytes;
  }
  return lastWords;
}

export function forgetWords(): void {
  lastBytes = null;
  lastWords = null;
}

/**
 * Copies bytes of text, eight at a time as a double. No part of a text is a NaN, whose bytes may change: it would end with
 * 0x7F or 0xFF.
 */
export function copyBytes(
  source: DataView,
  start: number,
  end: number,
  into: DataView,
  to: number,
): void {
  const shift = to - start;
  let at = start;
  if (end - start >= 8) {
    for (; at + 8 <= end; at += 8) into.setFloat64(at + shift, source.getFloat64(at, true), true);
    // The last bytes, with some before them once more.
    if (at < end) into.setFloat64(end - 8 + shift, source.getFloat64(end - 8, true), true);
    return;
  }
  if (end - start >= 4) {
    into.setInt32(at + shift, source.getInt32(at, true), true);
    into.setInt32(end - 4 + shift, source.getInt32(end - 4, true), true);
    return;
  }
  for (; at < end; at++) into.setUint8(at + shift, source.getUint8(at));
}
