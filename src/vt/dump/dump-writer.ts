import { decodeUtf8, encodeUtf8 } from '#base';
import { ByteBuffer } from '../cells/byte-buffer.ts';
import { clusterFlag, codeMask, firstCharacter, wideFlag } from '../cells/cell.ts';
import {
  clusterEnd,
  maxCharacterBytes,
  narrowCluster,
  wideCluster,
  writeText,
} from '../cells/cell-text.ts';
import { charWidth } from '../cells/width.ts';
import { restoreOperation } from '../functions/saving.ts';
import type { StoredLine } from '../scrollback/page.ts';
import type { RunReader } from '../scrollback/page-styles.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import { attributesMask, linkNumber, protectedCell } from '../style/attributes.ts';
import { linkOf, linkSequence } from '../style/link-table.ts';
import { maxSgrBytes, writeSgr } from '../style/sgr-text.ts';
import { clusterOutput, emptyOutput, protectionOf, restore } from './dump-settings.ts';

const carriageReturn = 0x0d;
/** Ends each line, and occurs nowhere else in lines. */
export const lineFeed = 0x0a;
const space = 0x20;

type Tables = Pick<TerminalState, 'clusters' | 'links' | 'scrollback' | 'styles'>;

/**
 * Writes cells as output. The text of lines above the screen is copied, not read as cells: a dump of
 * all lines consists mostly of them.
 */
export class DumpWriter {
  readonly #t: Tables;
  readonly #cols: number;
  readonly #out = new ByteBuffer(4096);
  // The style of the pen of the terminal that reads the output.
  #fg = 0;
  #bg = 0;
  #underlineColor = 0;
  #attributes = 0;
  #link: string | null = null;
  /** Cells written to the current row, if they are counted. */
  #col = 0;
  #isCounted = false;

  /** @param cols of the terminal that reads the output */
  constructor(t: Tables, cols: number) {
    this.#t = t;
    this.#cols = cols;
  }

  /** Bytes written so far. */
  get length(): number {
    return this.#out.length;
  }

  /** The output so far; valid until the next call. */
  get bytes(): Uint8Array {
    return this.#out.bytes.subarray(0, this.#out.length);
  }

  /** Allocates memory for more bytes. */
  reserve(bytes: number): void {
    this.#out.reserve(bytes);
  }

  append(bytes: Uint8Array): void {
    this.#out.append(bytes);
  }

  /**
   * Writes complete lines above the screen, each with its end, until all are written or the output has `maxBytes`.
   * Begins and ends in the default style.
   *
   * @returns one past the last line
   */
  lines(from: number, to: number, maxBytes = Number.POSITIVE_INFINITY): number {
    let line = from;
    while (line < to && this.length < maxBytes) {
      const written = this.#unstyledLines(line, to, maxBytes);
      if (written === 0) this.#line(line);
      line += Math.max(1, written);
    }
    return line;
  }

  /**
   * Copies lines that are stored as their output, apart from their ends: most lines. Returns their number, which is 0
   * if the first is not.
   */
  #unstyledLines(from: number, to: number, maxBytes: number): number {
    const stored = this.#t.scrollback.unstyled(from, to);
    if (stored === undefined) return 0;
    const { text, start, end } = stored;
    const out = this.#out;
    out.reserve(2 * (end - start));
    const { bytes } = out;
    let length = out.length;
    let lines = 0;
    let lineStart = start;
    for (let at = start; at < end; at++) {
      const byte = text[at];
      if (byte >= space) {
        bytes[length++] = byte;
        continue;
      }
      // No cell has less than one byte.
      if (byte !== lineFeed || at - lineStart > this.#cols) break;
      bytes[length++] = carriageReturn;
      bytes[length++] = lineFeed;
      out.length = length;
      lines++;
      lineStart = at + 1;
      if (length >= maxBytes) break;
    }
    return lines;
  }

