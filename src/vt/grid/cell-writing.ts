import { wordsOf } from '../cells/byte-buffer.ts';
import {
  firstCharacter,
  spacerHead,
  spacerTail,
  tabAlone,
  tabEnd,
  tabMiddle,
  tabStart,
  wideFlag,
} from '../cells/cell.ts';
import { joinsAtStart, quickRunWidths, runWidth } from '../cells/graphemes.ts';
import { charWidth, emojiOffset, firstEmoji, quickCharWidths } from '../cells/width.ts';
import { decodeThreeOf, decodeWhole, encodedLength, leadsThree } from '../parser/utf8-decoder.ts';
import { defaultStyle } from '../style/style-word.ts';
import { fillCells, type Grid } from './grid.ts';
import { fillDeferred, lineWraps, mayHaveWide, type RowMetadata } from './row-metadata.ts';

// Writes characters into the cells of a grid.

const space = 0x20;
/** The first code point above U+007F that is not a control. */
const firstPrintable = 0xa0;
/** The lead byte of C1 controls and of some characters. */
const c1Lead = 0xc2;
/** The first two bytes of U+1F000..U+1FFFF: nearly all emoji. */
const emojiLead = 0xf0;
const emojiSecond = 0x9f;
/** In {@link runWidth}: the width. */
const widthMask = joinsAtStart - 1;

/** Whether a byte is outside 0x20..0x7E, in one comparison. */
function isNotPrintable(byte: number): boolean {
  return (byte - 0x20) >>> 0 > 0x5e;
}

/**
 * Copies bytes to cells up to the first that is outside 0x20..0x7E. Returns its index. Unrolled by
 * four, which takes two thirds of the time of a simple loop.
 */
function copyAscii(
  bytes: Uint8Array,
  start: number,
  end: number,
  codes: Int32Array,
  into: number,
): number {
  let at = start;
  let cell = into;
  for (; at + 4 <= end; at += 4, cell += 4) {
    const a = bytes[at];
    if (isNotPrintable(a)) return at;
    codes[cell] = a;
    const b = bytes[at + 1];
    if (isNotPrintable(b)) return at + 1;
    codes[cell + 1] = b;
    const c = bytes[at + 2];
    if (isNotPrintable(c)) return at + 2;
    codes[cell + 2] = c;
    const d = bytes[at + 3];
    if (isNotPrintable(d)) return at + 3;
    codes[cell + 3] = d;
  }
  for (; at < end; at++, cell++) {
    const byte = bytes[at];
    if (isNotPrintable(byte)) break;
    codes[cell] = byte;
  }
  return at;
}

/**
 * Writes bytes 0x20..0x7E from `bytes[from]` on into consecutive cells, up to `to`. There must be
 * at least one, and all up to `to` must fit the row. Returns the index of the next byte.
 */
export function putAscii(
  grid: Grid,
  row: number,
  col: number,
  bytes: Uint8Array,
  from: number,
  to: number,
  style: number,
): number {
  const meta = grid.metadata(row);
  const start = meta.start + col;
  if (meta.flags !== 0) beginRun(grid, meta, start);
  const next = copyAscii(bytes, from, to, grid.codes, start);
  finishRun(grid, meta, col, col + next - from, style);
  return next;
}

/** Writes one character of width 1 into `count` consecutive cells, which must fit the row. */
export function putSame(
  grid: Grid,
  row: number,
  col: number,
  codePoint: number,
  count: number,
  style: number,
): void {
  const meta = grid.metadata(row);
  const start = meta.start + col;
  if (meta.flags !== 0) beginRun(grid, meta, start);
  grid.codes.fill(codePoint, start, start + count);
  finishRun(grid, meta, col, col + count, style);
}

/**
 * Writes one character. A wide character takes the next cell too if the grid has more than one
 * column.
 */
export function put(grid: Grid, row: number, col: number, code: number, style: number): void {
  const meta = grid.metadata(row);
  const start = meta.start + col;
  if (meta.flags !== 0) beginRun(grid, meta, start);
  grid.codes[start] = code;
  if ((code & wideFlag) === 0) finishRun(grid, meta, col, col + 1, style);
  else {
    const end = Math.min(col + 2, grid.cols);
    // Another wide character may begin in the cell that becomes the spacer.
    if (meta.flags !== 0 && end < grid.cols) grid.splitWide(meta.start + end);
    if (end === col + 2) grid.codes[start + 1] = spacerTail;
    meta.flags |= mayHaveWide;
    finishRun(grid, meta, col, end, style);
  }
}

/**
 * Replaces the content of a cell by the same character with one more code point. Width and style
 * stay.
 */
export function extend(grid: Grid, row: number, col: number, code: number): void {
  const at = grid.start(row) + col;
  grid.codes[at] = code;
  const meta = grid.metadata(row);
  if (meta.wraps) updateWrap(grid, meta, col, col + 1);
  meta.notePrinted(col, col + 1, grid.revision, grid.printedSince);
}

