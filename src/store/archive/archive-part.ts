import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  ftruncateSync,
  openSync,
  readSync,
  unlinkSync,
  writeSync,
  writevSync,
} from 'node:fs';

/** Lines as they are archived; see `PackedLines` of the terminal. */
export interface Lines {
  readonly from: number;
  /** One past the last line. */
  readonly to: number;
  readonly parts: readonly Uint8Array[];
}

/** Lines of a block; contract: `ReadLines` of `session`. */
export interface ReadLines {
  readonly from: number;
  readonly to: number;
  readonly bytes: Uint8Array;
}

/** A block's place in the file of a part. */
export interface Block {
  readonly from: number;
  readonly to: number;
  readonly textBytes: number;
  /** Offset in the file. */
  readonly at: number;
  /** The length of the encrypted lines. */
  readonly length: number;
}

const magic = 0x56545242; // VTRB
/** u32 magic, u32 length of the encrypted lines, f64 from, f64 to, f64 bytes of text. */
const headerBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const overheadBytes = headerBytes + nonceBytes + tagBytes;
const cipher = 'aes-256-gcm';

const { O_CREAT, O_NOFOLLOW, O_RDONLY, O_RDWR } = constants;

/**
 * A file of blocks: header, nonce, encrypted lines, tag (AES-256-GCM; the header is authenticated, too).
 * Numbers are little-endian.
 */
export class ArchivePart {
  readonly path: string;
  readonly blocks: Block[];
  /** Up to the end of the last block. */
  #length: number;
  /** Open while it is written to. */
  #fd: number | null = null;

  constructor(path: string, blocks: readonly Block[] = []) {
    this.path = path;
    this.blocks = [...blocks];
    const last = blocks.at(-1);
    this.#length = last === undefined ? 0 : last.at + overheadBytes + last.length;
  }

  /** Returns a part that an earlier process wrote, up to the first block that is cut or damaged. @throws Error */
  static found(path: string): ArchivePart {
    const fd = openSync(path, O_RDONLY | O_NOFOLLOW);
    try {
      return new ArchivePart(path, blocksIn(fd));
    } finally {
      closeQuietly(fd);
    }
  }

  get bytes(): number {
    return this.#length;
  }

  /** Writes a block. @throws Error, and nothing is added */
  add({ from, to, parts }: Lines, textBytes: number, key: KeyObject): void {
    const length = bytesOf(parts);
    const header = headerOf({ from, to, textBytes, length });
    const nonce = newNonce();
    const sealing = createCipheriv(cipher, key, nonce).setAAD(header);
    const sealed = parts.map((part) => sealing.update(part));
    const block = [header, nonce, ...sealed, sealing.final(), sealing.getAuthTag()];
    this.#fd ??= openSync(this.path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600);
    try {
      writeAll(this.#fd, block, this.#length);
    } catch (error) {
      ftruncateSync(this.#fd, this.#length);
      throw error;
    }
    this.blocks.push({ from, to, textBytes, at: this.#length, length });
    this.#length += overheadBytes + length;
  }

  /** @throws Error if it is damaged, or written with another key */
  read({ at, from, to, textBytes, length }: Block, key: KeyObject): ReadLines {
    const fd = this.#fd ?? openSync(this.path, O_RDONLY | O_NOFOLLOW);
    try {
      const bytes = readFrom(fd, at, overheadBytes + length);
      const opening = createDecipheriv(
        cipher,
        key,
        bytes.subarray(headerBytes, headerBytes + nonceBytes),
      );
      opening.setAAD(headerOf({ from, to, textBytes, length }));
      opening.setAuthTag(bytes.subarray(bytes.length - tagBytes));
      const sealed = bytes.subarray(headerBytes + nonceBytes, bytes.length - tagBytes);
      return { from, to, bytes: Buffer.concat([opening.update(sealed), opening.final()]) };
    } finally {
      if (fd !== this.#fd) closeQuietly(fd);
    }
  }

  /** Ends the writing. */
  close(): void {
    const fd = this.#fd;
    this.#fd = null;
    if (fd !== null) closeQuietly(fd);
  }

  remove(): void {
    this.close();
    unlinkSync(this.path);
  }
}

/** All blocks were written before: what fails now is found when they are read. */
function closeQuietly(fd: number): void {
  try {
    closeSync(fd);
  } catch {
    // See above.
  }
}

/** Random bytes for nonces, each used once. Made for many blocks: each call takes as long as encrypting 20 KB. */
let nonces = Buffer.alloc(0);

function newNonce(): Buffer {
  if (nonces.length < nonceBytes) nonces = randomBytes(256 * nonceBytes);
  const nonce = nonces.subarray(0, nonceBytes);
  nonces = nonces.subarray(nonceBytes);
  return nonce;
}

const bytesOf = (parts: readonly Uint8Array[]): number =>
  parts.reduce((sum, part) => sum + part.length, 0);

/** @throws Error */
function writeAll(fd: number, parts: readonly Buffer[], at: number): void {
  const length = bytesOf(parts);
  let done = writevSync(fd, parts, at);
  if (done === length) return;
  const all = Buffer.concat(parts);
  while (done < length) done += writeSync(fd, all, done, length - done, at + done);
}

function headerOf({ from, to, textBytes, length }: Omit<Block, 'at'>): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.writeUInt32LE(magic, 0);
  header.writeUInt32LE(length, 4);
  header.writeDoubleLE(from, 8);
  header.writeDoubleLE(to, 16);
  header.writeDoubleLE(textBytes, 24);
  return header;
}

function blocksIn(fd: number): Block[] {
  const blocks: Block[] = [];
  for (let at = 0; ; ) {
    const header = readFrom(fd, at, headerBytes);
    if (header.length < headerBytes || header.readUInt32LE(0) !== magic) return blocks;
    const length = header.readUInt32LE(4);
    const block = { from: header.readDoubleLE(8), to: header.readDoubleLE(16), at, length };
    at += overheadBytes + length;
    const isWhole = readFrom(fd, at - 1, 1).length === 1;
    const isNext = blocks.length === 0 || blocks.at(-1)?.to === block.from;
    if (!isWhole || !isNext || block.to <= block.from) return blocks;
    blocks.push({ ...block, textBytes: header.readDoubleLE(24) });
  }
}

/** Returns fewer bytes at the end of the file. */
function readFrom(fd: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let done = 0;
  for (let count = 1; done < length && count > 0; done += count) {
    count = readSync(fd, bytes, done, length - done, at + done);
  }
  return bytes.subarray(0, done);
}
