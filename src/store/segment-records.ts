import { crc32 } from 'node:zlib';
import type { Segment } from '#pty';
import { type PendingChange, withoutGaps } from './pending-change.ts';
import { OtherVersion } from './sealed-file.ts';

/** A segment's place in a file of segments. */
export interface SegmentRecord {
  readonly from: number;
  readonly to: number;
  /** Offset of the record in its file. */
  readonly at: number;
  /** Length of the record, in bytes. */
  readonly length: number;
  /** CRC-32 of the segment's bytes. */
  readonly crc: number;
}

/** A part of a file of segments, as offsets. */
export interface Extent {
  readonly start: number;
  readonly end: number;
}

const fileMagic = 0x56545247; // VTRG
const version = 1;
/** u32 magic, u16 version, u16 zero: the begin of each file of segments. */
export const fileHeaderBytes = 8;

const recordMagic = 0x5654524c; // VTRL
/** u32 magic, u32 length of the bytes, f64 from, f64 to; then the bytes and two CRC-32. */
const headerBytes = 24;
export const recordOverheadBytes = headerBytes + 8;

export function segmentFileHeader(): Uint8Array {
  const bytes = new Uint8Array(fileHeaderBytes);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, fileMagic, true);
  view.setUint16(4, version, true);
  return bytes;
}

/** @throws Error with the reason if it is not a file of segments of this version */
export function checkSegmentFile(bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (bytes.length < fileHeaderBytes) throw new Error('it is truncated');
  if (view.getUint32(0, true) !== fileMagic) throw new Error('it is not a file of vtr');
  const actual = view.getUint16(4, true);
  if (actual !== version) throw new OtherVersion(actual, version);
}

/** Returns a record: header, bytes, CRC-32 of the bytes, CRC-32 of all before. */
export function segmentRecord({ from, to, bytes }: Segment): Uint8Array {
  const record = new Uint8Array(recordOverheadBytes + bytes.length);
  const view = new DataView(record.buffer);
  view.setUint32(0, recordMagic, true);
  view.setUint32(4, bytes.length, true);
  view.setFloat64(8, from, true);
  view.setFloat64(16, to, true);
  record.set(bytes, headerBytes);
  const end = headerBytes + bytes.length;
  view.setUint32(end, crc32(bytes), true);
  view.setUint32(end + 4, crc32(record.subarray(0, end + 4)), true);
  return record;
}

/**
 * Returns the newest records in the extents of a file that are undamaged and without gaps between
 * them, oldest first.
 */
export function recordsIn(file: Uint8Array, extents: readonly Extent[]): SegmentRecord[] {
  let records: SegmentRecord[] = [];
  for (const { start, end } of extents) {
    for (let at = start; at < end; ) {
      const length = lengthAt(file, at, end);
      const record = length === null ? null : recordAt(file, at, length);
      if (record === null || records.at(-1)?.to !== record.from) records = [];
      if (record !== null) records.push(record);
      at = length === null ? end : at + length;
    }
  }
  return records;
}

/** Returns the part of a file that has records; after it, one may be truncated. */
export function wholeExtent(file: Uint8Array): Extent {
  let end = fileHeaderBytes;
  for (let length = lengthAt(file, end, file.length); length !== null; ) {
    end += length;
    length = lengthAt(file, end, file.length);
  }
  return { start: fileHeaderBytes, end };
}

export const segmentAt = (file: Uint8Array, { from, to, at, length }: SegmentRecord): Segment => ({
  from,
  to,
  bytes: file.slice(at + headerBytes, at + length - 8),
});

/** Returns the offsets of records, with adjacent ones joined. */
export function extentsOf(records: readonly SegmentRecord[]): Extent[] {
  const extents: { start: number; end: number }[] = [];
  for (const { at, length } of records) {
    const last = extents.at(-1);
    if (last?.end === at) last.end += length;
    else extents.push({ start: at, end: at + length });
  }
  return extents;
}

/** Returns the length of the record at an offset; null if none fits there. */
function lengthAt(file: Uint8Array, at: number, end: number): number | null {
  if (at + recordOverheadBytes > Math.min(end, file.length)) return null;
  const view = new DataView(file.buffer, file.byteOffset + at);
  const length = recordOverheadBytes + view.getUint32(4, true);
  return view.getUint32(0, true) === recordMagic && at + length <= end ? length : null;
}

/** Returns null if the record is damaged. */
function recordAt(file: Uint8Array, at: number, length: number): SegmentRecord | null {
  if (at + length > file.length) return null;
  const view = new DataView(file.buffer, file.byteOffset + at, length);
  const crcOfAll = crc32(file.subarray(at, at + length - 4));
  if (view.getUint32(length - 4, true) !== crcOfAll) return null;
  const [from, to] = [view.getFloat64(8, true), view.getFloat64(16, true)];
  return { from, to, at, length, crc: view.getUint32(length - 8, true) };
}

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
  const earlier = records.filter(({ to }) => to <= replaceFrom && to > firstLine);
  const replaced = new Map(records.slice(earlier.length).map((record) => [record.from, record]));
  const items = segments.map((segment) => {
    const record = replaced.get(segment.from);
    return record !== undefined && isOnDisk(segment, record) ? record : segment;
  });
  return withoutGaps<LineItem>([...earlier, ...items]);
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
