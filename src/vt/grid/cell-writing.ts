import { spacerHead, spacerTail, wideFlag } from '../cells/cell.ts';
import { charWidth, widths } from '../cells/width.ts';
import { decodeWhole, encodedLength, leadsThree } from '../parser/utf8-decoder.ts';
import { defaultStyle } from '../style/style-word.ts';
import { fillCells, type Grid } from './grid.ts';
import { fillDeferred, lineWraps, mayHaveWide, type RowMetadata } from './row-metadata.ts';

// How characters get into the cells of a grid.

const space = 0x20;
/** The first code point from U+0080 on that is no control. */
const firstPrintable = 0xa0;
/** What leads C1 controls, and some characters. */
const c1Lead = 0xc2;

/** Whether a byte is not 0x20..0x7E, in one comparison. */
function isNotPrintable(byte: number): boolean {
  return (byte - 0x20) >>> 0 > 0x5e;
}

/**
 * Copies bytes to cells up to the first that is not 0x20..0x7E; returns where that is. Four a turn,
 * which takes two thirds of the time of a plain loop.
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
 * Writes the bytes 0x20..0x7E from `bytes[from]` on, of which there is one at least, into
 * consecutive cells, up to `to`: so many must fit the row. Returns the index of the next byte.
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

/** Writes the same character, of width 1, into consecutive cells; they must fit the row. */
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

/** Writes one character; a wide one takes the next cell too, if the grid has more than one column. */
export function put(grid: Grid, row: number, col: number, code: number, style: number): void {
  const meta = grid.metadata(row);
  const start = meta.start + col;
  if (meta.flags !== 0) beginRun(grid, meta, start);
  grid.codes[start] = code;
  if ((code & wideFlag) === 0) finishRun(grid, meta, col, col + 1, style);
  else {
    const end = Math.min(col + 2, grid.cols);
    // Another one may begin where this one ends.
    if (meta.flags !== 0 && end < grid.cols) grid.splitWide(meta.start + end);
    if (end === col + 2) grid.codes[start + 1] = spacerTail;
    meta.flags |= mayHaveWide;
    finishRun(grid, meta, col, end, style);
  }
}

/** Replaces what a cell holds, by more of the same character: it keeps its width and style. */
export function extend(grid: Grid, row: number, col: number, code: number): void {
  grid.codes[grid.start(row) + col] = code;
  const meta = grid.metadata(row);
  if (meta.wraps) updateWrap(grid, meta, col, col + 1);
  meta.notePrinted(col, col + 1, grid.revision, grid.printedSince);
}

/** What the last {@link putUtf8} or {@link putRun} wrote: valid until the next. */
export const lastRun = {
  /** How many columns it filled. */
  cols: 0,
  /** The last code point, if there was one; of {@link putUtf8} only. */
  character: 0,
};

/**
 * Writes the characters from `bytes[from]` on into consecutive cells, up to `to`, to the column
 * before `endCol`, or to the first that needs a closer look: a control, an ill-formed character,
 * one without a width of its own. Returns the index of the next character.
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
): number {
  const { codes } = grid;
  const lowWidths = widths;
  const meta = grid.metadata(row);
  const start = meta.start + col;
  const end = meta.start + endCol;
  let at = start;
  let index = from;
  let last = 0;
  let flag = 0;
  const cuts = meta.flags !== 0 && mayCut(grid, meta, start);
  while (index < to && at < end) {
    const byte = bytes[index];
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
    // Nearly all of what is not ASCII; the same by calls takes half as long again.
    if (leadsThree(byte) && index + 2 < to) {
      const second = bytes[index + 1] ^ 0x80;
      const third = bytes[index + 2] ^ 0x80;
      if ((second | third) > 0x3f) break;
      codePoint = ((byte & 0xf) << 12) | (second << 6) | third;
      width = lowWidths[codePoint];
      next = index + 3;
    } else if (byte > c1Lead && byte < 0xe0 && index + 1 < to) {
      const second = bytes[index + 1] ^ 0x80;
      if (second > 0x3f) break;
      codePoint = ((byte & 0x1f) << 6) | second;
      width = lowWidths[codePoint];
      next = index + 2;
    } else {
      codePoint = decodeWhole(bytes, index, to);
      if (codePoint < firstPrintable) break;
      width = charWidth(codePoint);
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
 * before `endCol`, or to the first that has no width of its own. Returns the index of the next
 * character.
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
  const { codes } = grid;
  const meta = grid.metadata(row);
  const start = meta.start + col;
  const end = meta.start + endCol;
  let at = start;
  let index = from;
  const cuts = meta.flags !== 0 && mayCut(grid, meta, start);
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
 * As {@link beginRun}, for who may find nothing to write: whether the first cell that is written is
 * the second half of a wide character.
 */
function mayCut(grid: Grid, meta: RowMetadata, start: number): boolean {
  if ((meta.flags & fillDeferred) !== 0) grid.applyFill(meta);
  return (meta.flags & mayHaveWide) !== 0 && grid.codes[start] === spacerTail;
}

/** What comes before cells are written one after the other, where the meta has flags. */
function beginRun(grid: Grid, meta: RowMetadata, start: number): void {
  if ((meta.flags & fillDeferred) !== 0) grid.applyFill(meta);
  if ((meta.flags & mayHaveWide) !== 0) grid.splitWide(start);
}

/** What comes after the columns `from` up to and without `to` have been written. */
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
  // Half of a wide character may be left behind the last cell.
  if (to < grid.cols && grid.codes[end] === spacerTail) grid.codes[end] = space;
  if ((meta.flags & lineWraps) !== 0) updateWrap(grid, meta, from, to);
}

/** The line goes on only if the next character wraps again, or its pads are left in peace. */
function updateWrap(grid: Grid, meta: RowMetadata, from: number, to: number): void {
  const { codes, cols } = grid;
  const isBeforeSpacer = to === cols || codes[meta.start + to] === spacerHead;
  const isAfterSpacer = from > 0 && codes[meta.start + from - 1] === spacerHead;
  if (isBeforeSpacer || isAfterSpacer) grid.unwrapRow(meta);
}
