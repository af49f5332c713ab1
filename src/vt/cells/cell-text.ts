import type { ByteBuffer } from './byte-buffer.ts';
import { clusterFlag, codeMask, emptyCell, spacerHead, spacerTail } from './cell.ts';
import type { ClusterTable } from './cluster-table.ts';
import { maxCharacterBytes, writeCharacter } from './utf8-encoder.ts';

const space = 0x20;
/** UTF-16 code units per call of `String.fromCharCode`. */
const unitsAtOnce = 1024;
const units: number[] = [];

/** The text of one cell; empty for the spacer after a wide character. */
export function cellText(code: number, clusters: ClusterTable): string {
  if (code === emptyCell || code === spacerHead) return ' ';
  if (code === spacerTail) return '';
  if ((code & clusterFlag) !== 0) return clusters.text(code & codeMask);
  return String.fromCodePoint(code & codeMask);
}

/**
 * The text of the cells from `start` up to but excluding `end`; empty cells are spaces. For short
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
    if (code < 0x80) units[count++] = code || space;
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
    if (code < 0x80) bytes[length++] = code || space;
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
 * Returns the end of the cells without trailing empty cells and, with `spaces`, without trailing
 * spaces.
 */
export function trimmedEnd(codes: Int32Array, start: number, end: number, spaces: boolean): number {
  let used = end;
  while (used > start) {
    const code = codes[used - 1];
    if (code !== emptyCell && code !== spacerHead && !(spaces && code === space)) break;
    used--;
  }
  return used;
}
