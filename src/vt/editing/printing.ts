import { clusterFlag, codeMask, wideFlag } from '../cells/cell.ts';
import { joinsAtStart, mayJoin, runWidth, widthAlone } from '../cells/graphemes.ts';
import { charWidth } from '../cells/width.ts';
import { insertCells } from '../grid/cell-moves.ts';
import { lastRun, put, putAscii, putRun, putSame, putUtf8 } from '../grid/cell-writing.ts';
import { decodeWhole, encodedLength } from '../parser/utf8-decoder.ts';
import { noCharacter, spend, type TerminalState } from '../state/terminal-state.ts';
import { joinPrevious } from './clustering.ts';
import { isBetweenSides, isFullWidth, rightLimit } from './movement.ts';
import { printLines, printStyledLines } from './printing-lines.ts';
import { wrapLine } from './scrolling.ts';

/** The first code point above U+007F that is not a control. */
const firstPrintable = 0xa0;

/** Prints bytes 0x20..0x7E from `start` on, at least one. Returns where they end. */
export function printAscii(
  t: TerminalState,
  bytes: Uint8Array,
  start: number,
  end: number,
): number {
  if (t.modes.insert || t.charsets.translates) return printTranslatedAscii(t, bytes, start, end);
  const { cursor } = t;
  const style = t.pen.style(t.styles);
  if (cursor.col === 0 && cursor.row === t.marginBottom && start >= t.noLinesBefore) {
    const next = printLines(t, bytes, start, end);
    if (next > start) return next;
  }
  let at = start;
  do {
    if (cursor.wrapPending) wrapIfPending(t);
    const { grid } = t;
    const limit = rightLimit(t);
    const last = Math.min(end, at + limit + 1 - cursor.col);
    const next = putAscii(grid, cursor.row, cursor.col, bytes, at, last, style);
    cursor.col += next - at;
    at = next;
    if (cursor.col <= limit) break;
    cursor.col = limit;
    cursor.wrapPending = true;
  } while (at < end && isAscii(bytes[at]) && !t.stop.now);
  t.lastPrinted = bytes[at - 1];
  return at;
}

/**
 * Whether a character with a width of its own begins at `at`. False if it is not decoded in one
 * step.
 */
function startsCell(t: TerminalState, bytes: Uint8Array, at: number, end: number): boolean {
  if (bytes[at] < 0x80) return isAscii(bytes[at]);
  const codePoint = decodeWhole(bytes, at, end);
  if (codePoint < firstPrintable) return false;
  // Some characters without a width join nothing in UAX #29, such as a mark of direction, U+200F.
  return charWidth(codePoint) > 0 && !(t.modes.graphemeClusters && mayJoin(codePoint));
}

function isAscii(byte: number): boolean {
  return byte >= 0x20 && byte < 0x7f;
}

function printTranslatedAscii(
  t: TerminalState,
  bytes: Uint8Array,
  start: number,
  end: number,
): number {
  let at = start;
  do printTranslated(t, bytes[at++]);
  while (at < end && isAscii(bytes[at]) && !t.stop.now);
  return at;
}

/**
 * Prints characters from `start` on, up to the first that {@link putUtf8} cannot write and that
 * cannot be wrapped or added to the previous cell. Returns where it stopped.
 */
export function printUtf8(t: TerminalState, bytes: Uint8Array, start: number, end: number): number {
  if (t.modes.insert || t.charsets.translates) return start;
  if (t.cursor.col === 0 && t.cursor.row === t.marginBottom && start >= t.noLinesBefore) {
    const next = printStyledLines(t, bytes, start, end);
    if (next > start) return next;
  }
  let at = start;
  let afterRun = isAfterAscii(t);
  while (at < end && (bytes[at] >= 0x80 || isAscii(bytes[at])) && !t.stop.now) {
    const next = fillCells(t, bytes, at, end, afterRun);
    if (next > at) {
      at = next;
      afterRun = true;
      if (at === end || bytes[at] < 0x80 || t.stop.now) continue;
    } else if (bytes[at] < 0x80) break;
    // A character that does not fit the row, or joins the one before.
    const codePoint = decodeWhole(bytes, at, end);
    if (codePoint < firstPrintable) break;
    printCharacter(t, codePoint);
    at += encodedLength(codePoint);
    afterRun = runWidth(codePoint) !== 0;
  }
  return at;
}

/**
 * Whether nothing, an empty cell or an ASCII character is before the cursor. No character of a run
 * joins these, so they count as a run.
 */
