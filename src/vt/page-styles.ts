import type { ByteBuffer } from './byte-buffer.ts';
import { colorKind } from './color.ts';
import { defaultStyle, type StyleTable } from './style-table.ts';

// Styles in scrollback are written out, not referred to: a page then needs no table that would have
// to be kept in step with the screen's, and is forgotten whole.

const hasAttributes = 1 << 6;
/** The most bytes that {@link writeRun} writes. */
const maxRunBytes = 5 + 1 + 3 * 3 + 2;

/** Appends a run: how many bytes of text it covers, and their style. */
export function writeRun(runs: ByteBuffer, textBytes: number, style: number, styles: StyleTable) {
  runs.reserve(maxRunBytes);
  const { bytes } = runs;
  let at = writeVarint(bytes, runs.length, textBytes);
  if (style === defaultStyle) {
    bytes[at] = 0;
    runs.length = at + 1;
    return;
  }
  const header = at++;
  const fg = styles.fg(style);
  const bg = styles.bg(style);
  const underline = styles.underlineColor(style);
  const attributes = styles.attributes(style);
  at = writeColor(bytes, at, fg);
  at = writeColor(bytes, at, bg);
  at = writeColor(bytes, at, underline);
  const kinds = colorKind(fg) | (colorKind(bg) << 2) | (colorKind(underline) << 4);
  bytes[header] = kinds | (attributes === 0 ? 0 : hasAttributes);
  if (attributes !== 0) {
    bytes[at++] = attributes;
    bytes[at++] = attributes >> 8;
  }
  runs.length = at;
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

function writeColor(bytes: Uint8Array, start: number, color: number): number {
  const kind = colorKind(color);
  if (kind === 0) return start;
  bytes[start] = color;
  if (kind === 1) return start + 1;
  bytes[start + 1] = color >> 8;
  bytes[start + 2] = color >> 16;
  return start + 3;
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
    return styles.intern(fg, bg, underline, attributes);
  }

  #readColor(kind: number): number {
    if (kind === 0) return 0;
    let color = (kind << 24) | this.#bytes[this.#at++];
    if (kind === 1) return color;
    color |= this.#bytes[this.#at++] << 8;
    return color | (this.#bytes[this.#at++] << 16);
  }
}
