import { clusterFlag, codeMask, wideFlag } from '../cells/cell.ts';
import { maxCharacterBytes } from '../cells/cell-text.ts';
import { joinsAtStart, mayJoin, quickRunWidths, runWidth, widthAlone } from '../cells/graphemes.ts';
import { charWidth, emojiOffset } from '../cells/width.ts';
import { Params } from '../parser/params.ts';
import {
  decodeWhole,
  emojiOf,
  encodedLength,
  isEmoji,
  isThree,
  isTwo,
  leastOfThree,
  threeOf,
  twoOf,
} from '../parser/utf8-decoder.ts';
import { ReadyRows } from '../scrollback/ready-rows.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import { defaultColor } from '../style/color.ts';
import { Pen } from '../style/pen.ts';
import { applyPlainSgr, applySgr } from '../style/sgr.ts';
import { backgroundMask } from '../style/style-word.ts';
import { joinedCode, notJoined } from './clustering.ts';

const cr = 0x0d;
const lf = 0x0a;
const esc = 0x1b;
const csi = 0x5b;
const sgrFinal = 0x6d;
/** The first code point above U+007F that is not a control. */
const firstPrintable = 0xa0;
const params = new Params();
/** Returned in place of an index: the line must be printed in another way. */
const notReady = -1;

const maxLines = 4 * 1024;
/** Integers per line: its rows end, its bytes end, the last character, and the parts of the pen. */
const lineWords = 7;
/** No cluster takes more bytes: 17 code points of 4 bytes, and two marks. */
const mostClusterBytes = 80;

/**
 * Makes rows of lines of text and SGR, each with CR LF, in the form of the scrollback. They are what the scrollback
 * would get if the lines were printed from the first column on, and scrolled away.
 *
 * Nothing is changed but the tables of styles and clusters, which get what printing would add.
 */
export class LinesAhead {
  readonly rows = new ReadyRows();
  readonly #lines = new Int32Array(maxLines * lineWords);
  readonly #pen = new Pen();
  #count = 0;
  #at = 0;
  /** Whether the pen may have another style than the last character. */
  #hasNewPen = true;
  // The row that has not ended.
  #col = 0;
  #cols = 0;
  #asciiCells = -1;
  /** The style of the run that has not ended. */
  #style = 0;
  #runCol = 0;
  #runStart = 0;
  // Its last cell.
  #cellCol = 0;
  #cellStart = 0;
  #content = 0;
  /** What REP would repeat. */
  #last = 0;

  /** Number of lines. */
  get count(): number {
    return this.#count;
  }

  /** Makes rows of the lines from `start` on, up to the first that has anything else, or as many as are held. */
  read(t: TerminalState, bytes: Uint8Array, words: DataView, start: number, end: number): void {
    this.rows.clear();
    this.#pen.copyFrom(t.pen);
    this.#pen.link = t.pen.link;
    this.#cols = t.cols;
    this.#last = t.lastPrinted;
    this.#hasNewPen = true;
    this.#count = 0;
    this.#at = start;
    while (this.#count < maxLines) {
      const next = this.#readLine(t, bytes, words, this.#at, end);
      if (next === notReady) return;
      this.#endLine(next);
    }
  }

  /** Where the bytes of a line end, with CR LF. */
  end(line: number): number {
    return this.#lines[line * lineWords + 1];
  }

  /** One past the last row of a line; 0 for the line -1. */
  rowsEnd(line: number): number {
    return line < 0 ? 0 : this.#lines[line * lineWords];
  }

  /** Sets the pen and the last character to those after a line. */
  finish(t: TerminalState, line: number): void {
    const at = line * lineWords;
    t.lastPrinted = this.#lines[at + 2];
    const [word, foreground, background, underline] = this.#lines.subarray(at + 3, at + lineWords);
    t.pen.set(word, foreground, background, underline);
  }

