import { createHash } from 'node:crypto';
import { constants, readdirSync } from 'node:fs';
import { type FileHandle, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeUtf8, ignored } from '#base';
import { makeDirectory } from '#config';
import { type AuditState, ioError } from '#model';
import { beginning, chained, chainedLine, type Link } from './chain.ts';
import { type AuditEntry, limited, type NewEntry } from './entry.ts';

export interface TrailOptions extends TrailFilesOptions {
  /** Whether entries have the text. */
  readonly text: boolean;
  /** In ms since 1970. */
  readonly wallMs: () => number;
  /** Called when entries are lost for the first time, and when they are written again. */
  readonly log: (line: string) => void;
  /** Called when entries are written, with the number of the newest. */
  readonly onWritten?: (newest: number) => void;
}

/** A shorter text can be found by trying all that its hash may stand for. In bytes. */
const minHashedBytes = 8;
/** In UTF-16 code units. */
const maxText = 4096;
/** What may wait for a slow disk. */
const maxWaiting = 10_000;
const maxWaitingBytes = 16 * 1024 * 1024;
/** How long entries wait for more before they are written, in ms: the echo of a key goes first. */
const gatherMs = 5;
/** Entries of one write. */
const maxBatch = 256;

/**
 * The audit trail of a coordinator. Callers do not wait for the disk: entries are written together, some
 * milliseconds after the first of them. Entries that cannot be written are counted; the trail has their number
 * as soon as it can be written again.
 */
export class Trail {
  readonly #files: TrailFiles;
  readonly #options: TrailOptions;
  #waiting: NewEntry[] = [];
  #waitingBytes = 0;
  #writing: Promise<void> | null = null;
  /** Begins the write that is waiting for more entries. */
  #begin: () => void = () => {};
  /** Lost since the last entry that was written. */
  #lost = 0;
  #lostSinceMs = 0;
  #lostTotal = 0;
  #reason = '';

  constructor(options: TrailOptions) {
    this.#options = options;
    this.#files = new TrailFiles(options);
  }

  get state(): AuditState {
    const { directory } = this.#options;
    if (this.#lostTotal === 0) return { directory, lost: 0, isLosing: false };
    return { directory, lost: this.#lostTotal, isLosing: this.#lost > 0, reason: this.#reason };
  }

  /** Never fails, and does no I/O. */
  add(added: NewEntry): void {
    const bytes = added.input?.length ?? 0;
    const isFull = this.#waiting.length >= maxWaiting;
    if (isFull || this.#waitingBytes + bytes > maxWaitingBytes) {
      this.#lose(1, 'the disk is too slow');
      return;
    }
    this.#waiting.push(added);
    this.#waitingBytes += bytes;
    this.#writing ??= new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, gatherMs);
      this.#begin = () => {
        clearTimeout(timer);
        resolve();
      };
    }).then(() => this.#drain());
  }

  /** Writes what waits. Never fails. */
  async close(): Promise<void> {
    this.#begin();
    await this.#writing;
    if (this.#lost > 0) await this.#append([]);
    await ignored(this.#files.close(), 'every entry is written, or counted as lost');
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, maxBatch);
      for (const { input } of batch) this.#waitingBytes -= input?.length ?? 0;
      await this.#append(batch.map((each) => this.#lineOf(each)));
    }
    this.#writing = null;
  }

  async #append(lines: readonly string[]): Promise<void> {
    const lost = this.#lost;
    const gap = lost === 0 ? [] : [JSON.stringify(this.#gap())];
    const { written, error } = await this.#files.append([...gap, ...lines]);
    if (written > 0) this.#options.onWritten?.(this.#files.newest);
    if (written > 0 && lost > 0) {
      this.#lost -= lost;
      this.#options.log(`the audit trail is written again; ${lost} entries are missing`);
    }
    const missing = lines.length - Math.max(0, written - gap.length);
    if (error === null) return;
    this.#lose(missing, ioError(this.#options.directory, 'written', error).message);
  }

  #lose(count: number, reason: string): void {
    if (count === 0) return;
    if (this.#lost === 0) {
      this.#lostSinceMs = this.#options.wallMs();
      this.#options.log(`warning: entries of the audit trail are lost: ${reason}`);
    }
    this.#lost += count;
    this.#lostTotal += count;
    this.#reason = reason;
  }

