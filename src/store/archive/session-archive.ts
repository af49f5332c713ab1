import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
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
import { join } from 'node:path';

/** A part is full when it has this many bytes; the limit removes whole parts. */
const fullBytes = 4 * 1024 * 1024;
/**
 * What is written at once, in bytes. The scrollback drops pages of 57 KB, and a call for each costs half as much again.
 */
const writeBytes = 256 * 1024;

export interface SessionArchiveParts {
  /** The directory of this session; made when there is something to write. */
  readonly directory: string;
  readonly key: Uint8Array;
  /** Those of an earlier process, oldest first. */
  readonly earlier: readonly ArchivePart[];
  /** Makes the directory. @throws Error */
  readonly makeDirectory: () => void;
  /** Called after lines were written. */
  readonly onGrown: () => void;
  /** Called with the reason why lines could not be written or read. */
  readonly onFailed: (error: Error) => void;
}

/** The archived lines of one session, in parts; the oldest parts can be removed. Contract: `LineArchive` of `session`. */
export class SessionArchive {
  /** Without the bytes of the key: they are part of a buffer of 8 KB, which each session would keep. */
  readonly #options: Omit<SessionArchiveParts, 'key'>;
  /** Made once, because each use of the bytes would copy them. */
  readonly #key: KeyObject;
  /** Oldest first, without gaps. */
  #parts: ArchivePart[] = [];

  constructor({ key, ...options }: SessionArchiveParts) {
    this.#options = options;
    this.#key = createSecretKey(key);
    for (const part of options.earlier) {
      const isNext = part.blocks[0]?.from === this.endLine;
      if (!isNext) this.erase();
      if (part.blocks.length > 0) this.#parts.push(part);
      else this.#remove(part);
    }
  }

  get firstLine(): number {
    return this.#parts[0]?.blocks[0]?.from ?? 0;
  }

  get endLine(): number {
    return this.#parts.at(-1)?.blocks.at(-1)?.to ?? 0;
  }

  get bytes(): number {
    return this.#parts.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Whether {@link dropOldest} can remove anything. */
  get canDrop(): boolean {
    return this.#parts.length > 1;
  }

  add(lines: Lines, textBytes: number): void {
    if (lines.to <= this.endLine && lines.from >= this.firstLine) return;
    const isNext = lines.from === this.endLine;
    if (!isNext && lines.from > this.firstLine && lines.from < this.endLine) {
      // Continued after a restart, with other borders. The first lines of the block are never read.
      this.add({ ...lines, from: this.endLine }, textBytes);
      return;
    }
    if (!isNext) this.erase();
    this.#write(() => this.#partFor(lines).add(lines, textBytes, this.#key));
  }

  flush(): void {
    this.#write(() => this.#parts.at(-1)?.flush());
  }

  read(line: number): ReadLines | null {
    for (const part of this.#parts) {
      const block = part.blocks.find(({ from, to }) => line >= from && line < to);
      if (block === undefined) continue;
      if (!part.isWritten(block)) this.flush();
      try {
        return part.read(block, this.#key);
      } catch (error) {
        this.#options.onFailed(error as Error);
        return null;
      }
    }
    return null;
  }

  sizes(from: number, to: number): readonly Block[] {
    return this.#parts.flatMap(({ blocks }) =>
      blocks.filter((each) => each.from < to && each.to > from),
    );
  }

  erase(): void {
    for (const part of this.#parts.splice(0)) this.#remove(part);
  }

  /** Removes the oldest part. */
  dropOldest(): void {
    const part = this.#parts.shift();
    if (part !== undefined) this.#remove(part);
  }

  /** Ends the writing; what was added stays. */
  close(): void {
    this.flush();
    for (const part of this.#parts) part.close();
  }

  /** Calls a function that may write to the last part. */
  #write(write: () => void): void {
    const before = this.#writtenBytes;
    try {
      write();
      if (this.#writtenBytes !== before) this.#options.onGrown();
    } catch (error) {
      const last = this.#parts.at(-1);
      if (last?.blocks.length === 0) {
        this.#parts.pop();
        this.#remove(last);
      }
      this.#options.onFailed(error as Error);
    }
  }

  get #writtenBytes(): number {
    return this.#parts.reduce((sum, { writtenBytes }) => sum + writtenBytes, 0);
  }

  #partFor({ from }: Lines): ArchivePart {
    const last = this.#parts.at(-1);
    if (last !== undefined && last.bytes < fullBytes) return last;
    last?.flush();
    last?.close();
    this.#options.makeDirectory();
    const part = new ArchivePart(join(this.#options.directory, partName(from)));
    this.#parts.push(part);
    return part;
  }

  #remove(part: ArchivePart): void {
    try {
      part.remove();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
        this.#options.onFailed(error as Error);
    }
  }
}

/** A name by which parts are sorted: line numbers have at most 16 digits. */
const partName = (from: number): string => `${String(from).padStart(16, '0')}.lines`;

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
  /** Blocks that are not in the file yet. */
  #unwritten: Buffer[] = [];
  /** Where they begin. */
  #writtenTo: number;
  /** Open while it is written to. */
  #fd: number | null = null;

  constructor(path: string, blocks: readonly Block[] = []) {
    this.path = path;
    this.blocks = [...blocks];
    const last = blocks.at(-1);
    this.#length = last === undefined ? 0 : last.at + overheadBytes + last.length;
    this.#writtenTo = this.#length;
  }

  /** Returns a part that an earlier process wrote, up to the first block that is cut or damaged. @throws Error */
  static ofEarlier(path: string): ArchivePart {
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

  get writtenBytes(): number {
    return this.#writtenTo;
  }

  isWritten({ at }: Block): boolean {
    return at < this.#writtenTo;
  }

  /** Adds a block. @throws Error; what is not written then is not part of it */
  add({ from, to, parts }: Lines, textBytes: number, key: KeyObject): void {
    const length = bytesOf(parts);
    const header = headerOf({ from, to, textBytes, length });
    const nonce = newNonce();
    const sealing = createCipheriv(cipher, key, nonce).setAAD(header);
    const sealed = parts.map((part) => sealing.update(part));
    this.#unwritten.push(header, nonce, ...sealed, sealing.final(), sealing.getAuthTag());
    this.blocks.push({ from, to, textBytes, at: this.#length, length });
    this.#length += overheadBytes + length;
    if (this.#length - this.#writtenTo >= writeBytes) this.flush();
  }

  /** Writes what was added. @throws Error; what is not written then is not part of it */
  flush(): void {
    if (this.#unwritten.length === 0) return;
    try {
      this.#fd ??= openSync(this.path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600);
      writeAll(this.#fd, this.#unwritten, this.#writtenTo);
      this.#writtenTo = this.#length;
    } catch (error) {
      this.#length = this.#writtenTo;
      while ((this.blocks.at(-1)?.at ?? -1) >= this.#length) this.blocks.pop();
      if (this.#fd !== null) ftruncateSync(this.#fd, this.#length);
      throw error;
    } finally {
      this.#unwritten = [];
    }
  }

  /** Reads a block that is written. @throws Error if it is damaged, or written with another key */
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

  /** Ends the writing of what was flushed. */
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