  #endLine(next: number): void {
    const pen = this.#pen;
    const at = this.#count++ * lineWords;
    this.#lines[at] = this.rows.rowCount;
    this.#lines[at + 1] = next;
    this.#lines[at + 2] = this.#last;
    this.#lines[at + 3] = pen.word;
    this.#lines[at + 4] = pen.rgbForeground;
    this.#lines[at + 5] = pen.rgbBackground;
    this.#lines[at + 6] = pen.underlineColor;
    this.#at = next;
  }

  #readLine(
    t: TerminalState,
    bytes: Uint8Array,
    words: DataView,
    start: number,
    end: number,
  ): number {
    this.#beginRow();
    let afterRun = true;
    let at = start;
    while (at + 1 < end) {
      const byte = bytes[at];
      if (byte >= 0x20 && byte !== 0x7f) {
        if (this.#hasNewPen && !this.#setStyle(t, bytes, at, end)) return notReady;
        if (byte < 0x7f) {
          at = this.#readAscii(words, at, end);
          afterRun = true;
        } else {
          if (afterRun) {
            const run = this.#readRun(bytes, words, at, end);
            if (run > at) {
              at = run;
              if (at === end || bytes[at] < 0x80) continue;
            }
          }
          const codePoint = decodeWhole(bytes, at, end);
          if (codePoint < firstPrintable || this.rows.isFull(mostClusterBytes)) return notReady;
          const width = runWidth(codePoint);
          const isAlone = width > 0 && (afterRun || width < joinsAtStart);
          const next = at + encodedLength(codePoint);
          if (isAlone) {
            if (!this.#addCharacter(bytes, at, next, codePoint, width & (joinsAtStart - 1))) {
              return notReady;
            }
          } else if (!this.#join(t, bytes, at, next, codePoint)) return notReady;
          afterRun = width > 0;
          at = next;
        }
        if (at === notReady) return notReady;
      } else if (byte === esc && bytes[at + 1] === csi) {
        const next = applyPlainSgr(this.#pen, bytes, at + 2, end);
        at = next > at + 2 ? next : this.#applyOtherSgr(bytes, at + 2, end);
        if (at === notReady) return notReady;
        this.#hasNewPen = true;
      } else if (byte === cr && bytes[at + 1] === lf && this.#endRow()) return at + 2;
      else return notReady;
    }
    return notReady;
  }

  #applyOtherSgr(bytes: Uint8Array, start: number, end: number): number {
    params.clear();
    const at = params.read(bytes, start, end);
    if (at >= end || bytes[at] !== sgrFinal) return notReady;
    applySgr(this.#pen, params);
    return at + 1;
  }

  #beginRow(): void {
    this.#col = 0;
    this.#asciiCells = -1;
    this.#runCol = 0;
    this.#runStart = this.rows.length;
  }

  /** Ends a row. Returns false if the scroll would give the next row a background. */
  #endRow(): boolean {
    const { word, rgbBackground } = this.#pen;
    if ((word & backgroundMask) !== 0 || rgbBackground !== defaultColor) return false;
    if (this.rows.isFull(0)) return false;
    this.#endRun();
    this.rows.endRow(this.#col, this.#asciiCells < 0 ? this.#col : this.#asciiCells);
    return true;
  }

  #endRun(): void {
    const { length } = this.rows;
    if (this.#col > this.#runCol) {
      this.rows.addRun(this.#style, this.#col - this.#runCol, length - this.#runStart);
    }
    this.#runCol = this.#col;
    this.#runStart = length;
  }

  /**
   * Begins a run if the style of the character at `at` is another one. Returns false if there is no capacity for it, or
   * if the character may join the last one of a full row: then printing does not add its style to the table.
   */
  #setStyle(t: TerminalState, bytes: Uint8Array, at: number, end: number): boolean {
    const isFull = this.#col === this.#cols;
    if (isFull && bytes[at] >= 0x80 && mayJoin(decodeWhole(bytes, at, end))) return false;
    this.#hasNewPen = false;
    const style = this.#pen.style(t.styles);
    if (style === this.#style) return true;
    this.#endRun();
    this.#style = style;
    return !this.rows.isFull(0);
  }

  /** Ends the row if it is too full for a character. Returns false if that must be done in another way. */
  #makeRoom(width: number): boolean {
    if (this.#col + width <= this.#cols) return true;
    if (!this.#endRow()) return false;
    this.#beginRow();
    return !this.rows.isFull(0);
  }

  #readAscii(words: DataView, start: number, end: number): number {
    const { rows } = this;
    let at = start;
    for (;;) {
      if (!this.#makeRoom(1)) return notReady;
      const from = at;
      const most = Math.min(end, at + this.#cols - this.#col);
      if (rows.isFull(most - at)) return notReady;
      at = copyPrintable(words, at, most, rows.words, rows.length);
      rows.length += at - from;
      this.#col += at - from;
      if (at < most || at === end || !isPrintable(words.getUint8(at))) break;
    }
    this.#content = words.getUint8(at - 1);
    this.#last = this.#content;
    this.#cellCol = this.#col - 1;
    this.#cellStart = rows.length - 1;
    return at;
  }

  /**
   * Adds characters that join no character of a run, as many as fit the row; the first is not ASCII. Stops at the first
   * that is not decoded here. Returns where it stopped.
   *
   * It is one function because of its speed: with wide characters in a function of their own, or code points below zero
   * for other forms, it is up to a tenth slower.
   */
  #readRun(bytes: Uint8Array, words: DataView, start: number, end: number): number {
    const { rows } = this;
    const cols = this.#cols;
    if (rows.isFull((cols - this.#col + 1) * maxCharacterBytes)) return start;
    const widths = quickRunWidths();
    const { text, words: into } = rows;
    let col = this.#col;
    let to = rows.length;
    let at = start;
    let last = 0;
    let width = 0;
    let cellStart = to;
    // Four bytes are read at once. The last ones do not matter: a line that ends has CR LF there.
    const most = end - 4;
    while (at <= most) {
      const byte = bytes[at];
      if (byte < 0x80) {
        if (!isPrintable(byte) || col === cols) break;
        cellStart = to;
        text[to++] = byte;
        last = byte;
        width = 1;
        col++;
        at++;
        continue;
      }
      const word = words.getInt32(at, true);
      let codePoint: number;
      let cells: number;
      let count: number;
      if (isThree(word)) {
        const from = at;
        const mostWide = Math.min(end - 12, at + 3 * ((cols - col) >> 1) - 12);
        // Four characters are three words.
        for (; at <= mostWide; at += 12, to += 12, col += 8) {
          const first = words.getInt32(at, true);
          const second = words.getInt32(at + 4, true);
          const third = words.getInt32(at + 8, true);
          const differs =
            ((first ^ 0xe08080e0) & 0xf0c0c0f0) |
            ((second ^ 0x80e08080) & 0xc0f0c0c0) |
            ((third ^ 0x8080e080) & 0xc0c0f0c0);
          if (differs !== 0) break;
          const a = threeOf(first);
          const b = ((first >>> 12) & 0xf000) | ((second & 0x3f) << 6) | ((second >> 8) & 0x3f);
          const c = ((second >> 4) & 0xf000) | ((second >>> 18) & 0xfc0) | (third & 0x3f);
          const d = ((third << 4) & 0xf000) | ((third >> 10) & 0xfc0) | ((third >>> 24) & 0x3f);
          // Neither an overlong form nor a surrogate has this width.
          if ((widths[a] & widths[b] & widths[c] & widths[d]) !== 2) break;
          into.setInt32(to, first, true);
          into.setInt32(to + 4, second, true);
          into.setInt32(to + 8, third, true);
          last = d;
        }
        if (at > from) {
          cellStart = to - 3;
          width = 2;
          continue;
        }
        codePoint = threeOf(word);
        if (codePoint < leastOfThree) break;
        cells = widths[codePoint];
        count = 3;
      } else if (isTwo(word)) {
        codePoint = twoOf(word);
        if (codePoint < firstPrintable) break;
        cells = widths[codePoint];
        count = 2;
      } else if (isEmoji(word)) {
        codePoint = emojiOf(word);
        cells = widths[codePoint - emojiOffset];
        count = 4;
      } else {
        codePoint = decodeWhole(bytes, at, end);
        if (codePoint < firstPrintable) break;
        cells = runWidth(codePoint) & (joinsAtStart - 1);
        count = 4;
      }
      if (cells === 0 || col + cells > cols) break;
      // The next character overwrites the surplus bytes.
      into.setInt32(to, word, true);
      cellStart = to;
      to += count;
      at += count;
      col += cells;
      width = cells;
      last = codePoint;
    }
    if (at === start) return start;
    if (this.#asciiCells < 0) this.#asciiCells = this.#col;
    rows.length = to;
    this.#col = col;
    this.#cellCol = col - width;
    this.#cellStart = cellStart;
    this.#content = last;
    this.#last = last;
    return at;
  }

  /** Adds a character in cells of its own. */
  #addCharacter(
    bytes: Uint8Array,
    start: number,
    end: number,
    codePoint: number,
    width: number,
  ): boolean {
    if (!this.#makeRoom(width)) return false;
    const { rows } = this;
    this.#beginCell(width);
    this.#content = codePoint;
    this.#last = codePoint;
    let to = rows.length;
    for (let at = start; at < end; at++) rows.text[to++] = bytes[at];
    rows.length = to;
    return true;
  }

  #beginCell(width: number): void {
    if (this.#asciiCells < 0) this.#asciiCells = this.#col;
    this.#cellCol = this.#col;
    this.#cellStart = this.rows.length;
    this.#col += width;
  }

  /** Adds a character to the last cell if it belongs there, otherwise in cells of its own. */
  #join(
    t: TerminalState,
    bytes: Uint8Array,
    start: number,
    end: number,
    codePoint: number,
  ): boolean {
    const alone = widthAlone(codePoint);
    if (this.#col === 0) return alone > 0 && this.#addAlone(t, bytes, start, end, codePoint, alone);
    const isCluster = (this.#content & clusterFlag) !== 0;
    const before = this.#col - this.#cellCol;
    const code = before === 2 ? this.#content | wideFlag : this.#content;
    const joined = joinedCode(t, code, codePoint, alone > 0);
    if (joined === notJoined) return this.#addAlone(t, bytes, start, end, codePoint, alone);
    const width = (joined & wideFlag) === 0 ? 1 : 2;
    const fits = width >= before && this.#cellCol + width <= this.#cols;
    const isInRun = this.#cellCol >= this.#runCol;
    if (!fits || !isInRun || joined === code) return false;
    const index = joined & codeMask;
    if (this.#asciiCells < 0) this.#asciiCells = this.#cellCol;
    this.#putCluster(bytes, start, end, index, width, isCluster);
    this.#col = this.#cellCol + width;
    this.#last = this.#content;
    return true;
  }

  #addAlone(
    t: TerminalState,
    bytes: Uint8Array,
    start: number,
    end: number,
    codePoint: number,
    width: number,
  ): boolean {
    if (width === charWidth(codePoint)) {
      return this.#addCharacter(bytes, start, end, codePoint, width);
    }
    if (!this.#makeRoom(width)) return false;
    const index = t.clusters.alone(codePoint);
    this.#beginCell(width);
    this.#putCluster(bytes, start, end, index, width, false);
    this.#last = codePoint;
    return true;
  }

  /** @param start of the character that is added */
  #putCluster(
    bytes: Uint8Array,
    start: number,
    end: number,
    index: number,
    width: number,
    isLonger: boolean,
  ): void {
    const { rows } = this;
    rows.beginCluster(this.#cellCol, this.#cellStart, width === 2, isLonger);
    for (let at = start; at < end; at++) rows.text[rows.length++] = bytes[at];
    rows.endCluster();
    this.#content = clusterFlag | index;
  }
}

function isPrintable(byte: number): boolean {
  return byte >= 0x20 && byte < 0x7f;
}

/** Copies printable ASCII up to the first byte outside 0x20..0x7E. Returns its index. */
function copyPrintable(
  source: DataView,
  start: number,
  end: number,
  into: DataView,
  to: number,
): number {
  const shift = to - start;
  let at = start;
  for (; at + 4 <= end; at += 4) {
    const word = source.getInt32(at, true);
    // As in `printableEnd`.
    if (((word | (word - 0x20202020) | (word + 0x01010101)) & 0x80808080) !== 0) break;
    into.setInt32(at + shift, word, true);
  }
  for (; at < end; at++) {
    const byte = source.getUint8(at);
    if (!isPrintable(byte)) break;
    into.setUint8(at + shift, byte);
  }
  return at;
}
