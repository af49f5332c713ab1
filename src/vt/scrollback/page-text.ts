import { decodeUtf8 } from '#base';
import { type ByteBuffer, copyBytes } from '../cells/byte-buffer.ts';
import {
  type CellBuffer,
  clusterFlag,
  codeMask,
  emptyCell,
  spacerTail,
  tabAlone,
  tabEnd,
  tabMiddle,
  tabStart,
  wideFlag,
} from '../cells/cell.ts';
import {
  clusterEnd,
  maxCharacterBytes,
  narrowCluster,
  wideCluster,
  writeCharacter,
} from '../cells/cell-text.ts';
import { type ClusterTable, maxClusterLength } from '../cells/cluster-table.ts';
import { charWidth } from '../cells/width.ts';
import { Utf8Decoder } from '../parser/utf8-decoder.ts';

// Scrollback stores cells as UTF-8, so that most lines are stored as their text. A cell never
// contains a control character, so control bytes mark what UTF-8 cannot express.

/** An empty cell. */
export const emptyMark = 0x00;
// The bytes of the cells that a tab moved over are their codes, see `cell.ts`.

/** Ends a line. */
export const lineEnd = 0x0a;

/**
 * The upper bits of the code of a wide character that takes 3 bytes in UTF-8. No wide character
 * takes 2.
 */
const wideOfPlane0 = wideFlag >> 16;

const maxClusterBytes = maxClusterLength * maxCharacterBytes + 2;

const marks = /[\0-\x07]/;

/** Appends the cells from `start` up to but excluding `end`. */
export function writeCells(
  text: ByteBuffer,
  codes: Int32Array,
  start: number,
  end: number,
  clusters: ClusterTable,
): void {
  text.reserve((end - start) * maxCharacterBytes);
  const next = copyAscii(text, codes, start, end);
  if (next < end) writeOthers(text, codes, next, end, clusters);
}

/**
 * Appends cells from `start` on, one byte each, up to the first that is neither ASCII nor empty.
 * Returns its index.
 */
export function writeAscii(
  text: ByteBuffer,
  codes: Int32Array,
  start: number,
  end: number,
): number {
  text.reserve(end - start);
  return copyAscii(text, codes, start, end);
}

/**
 * Appends printable ASCII, four bytes at a time. The capacity is that after {@link writeCells} with each row of `cols`
 * cells: when lines are dropped depends on it.
 */
export function writeText(
  text: ByteBuffer,
  source: DataView,
  start: number,
  end: number,
  cols: number,
): void {
  const from = text.length;
  const most = end - start + cols * maxCharacterBytes;
  if (from + most > text.capacity) {
    for (let at = start; at < end; at += cols) {
      text.length = from + at - start;
      text.reserve(Math.min(cols, end - at) * maxCharacterBytes);
    }
    text.length = from;
  }
  copyText(text, source, start, end);
}

/** Appends bytes of text. There must be capacity for them. */
export function copyText(text: ByteBuffer, source: DataView, start: number, end: number): void {
  const { length } = text;
  copyBytes(source, start, end, text.words, length);
  text.length = length + end - start;
}

/** Like {@link writeCells}, with capacity reserved. */
function writeOthers(
  text: ByteBuffer,
  codes: Int32Array,
  start: number,
  end: number,
  clusters: ClusterTable,
): void {
  const { bytes, words } = text;
  let length = text.length;
  for (let at = start; at < end; at++) {
    const code = codes[at];
    // The code of an empty cell is its mark.
    if (code < 0x80) bytes[length++] = code;
    else if (code >> 16 === wideOfPlane0) {
      const upper = ((code & 0xf000) << 12) | ((code & 0xfc0) << 10);
      // The next character replaces the last byte.
      words.setInt32(length, 0xe0808000 | upper | ((code & 0x3f) << 8));
      length += 3;
      // Skips the spacer after a wide character.
      at++;
    } else if (code < 0x800) {
      bytes[length] = 0xc0 | (code >> 6);
      bytes[length + 1] = 0x80 | (code & 0x3f);
      length += 2;
    } else if ((code & (spacerTail | clusterFlag)) === 0) {
      length = writeCharacter(bytes, length, code & codeMask);
      if ((code & wideFlag) !== 0) at++;
    } else if (code !== spacerTail) {
      text.length = length;
      writeCluster(text, code, clusters);
      // The cluster may have replaced the array, so the rest is written by another call.
      writeCells(text, codes, at + 1, end, clusters);
      return;
    }
  }
  text.length = length;
}

/** Like {@link writeAscii}, with capacity reserved. */
function copyAscii(text: ByteBuffer, codes: Int32Array, start: number, end: number): number {
  const { bytes } = text;
  let at = start;
  let to = text.length;
  // Four at a time takes two thirds of the time of a simple loop.
  for (; at + 4 <= end; at += 4, to += 4) {
    const a = codes[at];
    const b = codes[at + 1];
    const c = codes[at + 2];
    const d = codes[at + 3];
    if ((a | b | c | d) >= 0x80) break;
    bytes[to] = a;
    bytes[to + 1] = b;
    bytes[to + 2] = c;
    bytes[to + 3] = d;
  }
  for (; at < end && codes[at] < 0x80; at++, to++) bytes[to] = codes[at];
  text.length = to;
  return at;
}

