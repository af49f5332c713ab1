import { crc32 } from 'node:zlib';
import type { Segment } from '#pty';
import { type PendingChange, withoutGaps } from './pending-change.ts';
import { fileHeaderBytes, recordOverheadBytes, type SegmentRecord } from './segment-records.ts';

/** The lines of a session that are on disk. */
export interface SavedLines {
  /** The number in the name of the file of segments; 0: there is no file. */
  readonly generation: number;
  /** Oldest first, without gaps. */
  readonly records: readonly SegmentRecord[];
  /** Where the next record is written: what follows is left from a write that failed. */
  readonly end: number;
}

export const noLines: SavedLines = { generation: 0, records: [], end: fileHeaderBytes };

/** What is on disk already, or must be written. */
export type LineItem = SegmentRecord | Segment;

export interface LinesPlan {
  readonly items: readonly LineItem[];
  /** Whether all of them are written to another file. */
  readonly rewrite: boolean;
}

/** A file is rewritten when this many bytes of it, and more than half, are not in use. */
const maxUnusedBytes = 64 * 1024;
/** The part of the limit that is left in use when it is reached, so that not each change rewrites. */
const keptAtLimit = 3 / 4;

export const isSegment = (item: LineItem): item is Segment => 'bytes' in item;

/** Returns how to write a change; null if it changes no lines. Its oldest lines are dropped. */
export function planLines(
  lines: SavedLines,
  change: PendingChange,
  maxBytes: number,
): LinesPlan | null {
  const items = itemsAfter(lines.records, change);
  const isSame = items.length === lines.records.length && !items.some(isSegment);
  if (isSame && lines.end <= maxBytes) return null;
  const added = items.filter(isSegment).reduce((sum, item) => sum + lengthOf(item), 0);
  const used = items.reduce((sum, item) => sum + lengthOf(item), 0);
  const unused = lines.end + added - fileHeaderBytes - used;
  const isFull = lines.end + added > maxBytes;
  if (!isFull && lines.generation > 0 && unused <= Math.max(maxUnusedBytes, used)) {
    return { items, rewrite: false };
  }
  const isTooMuch = fileHeaderBytes + used > maxBytes;
  return { items: isTooMuch ? newest(items, maxBytes * keptAtLimit) : items, rewrite: true };
}

/** Segments that are on disk, because the whole of a session is saved again, are not written twice. */
function itemsAfter(records: readonly SegmentRecord[], change: PendingChange): LineItem[] {
  const { replaceFrom, firstLine, segments } = change;
  const kept = records.filter(({ to }) => to <= replaceFrom && to > firstLine);
  const replaced = new Map(records.slice(kept.length).map((record) => [record.from, record]));
  const items = segments.map((segment) => {
    const record = replaced.get(segment.from);
    return record !== undefined && isOnDisk(segment, record) ? record : segment;
  });
  return withoutGaps<LineItem>([...kept, ...items]);
}

const isOnDisk = (segment: Segment, record: SegmentRecord): boolean =>
  record.to === segment.to &&
  record.length === lengthOf(segment) &&
  record.crc === crc32(segment.bytes);

const lengthOf = (item: LineItem): number =>
  isSegment(item) ? recordOverheadBytes + item.bytes.length : item.length;

function newest(items: readonly LineItem[], maxBytes: number): LineItem[] {
  let left = maxBytes - fileHeaderBytes;
  let first = items.length;
  for (; first > 0; first -= 1) {
    left -= lengthOf(items[first - 1] as LineItem);
    if (left < 0) break;
  }
  return items.slice(first);
}
