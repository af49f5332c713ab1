const maxCodes = 4096;
const blockSize = 255;
const maxWidth = 12;

/** Compresses indexes as GIF does: LZW with codes of variable length (GIF89a, appendix F). */
export class LzwEncoder {
  /** The code of each string followed by each index, 0 if it has none; 8 bits are for the index. */
  readonly #codes = new Uint16Array(maxCodes << 8);
  /** The places of the codes that are in use. */
  readonly #used = new Uint32Array(maxCodes);
  #bytes = new Uint8Array(0);

  /**
   * Returns the data in blocks, with the empty block that ends them.
   *
   * @param bits of an index, 2 to 8
   */
  encode(indexes: Uint8Array, bits: number): Buffer {
    const most = Math.ceil(((indexes.length + 4) * maxWidth) / 8) + 1;
    if (this.#bytes.length < most) this.#bytes = new Uint8Array(most);
    return inBlocks(this.#bytes.subarray(0, this.#compress(indexes, bits)));
  }

  /** Writes codes to the bytes. All is local: a GIF takes most of its time in this loop. */
  #compress(indexes: Uint8Array, bits: number): number {
    const [codes, used, bytes] = [this.#codes, this.#used, this.#bytes];
    const clear = 1 << bits;
    let uses = 0;
    let next = clear + 2;
    let width = bits + 1;
    let pending = clear;
    let pendingBits = width;
    let length = 0;
    let string = indexes[0] ?? 0;
    for (let at = 1; at < indexes.length; at++) {
      const index = indexes[at] as number;
      const place = (string << bits) | index;
      const code = codes[place] as number;
      if (code !== 0) {
        string = code;
        continue;
      }
      for (; pendingBits >= 8; pendingBits -= 8, pending >>>= 8) bytes[length++] = pending;
      pending |= string << pendingBits;
      pendingBits += width;
      string = index;
      if (next < maxCodes) {
        if (next === 1 << width) width++;
        codes[place] = next++;
        used[uses++] = place;
      } else {
        pending |= clear << pendingBits;
        pendingBits += width;
        while (uses > 0) codes[used[--uses] as number] = 0;
        next = clear + 2;
        width = bits + 1;
      }
    }
    while (uses > 0) codes[used[--uses] as number] = 0;
    for (; pendingBits >= 8; pendingBits -= 8, pending >>>= 8) bytes[length++] = pending;
    pending |= string << pendingBits;
    pendingBits += width;
    // A decoder has all codes now, so it reads the last one with the next width.
    if (next === 1 << width && width < maxWidth) width++;
    pending |= (clear + 1) << pendingBits;
    pendingBits += width;
    for (; pendingBits > 0; pendingBits -= 8, pending >>>= 8) bytes[length++] = pending;
    return length;
  }
}

function inBlocks(data: Uint8Array): Buffer {
  const blocks = Math.ceil(data.length / blockSize);
  const result = Buffer.alloc(data.length + blocks + 1);
  for (let from = 0, to = 0; from < data.length; from += blockSize) {
    const block = data.subarray(from, from + blockSize);
    result[to] = block.length;
    result.set(block, to + 1);
    to += block.length + 1;
  }
  return result;
}
