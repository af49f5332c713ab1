import { crc32 } from 'node:zlib';
import { decodeUtf8, encodeUtf8 } from '#base';

/** Kinds of files: a number in the file that says what it contains. */
const kinds = { facts: 1, state: 2, change: 3 };

export type SealedKind = keyof typeof kinds;

export interface Sealed<T> {
  readonly head: T;
  readonly body: Uint8Array;
}

const magic = 0x56545253; // VTRS
/** The magic as it is in files. */
const magicBytes = Buffer.from('SRTV', 'latin1');
const version = 1;
/** u32 magic, u16 version, u16 kind, u32 length of the head, u32 length of the body. */
const headerBytes = 16;
const crcBytes = 4;

/** A later version of vtr can read the file. */
export class OtherVersion extends Error {
  constructor(actual: number, version: number) {
    super(`it has version ${actual} of the format, not ${version}`);
  }
}

/** Returns a file, or a part of one: header, head as JSON, body, CRC-32 of all before. Numbers are little-endian. */
export function seal(kind: SealedKind, head: object, body: Uint8Array): Uint8Array {
  const json = encodeUtf8(JSON.stringify(head));
  const bytes = new Uint8Array(headerBytes + json.length + body.length + crcBytes);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, magic, true);
  view.setUint16(4, version, true);
  view.setUint16(6, kinds[kind], true);
  view.setUint32(8, json.length, true);
  view.setUint32(12, body.length, true);
  bytes.set(json, headerBytes);
  bytes.set(body, headerBytes + json.length);
  const end = bytes.length - crcBytes;
  view.setUint32(end, crc32(bytes.subarray(0, end)), true);
  return bytes;
}

/** Returns the length of the sealed part that begins at an offset; null if none does, or it is cut. */
export function sealedLength(bytes: Uint8Array, at: number): number | null {
  if (at + headerBytes + crcBytes > bytes.length) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset + at);
  if (view.getUint32(0, true) !== magic) return null;
  const length = headerBytes + view.getUint32(8, true) + view.getUint32(12, true) + crcBytes;
  return at + length <= bytes.length ? length : null;
}

/** Returns where the first undamaged part of a kind begins, from an offset on; null if none does. */
export function findSealed(kind: SealedKind, bytes: Uint8Array, from: number): number | null {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = all.indexOf(magicBytes, from); at !== -1; at = all.indexOf(magicBytes, at + 1)) {
    const length = sealedLength(bytes, at);
    if (length !== null && isSealed(kind, bytes.subarray(at, at + length))) return at;
  }
  return null;
}

function isSealed(kind: SealedKind, bytes: Uint8Array): boolean {
  try {
    unseal(kind, bytes);
    return true;
  } catch {
    return false;
  }
}

/** @throws Error with the reason if it is not such a file, or of a later version, or damaged */
export function unseal<T>(kind: SealedKind, bytes: Uint8Array): Sealed<T> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (bytes.length < headerBytes + crcBytes) throw new Error('it is truncated');
  if (view.getUint32(0, true) !== magic) throw new Error('it is not a file of vtr');
  const actual = view.getUint16(4, true);
  if (actual !== version) throw new OtherVersion(actual, version);
  if (view.getUint16(6, true) !== kinds[kind]) throw new Error(`it does not contain ${kind}`);
  const bodyStart = headerBytes + view.getUint32(8, true);
  const end = bodyStart + view.getUint32(12, true);
  if (bytes.length < end + crcBytes) throw new Error('it is truncated');
  if (view.getUint32(end, true) !== crc32(bytes.subarray(0, end))) throw new Error('it is damaged');
  const head = JSON.parse(decodeUtf8(bytes.subarray(headerBytes, bodyStart))) as T;
  return { head, body: bytes.slice(bodyStart, end) };
}