function writeCluster(text: ByteBuffer, code: number, clusters: ClusterTable): void {
  const cluster = clusters.utf8(code & codeMask);
  text.reserve(cluster.length + 2);
  const { bytes } = text;
  let at = text.length;
  bytes[at++] = (code & wideFlag) !== 0 ? wideCluster : narrowCluster;
  // Calling `set` costs as much as some dozen bytes.
  for (let index = 0; index < cluster.length; index++) bytes[at++] = cluster[index];
  bytes[at++] = clusterEnd;
  text.length = at;
}

const utf8 = new Utf8Decoder();

/** Reads cells written by {@link writeCells}, all in one style. */
export function readCells(
  bytes: Uint8Array,
  start: number,
  end: number,
  style: number,
  clusters: ClusterTable,
  into: CellBuffer,
): void {
  let at = start;
  while (at < end) {
    const byte = bytes[at];
    if (byte === narrowCluster || byte === wideCluster) {
      const close = bytes.indexOf(clusterEnd, at);
      const index = clusters.intern(decodeUtf8(bytes.subarray(at + 1, close)));
      pushCell(into, clusterFlag | index, byte === wideCluster, style);
      at = close + 1;
    } else if (byte < 0x80) {
      into.push(byte === emptyMark ? emptyCell : byte, style);
      at++;
    } else {
      const codePoint = utf8.decode(bytes, at, end);
      pushCell(into, codePoint, charWidth(codePoint) === 2, style);
      at = utf8.next;
    }
  }
}

function pushCell(into: CellBuffer, code: number, isWide: boolean, style: number): void {
  into.push(isWide ? code | wideFlag : code, style);
  if (isWide) into.push(spacerTail, style);
}

/** Returns where the first cell begins at or after `from`, which may be inside a cell. */
export function cellStart(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && (bytes[at] & 0xc0) === 0x80) at++;
  for (let next = at; next < Math.min(end, at + maxClusterBytes); next++) {
    const byte = bytes[next];
    if (byte === narrowCluster || byte === wideCluster) break;
    // The end of a cluster that began before `from`.
    if (byte === clusterEnd) return next + 1;
  }
  return at;
}

/** Number of bytes that mark clusters and are not text. */
export function markBytes(bytes: Uint8Array, start: number, end: number): number {
  let count = 0;
  // Searches only this part: the rest of the page can be much longer.
  const text = bytes.subarray(start, end);
  for (const mark of [narrowCluster, wideCluster, clusterEnd]) {
    for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) count++;
  }
  return count;
}

const tabs = /\x04\x05*\x06|\x07/g;
/** Empty cells and parts of tabs. */
const blanks = /[\0\x04-\x07]/g;
const clusterMarks = /[\x01-\x03]/g;

/**
 * The text of a line: empty cells are spaces, those at the end are removed.
 *
 * @param withTabs whether the cells that a tab moved over are a tab rather than spaces, if all of
 * them are left
 */
export function readText(bytes: Uint8Array, start: number, end: number, withTabs: boolean): string {
  let used = end;
  while (used > start && bytes[used - 1] === emptyMark) used--;
  const text = decodeUtf8(bytes.subarray(start, used));
  if (!marks.test(text)) return text;
  const whole = withoutBlanksAtEnd(withTabs ? text.replace(tabs, '\t') : text);
  return whole.replace(blanks, ' ').replace(clusterMarks, '');
}

/** A regular expression would try every run of blanks in the line from each of its cells. */
function withoutBlanksAtEnd(text: string): string {
  let end = text.length;
  while (end > 0 && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(0, end);
}

function isBlank(code: number): boolean {
  return code === emptyMark || (code >= tabStart && code <= tabAlone);
}

/** Each byte is one more than the last mark, which is {@link tabAlone}. */
const afterMarks = 0x08080808;

/** Whether each byte is text or ends a line. */
export function isText(bytes: Uint8Array, start: number, end: number): boolean {
  let at = start;
  const isMark = () => bytes[at] <= tabAlone;
  for (; at < end && ((bytes.byteOffset + at) & 3) !== 0; at++) if (isMark()) return false;
  if (at === end) return true;
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + at, (end - at) >> 2);
  // The subtraction sets the highest bit of each byte that is less; text outside of ASCII has it already.
  let position = 0;
  let index = 0;
  // Four at a time takes three quarters of the time of a simple loop.
  for (; index + 4 <= words.length; index += 4) {
    const a = words[index];
    const b = words[index + 1];
    const c = words[index + 2];
    const d = words[index + 3];
    position |= (a - afterMarks) & ~a;
    position |= (b - afterMarks) & ~b;
    position |= (c - afterMarks) & ~c;
    position |= (d - afterMarks) & ~d;
  }
  for (; index < words.length; index++) position |= (words[index] - afterMarks) & ~words[index];
  if ((position & 0x80808080) !== 0) return false;
  for (at += words.length * 4; at < end; at++) if (isMark()) return false;
  return true;
}

/** Whether some lines contain cells that a tab moved over. */
export function hasTabs(bytes: Uint8Array, start: number, end: number): boolean {
  const lines = bytes.subarray(start, end);
  return [tabStart, tabMiddle, tabEnd, tabAlone].some((code) => lines.includes(code));
}
