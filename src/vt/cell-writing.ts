import { padCell, tailCell, wideFlag } from './cell.ts';
import { joinsAtStart, lowRunWidths, runWidth } from './graphemes.ts';
import { fillCells, type Grid } from './grid.ts';
import { type Slot, unsettled, wide, wrapping } from './slot.ts';
import { defaultStyle } from './style-word.ts';
import { decodeWhole, encodedLength, leadsThree } from './utf8-decoder.ts';
import { charWidth, widths } from './width.ts';

// How characters get into the cells of a grid.

const space = 0x20;
/** The first code point from U+0080 on that is no control. */
const firstPrintable = 0xa0;
/** What leads C1 controls, and some characters. */
const c1Lead = 0xc2;

/** Whether a byte is not 0x20..0x7E, in one comparison. */
function isOther(byte: number): boolean {
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
    if (isOther(a)) return at;
    codes[cell] = a;
    const b = bytes[at + 1];
    if (isOther(b)) return at + 1;
    codes[cell + 1] = b;
    const c = bytes[at + 2];
    if (isOther(c)) return at + 2;
    codes[cell + 2] = c;
    const d = bytes[at + 3];
    if (isOther(d)) return at + 3;
    codes[cell + 3] = d;
  }
  for (; at < end; at++, cell++) {
    const byte = bytes[at];
    if (isOther(byte)) break;
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
  const slot = grid.slot(row);
  const start = slot.start + col;
  if (slot.flags !== 0) beginRun(grid, slot, start);
  const next = copyAscii(bytes, from, to, grid.codes, start);
  finishRun(grid, slot, col, col + next - from, style);
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
  const slot = grid.slot(row);
  const start = slot.start + col;
  if (slot.flags !== 0) beginRun(grid, slot, start);
  grid.codes.fill(codePoint, start, start + count);
  finishRun(grid, slot, col, col + count, style);
}

/** Writes one character; a wide one takes the next cell too, if the grid has more than one column. */
export function put(grid: Grid, row: number, col: number, code: number, style: number): void {
  const slot = grid.slot(row);
  const start = slot.start + col;
  if (slot.flags !== 0) beginRun(grid, slot, start);
  grid.codes[start] = code;
  if ((code & wideFlag) === 0) finishRun(grid, slot, col, col + 1, style);
  else {
    const end = Math.min(col + 2, grid.cols);
    // Another one may begin where this one ends.
    if (slot.flags !== 0 && end < grid.cols) grid.cut(slot.start + end);
    if (end === col + 2) grid.codes[start + 1] = tailCell;
    slot.flags |= wide;
    finishRun(grid, slot, col, end, style);
  }
}

/** Replaces what a cell holds, by more of the same character: it keeps its width and style. */
export function extend(grid: Grid, row: number, col: number, code: number): void {
  grid.codes[grid.start(row) + col] = code;
  const slot = grid.slot(row);
  if (slot.wraps) writeOnWrapped(grid, slot, col, col + 1);
  slot.mark(col, col + 1, grid.revision, grid.printedSince);
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
 * one without a width of its own, or one that may join the cluster before it. Returns the index of
 * the next character.
 *
 * @param clusters whether mode 2027 is on
 * @param behindRun whether the character before the first is one that {@link runWidth} lets into a run
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
  behindRun: boolean,
): number {
  const { codes } = grid;
  const lowWidths = clusters ? lowRunWidths() : widths;
  const slot = grid.slot(row);
  const start = slot.start + col;
  const end = slot.start + endCol;
  let at = start;
  let index = from;
  let last = 0;
  let flag = 0;
  const cuts = slot.flags !== 0 && mayCut(grid, slot, start);
  while (index < to && at < end) {
    const byte = bytes[index];
    if (byte < 0x80) {
      if (isOther(byte)) break;
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
      width = clusters ? runWidth(codePoint) : charWidth(codePoint);
      next = index + encodedLength(codePoint);
    }
    if (width >= joinsAtStart) {
      if (at === start && !behindRun) break;
      width -= joinsAtStart;
    }
    if (width === 2) {
      if (at + 2 > end) break;
      codes[at] = codePoint | wideFlag;
      codes[at + 1] = tailCell;
      at += 2;
      flag = wide;
    } else if (width === 1) codes[at++] = codePoint;
    else break;
    last = codePoint;
    index = next;
  }
  lastRun.cols = at - start;
  if (at === start) return index;
  if (cuts) codes[start - 1] = space;
  lastRun.character = last;
  slot.flags |= flag;
  finishRun(grid, slot, col, at - slot.start, style);
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
  const slot = grid.slot(row);
  const start = slot.start + col;
  const end = slot.start + endCol;
  let at = start;
  let index = from;
  const cuts = slot.flags !== 0 && mayCut(grid, slot, start);
  for (; index < to; index++) {
    const codePoint = codePoints[index];
    const width = charWidth(codePoint);
    if (width === 0 || at + width > end) break;
    if (width === 1) codes[at++] = codePoint;
    else {
      codes[at++] = codePoint | wideFlag;
      codes[at++] = tailCell;
    }
  }
  lastRun.cols = at - start;
  if (at === start) return index;
  if (cuts) codes[start - 1] = space;
  if (at - start !== index - from) slot.flags |= wide;
  finishRun(grid, slot, col, at - slot.start, style);
  return index;
}

/**
 * As {@link beginRun}, for who may find nothing to write: whether the first cell that is written is
 * the second half of a wide character.
 */
function mayCut(grid: Grid, slot: Slot, start: number): boolean {
  if ((slot.flags & unsettled) !== 0) grid.settleSlot(slot);
  return (slot.flags & wide) !== 0 && grid.codes[start] === tailCell;
}

/** What comes before cells are written one after the other, where the slot has flags. */
function beginRun(grid: Grid, slot: Slot, start: number): void {
  if ((slot.flags & unsettled) !== 0) grid.settleSlot(slot);
  if ((slot.flags & wide) !== 0) grid.cut(start);
}

/** What comes after the columns `from` up to and without `to` have been written. */
function finishRun(grid: Grid, slot: Slot, from: number, to: number, style: number): void {
  if (slot.flags !== 0) mendAround(grid, slot, from, to);
  if (style !== defaultStyle || !slot.isPlain) {
    slot.isPlain = false;
    fillCells(grid.styles, style, slot.start + from, slot.start + to);
  }
  slot.mark(from, to, grid.revision, grid.printedSince);
}

function mendAround(grid: Grid, slot: Slot, from: number, to: number): void {
  const end = slot.start + to;
  // Half of a wide character may be left behind the last cell.
  if (to < grid.cols && grid.codes[end] === tailCell) grid.codes[end] = space;
  if ((slot.flags & wrapping) !== 0) writeOnWrapped(grid, slot, from, to);
}

/** The line goes on only if the next character wraps again, or its pads are left in peace. */
function writeOnWrapped(grid: Grid, slot: Slot, from: number, to: number): void {
  const { codes, cols } = grid;
  const isAtPads = to === cols || codes[slot.start + to] === padCell;
  const isBehindPad = from > 0 && codes[slot.start + from - 1] === padCell;
  if (isAtPads || isBehindPad) grid.unwrapSlot(slot);
}
