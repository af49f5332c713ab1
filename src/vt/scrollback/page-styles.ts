import type { ByteBuffer } from '../cells/byte-buffer.ts';
import { runWords } from '../cells/ready-row.ts';
import { attributesMask, linkNumber, withLink } from '../style/attributes.ts';
import { colorKind, defaultColor } from '../style/color.ts';
import { bytesOfLink, type LinkTable, noLink } from '../style/link-table.ts';
import { entryWords, type StyleTable } from '../style/style-table.ts';
import {
  defaultStyle,
  wordAttributes,
  wordBackground,
  wordForeground,
} from '../style/style-word.ts';

// Scrollback stores styles by value. A page then needs no table that must be kept consistent with
// the screen's, and can be dropped as a whole.
//
// A style that fits a word (`style-word.ts`) is stored as that word, shifted left by one bit, as a
// varint: 7 bits per byte, the lowest first. Any other style begins with a header byte: a 1 bit,
// whether there are attributes, whether there is a link, and the kinds of foreground, background
// and underline colour as three digits in base 3. Then follow, for each colour that is not the
// default, the palette index or the three bytes of the RGB value, lowest first; the attributes in
// two bytes; the number of the link in its page in three.

/** A number of up to 5 bytes and a style of up to 15. */
const maxRunBytes = 20;
/** The encoding of the default style. */
const plainStyle = 0;

const hasMore = 1 << 0;
const hasAttributes = 1 << 1;
const hasLink = 1 << 2;
const kindsShift = 3;

/** What the styles of runs refer to. */
export interface RunTables {
  readonly styles: StyleTable;
  readonly links: PageLinks;
}

/** Appends a run: the number of bytes of text that it covers, and their style. */
export function writeRun(runs: ByteBuffer, textBytes: number, style: number, tables: RunTables) {
  runs.reserve(maxRunBytes);
  const at = writeVarint(runs.bytes, runs.length, textBytes);
  runs.length = writeStyle(runs.bytes, at, style, tables);
}

/**
 * Appends the runs of the cells from `start` up to but excluding `end`, each a byte of text.
 *
 * @param plainBytes bytes before them that are in the default style and have no run yet
 * @returns the same number for the bytes after them
 */
export function writeRuns(
  runs: ByteBuffer,
  plainBytes: number,
  cellStyles: Int32Array,
  start: number,
  end: number,
  tables: RunTables,
): number {
  let plain = plainBytes;
  let { bytes, length } = runs;
  for (let at = start; at < end; ) {
    const style = cellStyles[at];
    const from = at;
    do at++;
    while (at < end && cellStyles[at] === style);
    if (style === defaultStyle) {
      plain += at - from;
      continue;
    }
    if (length + 2 * maxRunBytes > bytes.length) {
      runs.length = length;
      runs.reserve(2 * maxRunBytes);
      bytes = runs.bytes;
    }
    if (plain > 0) {
      length = writeVarint(bytes, length, plain);
      bytes[length++] = plainStyle;
      plain = 0;
    }
    length = writeStyle(bytes, writeVarint(bytes, length, at - from), style, tables);
  }
  runs.length = length;
  return plain;
}

/**
 * Like {@link writeRuns}, with the runs themselves, from the index `from` in {@link ReadyRows.runs} up to but excluding
 * `to`.
 */
export function writeReadyRuns(
  runs: ByteBuffer,
  plainBytes: number,
  ready: Int32Array,
  from: number,
  to: number,
  tables: RunTables,
): number {
  let plain = plainBytes;
  for (let at = from; at < to; at += runWords) {
    const style = ready[at];
    const textBytes = ready[at + 2];
    if (style === defaultStyle) {
      plain += textBytes;
      continue;
    }
    if (runs.length + 2 * maxRunBytes > runs.capacity) runs.reserve(2 * maxRunBytes);
    const { bytes } = runs;
    let { length } = runs;
    if (plain > 0) {
      length = writeVarint(bytes, length, plain);
      bytes[length++] = plainStyle;
      plain = 0;
    }
    runs.length = writeStyle(bytes, writeVarint(bytes, length, textBytes), style, tables);
  }
  return plain;
}

/** Writes a number of up to 31 bits. */
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

