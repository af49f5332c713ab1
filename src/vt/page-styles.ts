import { withLink } from './attributes.ts';
import type { ByteBuffer } from './byte-buffer.ts';
import { encodedStyleBytes, hasAttributes, hasLink } from './style-encoding.ts';
import type { StyleTable } from './style-table.ts';

// Styles in scrollback are written out, not referred to: a page then needs no table that would have
// to be kept in step with the screen's, and is forgotten whole.

const maxVarintBytes = 5;

/** Appends a run: how many bytes of text it covers, and their style. */
export function writeRun(runs: ByteBuffer, textBytes: number, style: number, styles: StyleTable) {
  runs.reserve(maxVarintBytes + encodedStyleBytes);
  const { bytes } = runs;
  const at = writeVarint(bytes, runs.length, textBytes);
  const { encoded } = styles;
  const from = style * encodedStyleBytes;
  const length = encoded[from];
  // A few bytes too many cost less than to look at each how many are left.
  for (let index = 0; index < length; index += 4) {
    bytes[at + index] = encoded[from + index + 1];
    bytes[at + index + 1] = encoded[from + index + 2];
    bytes[at + index + 2] = encoded[from + index + 3];
    bytes[at + index + 3] = encoded[from + index + 4];
  }
  runs.length = at + length;
}

/** A number of up to 31 bits, 7 bits a byte, the lowest first. */
function writeVarint(bytes: Uint8Array, start: number, value: number): number {
  let at = start;
  let rest = value;
  while (rest > 0x7f) {
    bytes[at++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  bytes[at++] = rest;
  return at;
}

/** Reads runs one after the other. */
export class RunReader {
  readonly #bytes: Uint8Array;
  #at: number;
  readonly #end: number;

  constructor(bytes: Uint8Array, start: number, end: number) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  get done(): boolean {
    return this.#at >= this.#end;
  }

  /** How many bytes of text the next run covers; to be read before {@link readStyle}. */
  readLength(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.#bytes[this.#at++];
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }

  readStyle(styles: StyleTable): number {
    const header = this.#bytes[this.#at++];
    const fg = this.#readColor(header & 3);
    const bg = this.#readColor((header >> 2) & 3);
    const underline = this.#readColor((header >> 4) & 3);
    let attributes = 0;
    if ((header & hasAttributes) !== 0) {
      attributes = this.#bytes[this.#at++];
      attributes |= this.#bytes[this.#at++] << 8;
    }
    if ((header & hasLink) !== 0) attributes = withLink(attributes, this.#readLink());
    return styles.intern(fg, bg, underline, attributes);
  }

  #readLink(): number {
    const low = this.#bytes[this.#at++];
    const middle = this.#bytes[this.#at++];
    return low | (middle << 8) | (this.#bytes[this.#at++] << 16);
  }

  #readColor(kind: number): number {
    if (kind === 0) return 0;
    let color = (kind << 24) | this.#bytes[this.#at++];
    if (kind === 1) return color;
    color |= this.#bytes[this.#at++] << 8;
    return color | (this.#bytes[this.#at++] << 16);
  }
}
