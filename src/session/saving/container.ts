import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';
import { decodeUtf8, encodeUtf8 } from '#base';

/** The kinds of parts. Numbers are never reused; a part of another kind is skipped. */
export const partKinds = {
  /** Output that makes the terminal, without the lines above the screen. */
  dump: 1,
  /** What a dump does not restore. */
  watch: 2,
  session: 3,
  ledger: 4,
  /** A command that has ended, with its output; `from` is its number. */
  command: 5,
  /** Lines above the screen, as output. */
  lines: 6,
  /** Several commands: encoded parts. */
  commands: 7,
} as const;

/** A part of saved state. */
export interface Part {
  readonly kind: number;
  readonly from: number;
  readonly to: number;
  readonly bytes: Uint8Array;
}

/** A part with its encoding. */
export interface DecodedPart extends Part {
  readonly encoded: Uint8Array;
}

export interface DecodedParts {
  readonly parts: readonly DecodedPart[];
  /** Whether nothing was damaged. */
  readonly complete: boolean;
}

const magic = 'VTRC';
const format = 1;
const headerBytes = 8;
const partHeaderBytes = 22;
const crcBytes = 4;

const plain = 0;
const deflated = 1;
/** A damaged length must not make memory run out. */
const maxPartBytes = 64 * 1024 * 1024;

/**
 * Encodes a part: u8 kind, u8 codec, f64 from, f64 to, u32 length, bytes, u32 CRC32 of all before it;
 * little endian.
 *
 * @param compresses makes it smaller, which takes about 1 ms for 64 KiB of text
 */
export function encodePart(
  { kind, from, to, bytes }: Part,
  { compresses = false }: { readonly compresses?: boolean | undefined } = {},
): Uint8Array {
  const smaller = compresses ? deflateRawSync(bytes, { level: 1 }) : bytes;
  const isSmaller = smaller.length < bytes.length;
  const content = isSmaller ? smaller : bytes;
  const part = new Uint8Array(partHeaderBytes + content.length + crcBytes);
  const view = new DataView(part.buffer);
  view.setUint8(0, kind);
  view.setUint8(1, isSmaller ? deflated : plain);
  view.setFloat64(2, from, true);
  view.setFloat64(10, to, true);
  view.setUint32(18, content.length, true);
  part.set(content, partHeaderBytes);
  const end = partHeaderBytes + content.length;
  view.setUint32(end, crc32(part.subarray(0, end)), true);
  return part;
}

/** Encodes a part that is a JSON value. */
export function encodeJsonPart(kind: number, value: unknown): Uint8Array {
  return encodePart({ kind, from: 0, to: 0, bytes: encodeUtf8(JSON.stringify(value)) });
}

/** Joins encoded parts: the magic, u16 format, u16 for later use, and the parts. */
export function joinParts(parts: readonly Uint8Array[]): Uint8Array {
  const header = new Uint8Array(headerBytes);
  header.set(encodeUtf8(magic));
  new DataView(header.buffer).setUint16(4, format, true);
  return new Uint8Array(Buffer.concat([header, ...parts]));
}

/**
 * Returns the intact parts. If the length of a part is damaged, the parts after it are not found. Data in
 * another format has no parts.
 */
export function decodeParts(bytes: Uint8Array): DecodedParts {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const isKnown =
    bytes.length >= headerBytes &&
    decodeUtf8(bytes.subarray(0, magic.length)) === magic &&
    view.getUint16(4, true) === format;
  if (!isKnown) return { parts: [], complete: false };
  return partsIn(bytes.subarray(headerBytes));
}

/** Returns the parts in joined encodings. */
export function partsIn(bytes: Uint8Array): DecodedParts {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const parts: DecodedPart[] = [];
  let complete = true;
  let at = 0;
  while (at + partHeaderBytes + crcBytes <= bytes.length) {
    const length = view.getUint32(at + 18, true);
    const end = at + partHeaderBytes + length;
    if (end + crcBytes > bytes.length) break;
    const part = decodePart(bytes.subarray(at, end), view.getUint32(end, true));
    if (part === null) complete = false;
    else parts.push({ ...part, encoded: bytes.subarray(at, end + crcBytes) });
    at = end + crcBytes;
  }
  return { parts, complete: complete && at === bytes.length };
}

/** Returns null if the part is damaged. */
function decodePart(part: Uint8Array, crc: number): Part | null {
  if (crc32(part) !== crc) return null;
  const view = new DataView(part.buffer, part.byteOffset, part.length);
  const content = part.subarray(partHeaderBytes);
  const codec = view.getUint8(1);
  const place = { from: view.getFloat64(2, true), to: view.getFloat64(10, true) };
  try {
    const bytes = codec === plain ? content : inflated(content, codec);
    return { kind: view.getUint8(0), ...place, bytes };
  } catch {
    return null;
  }
}

function inflated(content: Uint8Array, codec: number): Uint8Array {
  if (codec !== deflated) throw new Error(`unknown codec ${codec}`);
  return inflateRawSync(content, { maxOutputLength: maxPartBytes });
}

/** Returns the JSON value of the part of a kind; null if there is none or it is damaged. */
export function jsonPart(parts: readonly Part[], kind: number): unknown {
  const part = parts.find((each) => each.kind === kind);
  if (part === undefined) return null;
  try {
    return JSON.parse(decodeUtf8(part.bytes));
  } catch {
    return null;
  }
}
