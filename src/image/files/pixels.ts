/** A picture in pixels. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** 0xRRGGBB, row by row. */
  readonly pixels: Int32Array;
}

/** The colours of an indexed picture are numbered by a byte. */
export const maxColors = 256;
/** Four times the colours, as a power of two. */
const slots = 1024;

/** The colours of pictures, numbered in the order in which they appear. */
export class Palette {
  readonly colors: number[] = [];
  /** A hash table, because a `Map` takes ten times as long: a colour plus one, or 0 for an empty slot. */
  readonly #keys = new Int32Array(slots);
  readonly #numbers = new Uint8Array(slots);

  /** Returns the numbers of the colours of pixels; null if there are more than 256 with those before. */
  indexes(pixels: Int32Array): Uint8Array | null {
    const indexes = new Uint8Array(pixels.length);
    let last = -1;
    let number = 0;
    for (let at = 0; at < indexes.length; at++) {
      const color = pixels[at] as number;
      if (color !== last) {
        const index = this.#numberOf(color);
        if (index === null) return null;
        last = color;
        number = index;
      }
      indexes[at] = number;
    }
    return indexes;
  }

  #numberOf(color: number): number | null {
    const key = color + 1;
    let slot = Math.imul(key, 0x9e3779b1) >>> 22;
    while (this.#keys[slot] !== key) {
      if (this.#keys[slot] === 0) {
        if (this.colors.length === maxColors) return null;
        this.#keys[slot] = key;
        this.#numbers[slot] = this.colors.push(color) - 1;
        break;
      }
      slot = (slot + 1) & (slots - 1);
    }
    return this.#numbers[slot] as number;
  }
}
