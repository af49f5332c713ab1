import { crc32 } from 'node:zlib';
import type { Segment } from '#pty';
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
  const found = view.getUint16(4, true);
  if (found !== version) throw new OtherVersion(found, version);
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
  ...{ from, to },
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