/** The result of the last {@link putUtf8} or {@link putRun}; valid until the next call. */
export const lastRun = {
  /** Number of columns written. */
  cols: 0,
  /** The last code point, if any; set by {@link putUtf8} only. */
  character: 0,
};

/** Whether the character may join the cell before the run. */
function joinsAtRunStart(bytes: Uint8Array, start: number, end: number): boolean {
  if (bytes[start] < 0x80) return false;
  const codePoint = decodeWhole(bytes, start, end);
  return codePoint >= firstPrintable && runWidth(codePoint) >= joinsAtStart;
}

/**
 * Writes characters from `bytes[from]` on into consecutive cells. Stops at `to`, at the column
 * `endCol`, and at the first character that is a control, may be ill-formed or incomplete, has no
 * width of its own, or may join the cluster before it. Returns the index of the next character;
 * {@link lastRun} contains the other results.
 *
 * This is the inner loop for all output that is not ASCII, and its form is chosen for speed.
 * Measured with Node 20: decoding by calls of {@link decodeWhole} slows CJK text down by 13
 * percent. Returning an object instead of setting `lastRun` slows coloured single characters down
 * by 9 percent.
 *
 * What a change must keep:
 * - It decodes exactly as {@link decodeWhole} does and leaves everything else to the parser.
 *   Otherwise the screen depends on how output is split into chunks.
 * - All terminals share `lastRun`. The caller must read it before the next call of `putUtf8` or
 *   `putRun`, and neither may call back into a terminal.
 * - The spacer before the first cell is split only if a character was written.
 *
 * @param clusters whether mode 2027 is set
 * @param afterRun whether the character before the cursor can be part of a run, see
 * {@link runWidth}
 */
export function putUtf8(
  grid: Grid,
  row: number,
  col: number,
  bytes: Uint8Array,
  from: number,
  to: number,
  style: number,
  endCol: number,
  clusters: boolean,
  afterRun: boolean,
): number {
  const widths = clusters ? quickRunWidths() : quickCharWidths();
  if (clusters && !afterRun && joinsAtRunStart(bytes, from, to)) {
    lastRun.cols = 0;
    return from;
  }
  const meta = grid.metadata(row);
  const start = meta.start + col;
  const end = meta.start + endCol;
  let at = start;
  let index = from;
  let last = 0;
  let flag = 0;
  const cuts = meta.flags !== 0 && mayCut(grid, meta, start);
  const { codes } = grid;
  const words = wordsOf(bytes);
  while (index < to && at < end) {
    const byte = bytes[index];
    if (byte > 0xe0 && index + 4 <= to) {
      const wide = decodeThreeOf(words.getInt32(index, true));
      // Neither an overlong form nor a surrogate has this width.
      if (wide > 0 && widths[wide] === 2) {
        if (at + 2 > end) break;
        codes[at] = wide | wideFlag;
        codes[at + 1] = spacerTail;
        at += 2;
        flag = mayHaveWide;
        last = wide;
        index += 3;
        continue;
      }
    }
    if (byte < 0x80) {
      if (isNotPrintable(byte)) break;
      codes[at++] = byte;
      last = byte;
      index++;
      continue;
    }
    let codePoint: number;
    let width: number;
    let next: number;
    // Nearly all non-ASCII characters, decoded here instead of by a call.
    if (leadsThree(byte) && index + 2 < to) {
      const second = bytes[index + 1] ^ 0x80;
      const third = bytes[index + 2] ^ 0x80;
      if ((second | third) > 0x3f) break;
      codePoint = ((byte & 0xf) << 12) | (second << 6) | third;
      width = widths[codePoint];
      next = index + 3;
    } else if (byte > c1Lead && byte < 0xe0 && index + 1 < to) {
      const second = bytes[index + 1] ^ 0x80;
      if (second > 0x3f) break;
      codePoint = ((byte & 0x1f) << 6) | second;
      width = widths[codePoint];
      next = index + 2;
    } else if (byte === emojiLead && index + 3 < to && bytes[index + 1] === emojiSecond) {
      const third = bytes[index + 2] ^ 0x80;
      const fourth = bytes[index + 3] ^ 0x80;
      if ((third | fourth) > 0x3f) break;
      codePoint = firstEmoji | (third << 6) | fourth;
      width = widths[codePoint - emojiOffset];
      next = index + 4;
    } else {
      codePoint = decodeWhole(bytes, index, to);
      if (codePoint < firstPrintable) break;
      width = clusters ? runWidth(codePoint) & widthMask : charWidth(codePoint);
      next = index + encodedLength(codePoint);
    }
    if (width === 2) {
      if (at + 2 > end) break;
      codes[at] = codePoint | wideFlag;
      codes[at + 1] = spacerTail;
      at += 2;
      flag = mayHaveWide;
    } else if (width === 1) codes[at++] = codePoint;
    else break;
    last = codePoint;
    index = next;
  }
  lastRun.cols = at - start;
  if (at === start) return index;
  if (cuts) codes[start - 1] = space;
  lastRun.character = last;
  meta.flags |= flag;
  finishRun(grid, meta, col, at - meta.start, style);
  return index;
}