function writeStyle(bytes: Uint8Array, start: number, style: number, tables: RunTables): number {
  if (style >= 0) return writeVarint(bytes, start, style << 1);
  const { entries } = tables.styles;
  const entry = ~style * entryWords;
  const fg = entries[entry];
  const bg = entries[entry + 1];
  const underlineColor = entries[entry + 2];
  const attributes = entries[entry + 3];
  let at = writeColor(bytes, start + 1, fg);
  at = writeColor(bytes, at, bg);
  at = writeColor(bytes, at, underlineColor);
  const kinds = colorKind(fg) + 3 * (colorKind(bg) + 3 * colorKind(underlineColor));
  let header = (kinds << kindsShift) | hasMore;
  if (attributes === 0) {
    bytes[start] = header;
    return at;
  }
  const own = attributes & attributesMask;
  if (own !== 0) {
    header |= hasAttributes;
    bytes[at++] = own;
    bytes[at++] = own >> 8;
  }
  const onScreen = linkNumber(attributes);
  const link = onScreen === noLink ? noLink : tables.links.add(onScreen);
  if (link !== noLink) {
    header |= hasLink;
    bytes[at++] = link;
    bytes[at++] = link >> 8;
    bytes[at++] = link >> 16;
  }
  bytes[start] = header;
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

/** Reads runs in order. */
export class RunReader {
  /** The style of the last run, after {@link readParts}. */
  fg = 0;
  bg = 0;
  underlineColor = 0;
  /** Without the link. */
  attributes = 0;
  #link = noLink;
  readonly #links: PageLinks;
  readonly #bytes: Uint8Array;
  #at: number;
  readonly #end: number;

  /** @param links of the page */
  constructor(links: PageLinks, bytes: Uint8Array, start: number, end: number) {
    this.#links = links;
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  /** The key of the link of the last run, after {@link readParts}; null if there is none. */
  get link(): string | null {
    return this.#links.key(this.#link);
  }

  get done(): boolean {
    return this.#at >= this.#end;
  }

  /**
   * Returns how many bytes of text the next run covers. Must be called before {@link readStyle}.
   */
  readLength(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.#bytes[this.#at++];
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }

  readStyle(styles: StyleTable): number {
    const word = this.#readWordOrParts();
    if (word >= 0) return word;
    const attributes =
      this.#link === noLink
        ? this.attributes
        : withLink(this.attributes, this.#links.toScreen(this.#link));
    return styles.intern(this.fg, this.bg, this.underlineColor, attributes);
  }

  /** Like {@link readStyle}, without adding the style to a table. */
  readParts(): void {
    const word = this.#readWordOrParts();
    if (word < 0) return;
    this.fg = wordForeground(word);
    this.bg = wordBackground(word);
    this.underlineColor = defaultColor;
    this.attributes = wordAttributes(word);
    this.#link = noLink;
  }

  /** Returns the word of the style; -1 if it has none and its parts were read. */
  #readWordOrParts(): number {
    const header = this.#bytes[this.#at];
    if ((header & hasMore) === 0) return this.readLength() >>> 1;
    this.#at++;
    const kinds = header >> kindsShift;
    this.fg = this.#readColor(kinds % 3);
    this.bg = this.#readColor(Math.floor(kinds / 3) % 3);
    this.underlineColor = this.#readColor(Math.floor(kinds / 9));
    let attributes = 0;
    if ((header & hasAttributes) !== 0) {
      attributes = this.#bytes[this.#at++];
      attributes |= this.#bytes[this.#at++] << 8;
    }
    this.attributes = attributes;
    this.#link = (header & hasLink) !== 0 ? this.#readLink() : noLink;
    return -1;
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

/**
 * The links of the lines of a page, by numbers of its own, so that they are kept as long as the lines,
 * and dropped with them.
 */
export class PageLinks {
  readonly #table: LinkTable;
  /** By number - 1: keys of {@link LinkTable}. */
  #keys: string[] = [];
  readonly #numbers = new Map<string, number>();
  #bytes = 0;
  #lineBytes = 0;

  /** @param table the links of the screens */
  constructor(table: LinkTable) {
    this.#table = table;
  }

  /** Approximate memory in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Bytes of the links of the open line's runs, each time that a run has one. */
  get lineBytes(): number {
    return this.#lineBytes;
  }

  /** Returns the number of a link of the screens, or {@link noLink} if it was dropped there. */
  add(link: number): number {
    const key = this.#table.key(link);
    if (key === null) return noLink;
    this.#lineBytes += key.length;
    const number = this.#numbers.get(key);
    if (number !== undefined) return number;
    this.#bytes += bytesOfLink + key.length;
    this.#numbers.set(key, this.#keys.push(key));
    return this.#keys.length;
  }

  /** The key of a link of this page; null for {@link noLink}. */
  key(number: number): string | null {
    // An index of -1 would be looked up as a name.
    return number === noLink ? null : (this.#keys[number - 1] ?? null);
  }

  /** By number - 1. */
  get keys(): readonly string[] {
    return this.#keys;
  }

  /** Adds the links of a page that was packed, under the same numbers. */
  restore(keys: readonly string[]): void {
    for (const key of keys) this.#numbers.set(key, this.#keys.push(key));
    this.#bytes += keys.reduce((sum, key) => sum + bytesOfLink + key.length, 0);
  }

  /** Returns the number of a link of this page on the screens. */
  toScreen(number: number): number {
    const key = this.key(number);
    return key === null ? noLink : this.#table.intern(key);
  }

  endLine(): void {
    this.#lineBytes = 0;
  }

  clear(): void {
    this.#lineBytes = 0;
    this.#keys = [];
    this.#numbers.clear();
    this.#bytes = 0;
  }
}
