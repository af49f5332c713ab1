const maxCodes = 4096;
const blockSize = 255;

/** Compresses indexes as GIF does: LZW with codes of variable length (GIF89a, appendix F). */
export class LzwEncoder {
  readonly #bits: number;
  /** The code of a string and one more index, by both. */
  readonly #codes: Int16Array;
  #bytes = Buffer.alloc(4096);
  #length = 0;
  #pending = 0;
  #pendingBits = 0;

  /** @param bits of an index, 2 to 8 */
  constructor(bits: number) {
    this.#bits = bits;
    this.#codes = new Int16Array(maxCodes << bits);
  }

  /** Returns the data in blocks, with the empty block that ends them. */
  encode(indexes: Uint8Array): Buffer {
    const clear = 1 << this.#bits;
    let width = this.#bits + 1;
    let next = clear + 2;
    this.#codes.fill(0);
    this.#put(clear, width);
    let string = indexes[0] ?? 0;
    for (let at = 1; at < indexes.length; at++) {
      const key = (string << this.#bits) | (indexes[at] ?? 0);
      const code = this.#codes[key] ?? 0;
      if (code > 0) {
        string = code;
        continue;
      }
      this.#put(string, width);
      string = indexes[at] ?? 0;
      if (next === maxCodes) {
        this.#put(clear, width);
        this.#codes.fill(0);
        width = this.#bits + 1;
        next = clear + 2;
      } else {
        if (next === 1 << width) width++;
        this.#codes[key] = next++;
      }
    }
    this.#put(string, width);
    this.#put(clear + 1, width);
    if (this.#pendingBits > 0) this.#push(this.#pending);
    return this.#inBlocks();
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