/**
 * Writes characters from `codePoints[from]` on into consecutive cells, up to `to`, to the column
 * before `endCol`, or to the first character without a width of its own. Returns the index of the
 * next character.
 */
export function putRun(
  grid: Grid,
  row: number,
  col: number,
  codePoints: Int32Array,
  from: number,
  to: number,
  style: number,
  endCol: number,
): number {
  const meta = grid.metadata(row);
  const start = meta.start + col;
  const end = meta.start + endCol;
  let at = start;
  let index = from;
  const cuts = meta.flags !== 0 && mayCut(grid, meta, start);
  const { codes } = grid;
  for (; index < to; index++) {
    const codePoint = codePoints[index];
    const width = charWidth(codePoint);
    if (width === 0 || at + width > end) break;
    if (width === 1) codes[at++] = codePoint;
    else {
      codes[at++] = codePoint | wideFlag;
      codes[at++] = spacerTail;
    }
  }
  lastRun.cols = at - start;
  if (at === start) return index;
  if (cuts) codes[start - 1] = space;
  if (at - start !== index - from) meta.flags |= mayHaveWide;
  finishRun(grid, meta, col, at - meta.start, style);
  return index;
}

/**
 * Whether the first cell to be written is the spacer of a wide character. Unlike {@link beginRun},
 * it changes no character, because there may be nothing to write.
 */
function mayCut(grid: Grid, meta: RowMetadata, start: number): boolean {
  if ((meta.flags & fillDeferred) !== 0) grid.applyFill(meta);
  return (meta.flags & mayHaveWide) !== 0 && grid.codes[start] === spacerTail;
}

/** Prepares a row with flags for writing from `start` on. */
function beginRun(grid: Grid, meta: RowMetadata, start: number): void {
  if ((meta.flags & fillDeferred) !== 0) grid.applyFill(meta);
  if ((meta.flags & mayHaveWide) !== 0) grid.splitWide(start);
}

/** Updates the row after the columns from `from` up to but excluding `to` were written. */
function finishRun(grid: Grid, meta: RowMetadata, from: number, to: number, style: number): void {
  if (meta.flags !== 0) repairAround(grid, meta, from, to);
  if (style !== defaultStyle || !meta.isPlain) {
    meta.isPlain = false;
    fillCells(grid.styles, style, meta.start + from, meta.start + to);
  }
  meta.notePrinted(from, to, grid.revision, grid.printedSince);
}

function repairAround(grid: Grid, meta: RowMetadata, from: number, to: number): void {
  const end = meta.start + to;
  // The second half of a wide character may remain after the last written cell.
  if (to < grid.cols && grid.codes[end] === spacerTail) grid.codes[end] = space;
  if ((meta.flags & lineWraps) !== 0) updateWrap(grid, meta, from, to);
}

/**
 * A write that reaches the last column or the head spacers ends the wrap. The next character may
 * wrap again.
 */
function updateWrap(grid: Grid, meta: RowMetadata, from: number, to: number): void {
  const { codes, cols } = grid;
  const isBeforeSpacer = to === cols || codes[meta.start + to] === spacerHead;
  const isAfterSpacer = from > 0 && codes[meta.start + from - 1] === spacerHead;
  if (isBeforeSpacer || isAfterSpacer) grid.unwrapRow(meta);
}

/**
 * Marks the cells from `from` up to but excluding `to` as those that a tab moved over, unless one of
 * them contains a character. There must be at least one.
 */
export function markTab(grid: Grid, row: number, from: number, to: number): void {
  const meta = grid.metadata(row);
  if (!meta.isFilled) grid.applyFill(meta);
  const { codes } = grid;
  const first = meta.start + from;
  const last = meta.start + to - 1;
  // From the extent on, all cells are empty.
  const used = Math.min(meta.start + meta.extent, last + 1);
  for (let at = first; at < used; at++) if (codes[at] >= firstCharacter) return;
  if (to > meta.extent) meta.extent = to;
  if (first === last) codes[first] = tabAlone;
  else {
    codes[first] = tabStart;
    for (let at = first + 1; at < last; at++) codes[at] = tabMiddle;
    codes[last] = tabEnd;
  }
}

/** Sets cells that look empty to one of the codes of a tab, to restore a dump. */
export function restoreTab(grid: Grid, row: number, from: number, to: number, code: number): void {
  const start = grid.start(row);
  for (let at = start + from; at < start + to; at++) {
    if (grid.codes[at] < firstCharacter) grid.codes[at] = code;
  }
  const meta = grid.metadata(row);
  if (to > meta.extent) meta.extent = to;
}
