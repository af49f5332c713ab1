import type { ByteBuffer } from './byte-buffer.ts';
import {
  clusterFlag,
  codeMask,
  firstCharacter,
  spacerHead,
  spacerTail,
  tabAlone,
  tabEnd,
  tabMiddle,
  tabStart,
} from './cell.ts';
import type { ClusterTable } from './cluster-table.ts';

const space = 0x20;
/** UTF-16 code units per call of `String.fromCharCode`. */
const unitsAtOnce = 1024;
const units: number[] = [];

/** The text of one cell; empty for the spacer after a wide character. */
export function cellText(code: number, clusters: ClusterTable): string {
  if (code < firstCharacter || code === spacerHead) return ' ';
  if (code === spacerTail) return '';
  if ((code & clusterFlag) !== 0) return clusters.text(code & codeMask);
  return String.fromCodePoint(code & codeMask);
}

/**
 * The text of the cells from `start` up to but excluding `end`; empty cells and tabs are spaces. For short
 * runs; {@link writeText} is faster for many rows.
 */
export function cellsText(
  codes: Int32Array,
  start: number,
  end: number,
  clusters: ClusterTable,
): string {
  let text = '';
  let count = 0;
  for (let at = start; at < end; at++) {
    const code = codes[at];
    if (code < 0x80) units[count++] = code < space ? space : code;
    else if (code === spacerTail) continue;
    else {
      text += takeUnits(count) + cellText(code, clusters);
      count = 0;
    }
    if (count === unitsAtOnce) {
      text += takeUnits(count);
      count = 0;
    }
  }
  return text + takeUnits(count);
}

/** The length of {@link cellsText} in UTF-16 code units. */
export function textUnits(
  codes: Int32Array,
  start: number,
  end: number,
  clusters: ClusterTable,
): number {
  let count = 0;
  for (let at = start; at < end; at++) {
    count += codes[at] < 0x80 ? 1 : cellText(codes[at], clusters).length;
  }
  return count;
}

function takeUnits(count: number): string {
  if (count === 0) return '';
  units.length = count;
  return String.fromCharCode.apply(null, units);
}

/** Appends the text of the cells from `start` up to but excluding `end` as UTF-8. */
export function writeText(
  text: ByteBuffer,
  codes: Int32Array,
  start: number,
  end: number,
  clusters: ClusterTable,
): void {
  text.reserve((end - start) * maxCharacterBytes);
  let { bytes, length } = text;
  for (let at = start; at < end; at++) {
    const code = codes[at];
    if (code < 0x80) bytes[length++] = code < space ? space : code;
    else if (code === spacerHead) bytes[length++] = space;
    else if ((code & (spacerTail | clusterFlag)) === 0) {
      length = writeCharacter(bytes, length, code & codeMask);
    } else if (code !== spacerTail) {
      text.length = length;
      text.append(clusters.utf8(code & codeMask));
      text.reserve((end - at) * maxCharacterBytes);
      ({ bytes, length } = text);
    }
  }
  text.length = length;
}

/**
 * Returns the end of the cells without trailing cells that look empty and, with `spaces`, without
 * trailing spaces.
 */
export function trimmedEnd(codes: Int32Array, start: number, end: number, spaces: boolean): number {
  let used = end;
  while (used > start) {
    const code = codes[used - 1];
    if (code >= firstCharacter && code !== spacerHead && !(spaces && code === space)) break;
    used--;
  }
  return used;
}

/**
 * Returns the end of the cells without those that look empty, except a tab at the end of which every
 * cell is left.
 */
export function trimmedToTab(codes: Int32Array, start: number, end: number): number {
  const used = trimmedEnd(codes, start, end, false);
  for (let at = end; at > used; at--) if (tabBefore(codes, used, at) > 0) return at;
  return used;
}

/** Returns the length of the tab that ends before `end`; 0 if there is none. */
function tabBefore(codes: Int32Array, start: number, end: number): number {
  if (codes[end - 1] === tabAlone) return 1;
  if (codes[end - 1] !== tabEnd) return 0;
  let at = end - 2;
  while (at > start && codes[at] === tabMiddle) at--;
  return at >= start && codes[at] === tabStart ? end - at : 0;
}

/** Returns the length of the tab that begins at `at`; 0 if there is none. */
function tabAt(codes: Int32Array, at: number, end: number): number {
  if (codes[at] === tabAlone) return 1;
  if (codes[at] !== tabStart) return 0;
  let last = at + 1;
  while (last < end && codes[last] === tabMiddle) last++;
  return last < end && codes[last] === tabEnd ? last + 1 - at : 0;
}

/** As {@link cellsText}, with a tab for the cells that a tab moved over if all of them are left. */
export function tabbedText(
  codes: Int32Array,
  start: number,
  end: number,
  clusters: ClusterTable,
): string {
  let text = '';
  let from = start;
  for (let at = start; at < end; ) {
    const code = codes[at];
    const length = code === tabStart || code === tabAlone ? tabAt(codes, at, end) : 0;
    if (length === 0) {
      at++;
      continue;
    }
    text += `${cellsText(codes, from, at, clusters)}\t`;
    at += length;
    from = at;
  }
  return text + cellsText(codes, from, end, clusters);
}

// In text of the scrollback, see `page-text.ts`.
/** Begins a cluster of one cell, which ends with {@link clusterEnd}. */
export const narrowCluster = 0x01;
/** Begins a cluster of two cells. */
export const wideCluster = 0x02;
export const clusterEnd = 0x03;

/** The longest character in UTF-8 (RFC 3629). */
export const maxCharacterBytes = 4;

/** Writes a code point of U+0080 or above at `start`, within capacity. Returns where it ends. */
export function writeCharacter(bytes: Uint8Array, start: number, codePoint: number): number {
  let at = start;
  if (codePoint < 0x800) bytes[at++] = 0xc0 | (codePoint >> 6);
  else {
    if (codePoint < 0x1_0000) bytes[at++] = 0xe0 | (codePoint >> 12);
    else {
      bytes[at++] = 0xf0 | (codePoint >> 18);
      bytes[at++] = 0x80 | ((codePoint >> 12) & 0x3f);
    }
    bytes[at++] = 0x80 | ((codePoint >> 6) & 0x3f);
  }
  bytes[at++] = 0x80 | (codePoint & 0x3f);
  return at;
}