  #line(line: number): void {
    const stored = this.#t.scrollback.stored(line);
    // No cell has less than one byte.
    if (stored !== undefined) this.#stored(stored, stored.end - stored.start > this.#cols);
    this.newLine();
  }

  /** Writes the beginning of the line that continues in the topmost row of the screen. */
  openLine(line: number): void {
    const stored = this.#t.scrollback.stored(line);
    if (stored === undefined) this.#col = 0;
    else this.#stored(stored, true);
    this.wrap(this.#cols - Math.min(this.#cols, this.#col));
  }

  newLine(): void {
    this.#out.push(carriageReturn);
    this.#out.push(lineFeed);
  }

  /** Continues the line in the next row. The last `spacers` cells of the row become head spacers. */
  wrap(spacers: number): void {
    this.put(spacers === 0 ? wrapAfterText : restore(restoreOperation.wrap, spacers));
  }

  /**
   * Writes cells of one row, from its first column on. Begins and ends in the default style.
   *
   * @param start index of the first
   * @param end one past the last
   */
  row(codes: Int32Array, styles: Int32Array, start: number, end: number): void {
    this.#isCounted = false;
    for (let at = start; at < end; ) {
      const from = at;
      const style = styles[at];
      const kind = kindOf(codes[at]);
      do at++;
      while (at < end && styles[at] === style && kindOf(codes[at]) === kind);
      this.#setStyle(this.#parts(style));
      if (kind < 0) this.#rowText(codes, from, at);
      else this.#empty(at - from, kind);
    }
    this.#setStyle(plain);
  }

  #parts(style: number): Parts {
    const { styles, links } = this.#t;
    const attributes = styles.attributes(style);
    return {
      fg: styles.fg(style),
      bg: styles.bg(style),
      underlineColor: styles.underlineColor(style),
      attributes: attributes & attributesMask,
      link: links.key(linkNumber(attributes)),
    };
  }

  #rowText(codes: Int32Array, start: number, end: number): void {
    const out = this.#out;
    const { clusters } = this.#t;
    let from = start;
    for (let at = start; at < end; at++) {
      if ((codes[at] & clusterFlag) === 0) continue;
      writeText(out, codes, from, at, clusters);
      const codePoints = clusters.codePoints(codes[at] & codeMask);
      this.put(clusterOutput(codePoints, (codes[at] & wideFlag) !== 0 ? 2 : 1));
      from = at + 1;
    }
    writeText(out, codes, from, end, clusters);
  }

  /** @param isCounted whether the line may not fit into one row */
  #stored({ text, start, end, runs }: StoredLine, isCounted: boolean): void {
    this.#col = 0;
    this.#isCounted = isCounted;
    let at = start;
    while (!runs.done) {
      const to = at + runs.readLength();
      runs.readParts();
      this.#setStyle(runs);
      this.#run(text, at, to);
      at = to;
    }
    if (at < end) {
      this.#setStyle(plain);
      this.#run(text, at, end);
    }
    this.#setStyle(plain);
  }

  /** Writes cells of one style. */
  #run(text: Uint8Array, start: number, end: number): void {
    let at = start;
    while (at < end) {
      const byte = text[at];
      if (byte >= space)
        at = this.#isCounted ? this.#countedText(text, at, end) : this.#text(text, at, end);
      else if (byte === narrowCluster || byte === wideCluster) {
        const close = text.indexOf(clusterEnd, at);
        this.#cluster(decodeUtf8(text.subarray(at + 1, close)), byte === wideCluster ? 2 : 1);
        at = close + 1;
      } else {
        const from = at;
        do at++;
        while (at < end && text[at] === byte);
        this.#empty(at - from, byte);
      }
    }
  }

  /** Copies text up to the first byte that is not text. Returns its index. */
  #text(text: Uint8Array, start: number, end: number): number {
    const out = this.#out;
    out.reserve(end - start);
    const { bytes } = out;
    let to = out.length;
    let at = start;
    for (; at < end && text[at] >= space; at++) bytes[to++] = text[at];
    out.length = to;
    return at;
  }

  /** Like {@link #text}, but up to the end of the row at most. */
  #countedText(text: Uint8Array, start: number, end: number): number {
    const cols = this.#cols;
    const out = this.#out;
    this.#room(text[start] < 0x80 ? 1 : widthAt(text, start));
    const begun = this.#col;
    // At most this many characters fit.
    out.reserve(Math.min(end - start, (cols - begun + 1) * maxCharacterBytes));
    const { bytes } = out;
    let to = out.length;
    let col = begun;
    let at = start;
    while (at < end) {
      const stop = Math.min(end, at + cols - col);
      const from = at;
      for (; at < stop && isAscii(text[at]); at++) bytes[to++] = text[at];
      col += at - from;
      if (at === end || text[at] < 0x80) break;
      const width = widthAt(text, at);
      // A wide character is clipped to a row of one column.
      if (col + width > cols && col > 0) break;
      col += width;
      do bytes[to++] = text[at++];
      while (at < end && (text[at] & 0xc0) === 0x80);
    }
    out.length = to;
    this.#col = col;
    return at;
  }

  #cluster(text: string, width: 1 | 2): void {
    if (this.#isCounted) {
      this.#room(width);
      this.#col += width;
    }
    this.put(
      clusterOutput(
        Array.from(text, (char) => char.codePointAt(0) as number),
        width,
      ),
    );
  }

  #empty(count: number, code: number): void {
    let rest = count;
    while (rest > 0) {
      if (this.#isCounted) this.#room(1);
      const fitting = this.#isCounted ? Math.min(rest, this.#cols - this.#col) : rest;
      this.put(emptyOutput(fitting, this.#isStyled, code));
      this.#col += fitting;
      rest -= fitting;
    }
  }

  /** Continues in the next row if so many cells do not fit. */
  #room(cells: number): void {
    const left = this.#cols - this.#col;
    if (cells <= left || this.#col === 0) return;
    this.#col = 0;
    // A wide character did not fit into the last column.
    const spacers = left > 0 ? 1 : 0;
    if (!this.#isStyled) {
      this.wrap(spacers);
      return;
    }
    const style = {
      fg: this.#fg,
      bg: this.#bg,
      underlineColor: this.#underlineColor,
      attributes: this.#attributes,
      link: this.#link,
    };
    this.#setStyle(plain);
    this.wrap(spacers);
    this.#setStyle(style);
  }

  get #isStyled(): boolean {
    const parts = this.#fg | this.#bg | this.#underlineColor | this.#attributes;
    return parts !== 0 || this.#link !== null;
  }

  #setStyle({ fg, bg, underlineColor, attributes, link }: Parts): void {
    const before = this.#attributes;
    const isSame = fg === this.#fg && bg === this.#bg && attributes === before;
    if (isSame && underlineColor === this.#underlineColor && link === this.#link) return;
    const out = this.#out;
    out.reserve(maxSgrBytes);
    out.length = writeSgr(out.bytes, out.length, fg, bg, underlineColor, attributes);
    this.#fg = fg;
    this.#bg = bg;
    this.#underlineColor = underlineColor;
    this.#attributes = attributes;
    if (link !== this.#link) this.put(linkSequence(link === null ? null : linkOf(link)));
    this.#link = link;
    if (((attributes ^ before) & protectedCell) !== 0) this.put(protectionOf(attributes));
  }

  /** Writes output. */
  put(text: string): void {
    const out = this.#out;
    out.reserve(text.length);
    const { bytes, length } = out;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit >= 0x80) {
        out.append(encodeUtf8(text));
        return;
      }
      bytes[length + at] = unit;
    }
    out.length = length + text.length;
  }
}