function isAfterAscii({ cursor, grid }: TerminalState): boolean {
  if (cursor.wrapPending) return false;
  return cursor.col === 0 || grid.codeAt(cursor.row, cursor.col - 1) < 0x80;
}

/**
 * Prints characters with a width of their own, as many as fit the row. Returns where the next one
 * begins.
 *
 * @param afterRun whether the character before the cursor can be part of a run, see
 * {@link runWidth}
 */
function fillCells(
  t: TerminalState,
  bytes: Uint8Array,
  start: number,
  end: number,
  afterRun: boolean,
): number {
  const { cursor } = t;
  if (cursor.wrapPending) {
    // A character without a width does not wrap.
    if (!startsCell(t, bytes, start, end)) return start;
    wrapIfPending(t);
  }
  const { grid } = t;
  const limit = rightLimit(t);
  const style = t.pen.style(t.styles);
  const { row, col } = cursor;
  const clusters = t.modes.graphemeClusters;
  const next = putUtf8(grid, row, col, bytes, start, end, style, limit + 1, clusters, afterRun);
  if (next === start) return start;
  t.lastPrinted = lastRun.character;
  advance(t, lastRun.cols, limit);
  return next;
}

/** Prints the first `count` code points, none of which is a control. */
export function printCharacters(t: TerminalState, codePoints: Int32Array, count: number): void {
  if (t.modes.insert || t.charsets.translates) {
    for (let at = 0; at < count; at++) printTranslated(t, codePoints[at]);
  } else if (t.modes.graphemeClusters) printClusters(t, codePoints, count);
  else printRun(t, codePoints, 0, count);
}

/** Prints in mode 2027. Characters that may join the previous one are printed one by one. */
function printClusters(t: TerminalState, codePoints: Int32Array, count: number): void {
  let afterRun = false;
  for (let at = 0; at < count; ) {
    const width = runWidth(codePoints[at]);
    if (width === 0 || (width >= joinsAtStart && !afterRun)) printCharacter(t, codePoints[at++]);
    else {
      let end = at + 1;
      while (end < count && runWidth(codePoints[end]) !== 0) end++;
      printRun(t, codePoints, at, end);
      at = end;
    }
    afterRun = width !== 0;
  }
}

/** Prints the code points from `from` up to but excluding `to`. */
function printRun(t: TerminalState, codePoints: Int32Array, from: number, to: number): void {
  const { cursor } = t;
  const style = t.pen.style(t.styles);
  for (let at = from; at < to; ) {
    const limit = rightLimit(t);
    const next = cursor.wrapPending
      ? at
      : putRun(t.grid, cursor.row, cursor.col, codePoints, at, to, style, limit + 1);
    if (next > at) {
      advance(t, lastRun.cols, limit);
      t.lastPrinted = codePoints[next - 1];
    }
    at = next;
    // A character that does not fit the row, or that joins the previous one.
    if (at < to) printCharacter(t, codePoints[at++]);
  }
}

/** Prints a character that is not a control. A character without a width joins the previous one. */
function printCharacter(t: TerminalState, codePoint: number): void {
  const { graphemeClusters } = t.modes;
  const width = graphemeClusters ? widthAlone(codePoint) : charWidth(codePoint);
  if ((width === 0 || graphemeClusters) && joinPrevious(t, codePoint, width > 0)) return;
  t.lastPrinted = codePoint;
  // A cell of one code point has the width of the code point: dumps and the scrollback rely on it.
  const isPlain = !graphemeClusters || width === charWidth(codePoint);
  printCell(t, isPlain ? codePoint : clusterFlag | t.clusters.alone(codePoint), width);
}

/** Prints several code points into one or two cells, to restore a dump. */
export function printCluster(t: TerminalState, codePoints: readonly number[], width: 1 | 2): void {
  printCell(t, clusterFlag | t.clusters.intern(String.fromCodePoint(...codePoints)), width);
}

/** @param content a code point, or a cluster with its flag */
function printCell(t: TerminalState, content: number, width: number): void {
  if (!makeRoom(t, width)) return;
  const { cursor, grid } = t;
  const code = width === 2 ? content | wideFlag : content;
  const style = t.pen.style(t.styles);
  const limit = rightLimit(t);
  // Outside the side margins, nothing is moved.
  if (t.modes.insert && isBetweenSides(t)) {
    insertCells(grid, cursor.row, cursor.col, width, style, limit + 1);
    spend(t, limit + 1 - cursor.col);
  }
  put(grid, cursor.row, cursor.col, code, style);
  advance(t, width, limit);
}