  #gap(): AuditEntry {
    const { wallMs } = this.#options;
    const since = new Date(this.#lostSinceMs).toISOString();
    return {
      time: new Date(wallMs()).toISOString(),
      action: 'gap',
      client: 'vtr',
      details: { lost: this.#lost, since, reason: this.#reason },
    };
  }

  #lineOf({ entry, input }: NewEntry): string {
    return JSON.stringify(input === null ? entry : { ...entry, ...this.#contentOf(input) });
  }

  #contentOf(input: string | Uint8Array): Pick<AuditEntry, 'sha256' | 'text'> {
    const bytes = typeof input === 'string' ? Buffer.from(input) : input;
    const isHashed = bytes.length >= minHashedBytes;
    const text = () => (typeof input === 'string' ? input : decodeUtf8(input.subarray(0, maxText)));
    return {
      ...(isHashed && { sha256: createHash('sha256').update(bytes).digest('hex') }),
      ...(this.#options.text && { text: limited(text(), maxText) }),
    };
  }
}

/** The files of a trail: `000001.jsonl` and so on. The highest number is the newest. */
const fileName = /^\d{6,12}\.jsonl$/;

/** How many files a full trail has. */
export const maxFiles = 8;

export const lineFeed = 0x0a;

/** Returns the name of a file. */
export const nameOf = (number: number): string => `${String(number).padStart(6, '0')}.jsonl`;

/** Returns the numbers of files, ascending. */
export const numbersOf = (names: readonly string[]): number[] =>
  names
    .filter((name) => fileName.test(name))
    .map((name) => Number.parseInt(name, 10))
    .sort((a, b) => a - b);

/** Returns the paths of a trail's files, oldest first; none if it does not exist. @throws Error of the system */
export function trailFiles(directory: string): string[] {
  try {
    return numbersOf(readdirSync(directory)).map((number) => join(directory, nameOf(number)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** For a file that is appended to: a link is not followed, and a pipe does not block. */
export const appending =
  constants.O_RDWR |
  constants.O_APPEND |
  constants.O_CREAT |
  constants.O_NOFOLLOW |
  constants.O_NONBLOCK;

export interface TrailFilesOptions {
  readonly directory: string;
  /** The limit of all files together, in bytes. */
  readonly maxBytes: number;
  /** Replaces the write to the disk in tests. Returns how many bytes were written. */
  readonly write?: (file: FileHandle, bytes: Uint8Array) => Promise<number>;
}

/**
 * Appends entries to the newest file of a trail, begins another one when it is full, and removes the oldest. Each
 * entry has the hash of the one before ({@link chained}).
 */
class TrailFiles {
  readonly #directory: string;
  readonly #maxFileBytes: number;
  readonly #write: NonNullable<TrailFilesOptions['write']>;
  #file: FileHandle | null = null;
  #number = 0;
  #size = 0;
  /** Whether the last line is not complete: the disk was full, or its writer was killed. */
  #isTorn = false;
  /** The newest entry; null until a file was read. It is not read again from a file that others have cut. */
  #newest: Link | null = null;

  constructor({ directory, maxBytes, write = writeOnce }: TrailFilesOptions) {
    this.#directory = directory;
    this.#maxFileBytes = maxBytes / maxFiles;
    this.#write = write;
  }

  /** The number of the newest entry; 0 before the first one. */
  get newest(): number {
    return this.#newest?.seq ?? 0;
  }

  /**
   * Appends entries as JSON.
   *
   * @returns how many of them were written completely, and the error if not all were
   */
  async append(entries: readonly string[]): Promise<{ written: number; error: unknown }> {
    let written = 0;
    for (const part of partsOf(entries, this.#maxFileBytes)) {
      const { complete, error } = await this.#appendPart(part);
      written += complete;
      if (error !== null) return { written, error };
    }
    return { written, error: null };
  }

  async #appendPart(entries: readonly string[]): Promise<{ complete: number; error: unknown }> {
    let bytes: Buffer = Buffer.alloc(0);
    let links: readonly Link[] = [];
    let done = 0;
    let error: unknown = null;
    try {
      const file = await this.#fileFor(sizeOf(entries));
      const lines = this.#linesOf(entries);
      bytes = Buffer.from(lines.map(({ line }) => `${line}\n`).join(''));
      links = lines;
      if (this.#isTorn) {
        await this.#writeSome(file, Buffer.of(lineFeed));
        this.#isTorn = false;
      }
      while (done < bytes.length) done += await this.#writeSome(file, bytes.subarray(done));
    } catch (thrown) {
      error = thrown;
    }
    if (done > 0) this.#isTorn = bytes[done - 1] !== lineFeed;
    // A line is complete without its line feed: the next write begins with that.
    const begun = bytes.subarray(0, done + 1);
    const complete = begun.filter((byte) => byte === lineFeed).length;
    this.#newest = links[complete - 1] ?? this.#newest;
    return { complete, error };
  }

  #linesOf(entries: readonly string[]) {
    let before = this.#newest ?? beginning;
    return entries.map((entry, index) => {
      const next = chained(entry, before, this.#size === 0 && index === 0);
      before = next;
      return next;
    });
  }

  /** @throws Error of the system */
  async #writeSome(file: FileHandle, bytes: Uint8Array): Promise<number> {
    const count = await this.#write(file, bytes);
    if (count === 0) throw new Error('the disk is full');
    this.#size += count;
    return count;
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    await file?.close();
  }

  /** @throws Error of the system */
  async #fileFor(bytes: number): Promise<FileHandle> {
    if (this.#file !== null) await this.#lookAt(this.#file);
    const open = this.#file ?? (await this.#openNewest());
    if (this.#size === 0 || this.#size + bytes <= this.#maxFileBytes) return open;
    await this.close();
    this.#number++;
    return this.#open();
  }

  /** @throws Error of the system */
  async #lookAt(file: FileHandle): Promise<void> {
    const { nlink, size } = await file.stat();
    // A file that was removed is written by nobody else, and read by nobody.
    if (nlink === 0) await this.close();
    else if (size !== this.#size) await this.#sizeIs(file, size);
  }

  async #openNewest(): Promise<FileHandle> {
    makeDirectory(this.#directory);
    this.#number = numbersOf(await readdir(this.#directory)).at(-1) ?? 1;
    return this.#open();
  }

  async #open(): Promise<FileHandle> {
    const file = await open(this.#path(this.#number), appending, 0o600);
    try {
      const stat = await file.stat();
      if (!stat.isFile()) throw new Error('is not a regular file');
      // A file that was copied here may have another mode.
      if ((stat.mode & 0o077) !== 0) await file.chmod(0o600);
      this.#size = 0;
      await this.#sizeIs(file, stat.size);
      this.#newest ??= await this.#newestBefore();
      await this.#removeOld();
    } catch (error) {
      await file.close();
      throw error;
    }
    this.#file = file;
    return file;
  }

  /** Another daemon may have written to the file: its entries are followed. What was cut off stays missing. */
  async #sizeIs(file: FileHandle, size: number): Promise<void> {
    this.#isTorn = await endsWithinLine(file, size);
    if (size > this.#size) {
      const newest = await newestIn(file, size);
      if (newest !== null && newest.seq > (this.#newest?.seq ?? 0)) this.#newest = newest;
    }
    this.#size = size;
  }

  /** Returns the newest entry of the earlier files. */
  async #newestBefore(): Promise<Link> {
    const numbers = numbersOf(await readdir(this.#directory)).filter((each) => each < this.#number);
    for (const number of numbers.reverse()) {
      const file = await open(this.#path(number), constants.O_RDONLY | constants.O_NONBLOCK);
      try {
        const newest = await newestIn(file, (await file.stat()).size);
        if (newest !== null) return newest;
      } finally {
        await file.close();
      }
    }
    return beginning;
  }

  #path(number: number): string {
    return join(this.#directory, nameOf(number));
  }

  async #removeOld(): Promise<void> {
    const numbers = numbersOf(await readdir(this.#directory));
    for (const number of numbers.filter((each) => each <= this.#number - maxFiles)) {
      await rm(this.#path(number), { force: true });
    }
  }
}

/** How much the hash of an entry, its number and that of the entry before add to its line, at most, in bytes. */
const linkBytes = 200;

const sizeOf = (entries: readonly string[]): number =>
  entries.reduce((sum, entry) => sum + Buffer.byteLength(entry) + linkBytes, 0);

/** Divides entries into parts of at most `maxBytes`, or of one entry. */
function partsOf(entries: readonly string[], maxBytes: number): string[][] {
  const parts: string[][] = [[]];
  let size = 0;
  for (const entry of entries) {
    const bytes = sizeOf([entry]);
    if (size > 0 && size + bytes > maxBytes) {
      parts.push([]);
      size = 0;
    }
    parts.at(-1)?.push(entry);
    size += bytes;
  }
  return parts;
}

/**
 * Returns the number of the newest entry of a trail and where it ends: the number of its newest file, and the size of that
 * file in bytes; all 0 if there is none.
 *
 * @throws Error of the system
 */
export async function newestOf(
  directory: string,
): Promise<{ readonly seq: number; readonly file: number; readonly size: number }> {
  const numbers = numbersOf(await readdir(directory)).reverse();
  const [newest = 0] = numbers;
  let newestSize: number | null = null;
  for (const number of numbers) {
    const file = await open(
      join(directory, nameOf(number)),
      constants.O_RDONLY | constants.O_NONBLOCK,
    );
    try {
      const { size } = await file.stat();
      newestSize ??= size;
      const link = await newestIn(file, size);
      if (link !== null) return { seq: link.seq, file: newest, size: newestSize };
    } finally {
      await file.close();
    }
  }
  return { seq: 0, file: newest, size: newestSize ?? 0 };
}

/** How much of the end of a file is read to find its newest entry: at first, and at most, in bytes. */
const tailBytes = 64 * 1024;
const maxTailBytes = 1024 * 1024;

/** Returns the newest entry of a file that has a hash; null if there is none. @throws Error of the system */
async function newestIn(file: FileHandle, size: number): Promise<Link | null> {
  for (let limit = tailBytes; size > 0 && limit <= maxTailBytes; limit *= 4) {
    const bytes = Math.min(size, limit);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, size - bytes);
    const lines = buffer.toString('utf8', 0, bytesRead).split('\n').reverse();
    // The first line may have begun before; it has its end all the same.
    const newest = lines.map(chainedLine).find((each) => each !== null);
    if (newest != null) return { seq: newest.seq, chain: newest.chain };
    if (bytes === size) break;
  }
  return null;
}

/** Returns how many bytes were written. @throws Error of the system */
export async function writeOnce(file: FileHandle, bytes: Uint8Array): Promise<number> {
  return (await file.write(bytes)).bytesWritten;
}

/** Whether the last line of a file has no line feed. @throws Error of the system */
export async function endsWithinLine(file: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return false;
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] !== lineFeed;
}