const wrapAfterText = restore(restoreOperation.wrap, 0);

/** The attributes are without the link, of which `link` is the key. */
type Parts = Pick<RunReader, 'fg' | 'bg' | 'underlineColor' | 'attributes' | 'link'>;

const plain: Parts = { fg: 0, bg: 0, underlineColor: 0, attributes: 0, link: null };

function isAscii(byte: number): boolean {
  return byte >= space && byte < 0x80;
}

/** Returns the code of a cell that looks empty, which a dump does not print; otherwise -1. */
function kindOf(code: number): number {
  return code < firstCharacter ? code : -1;
}

/** The width of a character of more than one byte, which is well-formed. */
function widthAt(bytes: Uint8Array, at: number): number {
  const lead = bytes[at];
  // No wide character takes two bytes.
  if (lead < 0xe0) return 1;
  const low = ((bytes[at + 1] & 0x3f) << 6) | (bytes[at + 2] & 0x3f);
  const codePoint = lead < 0xf0 ? ((lead & 0xf) << 12) | low : fourBytes(lead, low, bytes[at + 3]);
  return charWidth(codePoint) === 2 ? 2 : 1;
}

function fourBytes(lead: number, middle: number, last: number): number {
  return ((lead & 7) << 18) | (middle << 6) | (last & 0x3f);
}