/**
 * Independent of the size of the screen: REP is a few bytes of output and must not cost more than
 * other output. Programs that use it repeat within a row.
 */
const maxRepeatedCells = 1_024;
/** Between side margins each wrap moves all rows of the region. */
const maxRepeatedRows = 4;
const repeated = new Int32Array(256);

/**
 * REP: prints the last character again, with what joined it, but not more than a screenful, or some rows
 * of a region.
 */
export function repeatCharacter(t: TerminalState, count: number): void {
  if (t.lastPrinted === noCharacter) return;
  const codePoints = lastPrinted(t);
  const [codePoint] = codePoints;
  // Each code point takes as long as a cell.
  const width = Math.max(charWidth(codePoint), codePoints.length);
  const regionCells = (t.marginRight + 1 - t.marginLeft) * maxRepeatedRows;
  const most = isFullWidth(t) ? t.cols * t.rows : regionCells;
  const cells = Math.min(most, maxRepeatedCells);
  const repeats = Math.min(count, Math.ceil(cells / width));
  const isAlone = !t.modes.graphemeClusters || !mayJoin(codePoint);
  const isPlain = !t.charsets.translates && isAlone;
  if (width === 1 && isPlain) repeatNarrow(t, codePoint, repeats);
  else repeatCodePoints(t, codePoints, repeats);
}

/** The code points that REP repeats. */
export function lastPrinted({ lastPrinted: content, clusters }: TerminalState): readonly number[] {
  return (content & clusterFlag) !== 0 ? clusters.codePoints(content & codeMask) : [content];
}

function repeatCodePoints(t: TerminalState, codePoints: readonly number[], repeats: number): void {
  const most = Math.floor(repeated.length / codePoints.length);
  for (let at = 0; at < most; at++) repeated.set(codePoints, at * codePoints.length);
  for (let left = repeats; left > 0; left -= most) {
    printCharacters(t, repeated, Math.min(left, most) * codePoints.length);
    if (endsAtMargin(t)) return;
  }
}

/** Whether further repeats change nothing: without autowrap, each replaces the one in the last column. */
const endsAtMargin = (t: TerminalState): boolean => t.cursor.wrapPending && !t.modes.autowrap;

function repeatNarrow(t: TerminalState, codePoint: number, repeats: number): void {
  for (let left = repeats; left > 0; left--) {
    printCharacter(t, codePoint);
    if (endsAtMargin(t)) return;
    left -= fillRow(t, codePoint, left - 1);
  }
}

/** Fills the rest of the row with up to `count` characters. Returns how many. */
function fillRow(t: TerminalState, codePoint: number, count: number): number {
  const { cursor, grid } = t;
  if (cursor.wrapPending) return 0;
  const limit = rightLimit(t);
  const filled = Math.min(count, limit + 1 - cursor.col);
  if (filled === 0) return 0;
  const style = t.pen.style(t.styles);
  if (t.modes.insert && isBetweenSides(t)) {
    insertCells(grid, cursor.row, cursor.col, filled, style, limit + 1);
    spend(t, limit + 1 - cursor.col);
  }
  putSame(grid, cursor.row, cursor.col, codePoint, filled, style);
  advance(t, filled, limit);
  return filled;
}

/** Prints a character of the current set. */
export function printTranslated(t: TerminalState, codePoint: number): void {
  printCharacter(t, t.charsets.translates ? t.charsets.translate(codePoint) : codePoint);
}

/** Wraps if a character needs it. Returns false if there is no room for the character. */
function makeRoom(t: TerminalState, width: number): boolean {
  const { cursor } = t;
  wrapIfPending(t);
  // On a screen of one column, a wide character is clipped.
  if (width === 1 || cursor.col < rightLimit(t) || t.cols === 1) return true;
  if (!t.modes.autowrap) return false;
  wrapLine(t, 1);
  return true;
}

/** Without autowrap, the last column is overwritten and the wrap stays pending. */
function wrapIfPending(t: TerminalState): void {
  if (t.cursor.wrapPending && t.modes.autowrap) wrapLine(t, 0);
}

/**
 * Moves the cursor after printing. Past the last column, `limit`, the wrap is left to the next
 * character.
 */
function advance(t: TerminalState, count: number, limit: number): void {
  const { cursor } = t;
  cursor.col += count;
  if (cursor.col <= limit) return;
  cursor.col = limit;
  cursor.wrapPending = true;
}
