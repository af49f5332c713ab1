/** Longer strings are skipped to their end and ignored. */
export const maxStringBytes = 64 * 1024;
/** Capacity kept between strings. A larger buffer is released. */
const keptBytes = 1024;
const noBytes = new Uint8Array(0);

/** Collects the bytes of a control string (OSC, DCS), up to {@link maxStringBytes}. */
export class StringCollector {
  /** Allocated when the first string arrives: many programs print none. */
  #bytes = noBytes;
  #length = 0;
  #overflown = false;

  /** Allocated memory in bytes. */
  get bytes(): number {
    return this.#bytes.length;
  }

  get overflown(): boolean {
    return this.#overflown;
  }

  clear(): void {
    if (this.#bytes.length > keptBytes) this.#bytes = noBytes;
    this.#length = 0;
    this.#overflown = false;
  }

  append(bytes: Uint8Array, start: number, end: number): void {
    const length = this.#length + end - start;
    if (this.#overflown || length > maxStringBytes) {
      this.#overflown = true;
      return;
    }
    if (length > this.#bytes.length) this.#grow(length);
    this.#bytes.set(bytes.subarray(start, end), this.#length);
    this.#length = length;
  }

  /** Removes the last byte, which was the first byte of the terminator. */
  dropLast(): void {
    if (this.#length > 0) this.#length--;
  }

  /** The string so far; valid until the next change. */
  view(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #grow(length: number): void {
    const grown = new Uint8Array(Math.max(length, this.#bytes.length * 2, keptBytes));
    grown.set(this.view());
    this.#bytes = grown;
  }
}
