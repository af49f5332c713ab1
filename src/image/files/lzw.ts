const maxCodes = 4096;
const blockSize = 255;
/** Twice the codes, as a power of two. */
const slots = 8192;

/** Compresses indexes as GIF does: LZW with codes of variable length (GIF89a, appendix F). */
export class LzwEncoder {
  readonly #bits: number;
  /** A hash table: a string and one more index, plus one; 0 for an empty slot. */
  readonly #keys = new Int32Array(slots);
  /** The codes of the keys. */
  readonly #codes = new Int16Array(slots);
  #bytes = Buffer.alloc(4096);
  #length = 0;
  #pending = 0;
  #pendingBits = 0;

  /** @param bits of an index, 2 to 8 */
  constructor(bits: number) {
    this.#bits = bits;
  }

  /** Returns the data in blocks, with the empty block that ends them. */
  encode(indexes: Uint8Array): Buffer {
    const clear = 1 << this.#bits;
    let width = this.#bits + 1;
    let next = clear + 2;
    this.#keys.fill(0);
    this.#put(clear, width);
    let string = indexes[0] ?? 0;
    for (let at = 1; at < indexes.length; at++) {
      const index = indexes[at] ?? 0;
      const key = ((string << 8) | index) + 1;
      const slot = this.#slotOf(key);
      if (this.#keys[slot] === key) {
        string = this.#codes[slot] ?? 0;
        continue;
      }
      this.#put(string, width);
      string = index;
      if (next === maxCodes) {
        this.#put(clear, width);
        this.#keys.fill(0);
        width = this.#bits + 1;
        next = clear + 2;
      } else {
        if (next === 1 << width) width++;
        this.#keys[slot] = key;
        this.#codes[slot] = next++;
      }
    }
    this.#put(string, width);
    this.#put(clear + 1, width);
    if (this.#pendingBits > 0) this.#push(this.#pending);
    return this.#inBlocks();
  }

  /** Returns the slot of a key, or the empty one where it belongs. */
  #slotOf(key: number): number {
    let slot = (Math.imul(key, 0x9e3779b1) >>> 19) & (slots - 1);
    while (this.#keys[slot] !== 0 && this.#keys[slot] !== key) slot = (slot + 1) & (slots - 1);
    return slot;
  }

  #put(code: number, width: number): void {
    this.#pending |= code << this.#pendingBits;
    this.#pendingBits += width;
    while (this.#pendingBits >= 8) {
      this.#push(this.#pending & 0xff);
      this.#pending >>>= 8;
      this.#pendingBits -= 8;
    }
  }

  #push(byte: number): void {
    if (this.#length === this.#bytes.length) {
      this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(this.#bytes.length)]);
    }
    this.#bytes[this.#length++] = byte;
  }

  #inBlocks(): Buffer {
    const parts: Buffer[] = [];
    for (let at = 0; at < this.#length; at += blockSize) {
      const block = this.#bytes.subarray(at, Math.min(this.#length, at + blockSize));
      parts.push(Buffer.from([block.length]), block);
    }
    return Buffer.concat([...parts, Buffer.from([0])]);
  }
}
