import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  type Stats,
} from 'node:fs';
import { chmod, type FileHandle, mkdir, open, rename, rmdir, unlink } from 'node:fs/promises';
import { ignored } from '#base';
import { makeDirectory } from '#config';
import { isOwn } from '#trust';

/** The operations of the file system that the store needs; a test has its own. */
export interface StoreFiles {
  /**
   * Makes a directory if it does not exist, with access for the user alone.
   *
   * @returns whether it did not exist
   * @throws Error if it is a symbolic link, belongs to another user, or is not a directory
   */
  makeDirectory(path: string): Promise<boolean>;
  /** @throws ForeignFile if it exists, and {@link makeDirectory} would not use it */
  checkDirectory(path: string): void;
  /** Returns the names in a directory; none if it does not exist. */
  names(path: string): readonly string[];
  /** Reads a file. @throws Error if it is larger than `maxBytes`, or not the user's own file */
  read(path: string, maxBytes: number): Promise<Uint8Array>;
  readSync(path: string, maxBytes: number): Uint8Array;
  /** Makes a file that must not exist, readable by the user alone. */
  create(path: string): Promise<StoreFile>;
  /** Opens a file for writing. */
  open(path: string): Promise<StoreFile>;
  rename(from: string, to: string): Promise<void>;
  renameSync(from: string, to: string): void;
  /** Removes a file, or a symbolic link. */
  remove(path: string): Promise<void>;
  removeDirectory(path: string): Promise<void>;
  /** Makes renames and removals in a directory permanent. */
  syncDirectory(path: string): Promise<void>;
}

export interface StoreFile {
  /** Writes all of the bytes. */
  write(bytes: Uint8Array, at: number): Promise<void>;
  truncate(length: number): Promise<void>;
  /** Makes the content permanent. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
/** A FIFO of that name must not block us. */
const readFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;

export const systemFiles: StoreFiles = {
  async makeDirectory(path) {
    if (await isMade(path)) {
      // The umask may have removed permissions that we need.
      await chmod(path, 0o700);
      return true;
    }
    const { mode } = checkedDirectory(path, lstatSync(path));
    if ((mode & 0o077) !== 0) await chmod(path, 0o700);
    return false;
  },
  checkDirectory(path) {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat !== undefined) checkedDirectory(path, stat);
  },
  names(path) {
    try {
      return readdirSync(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  },
  async read(path, maxBytes) {
    const handle = await open(path, readFlags);
    try {
      checkedSize(path, await handle.stat(), maxBytes);
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  },
  readSync(path, maxBytes) {
    const fd = openSync(path, readFlags);
    try {
      return readAll(fd, checkedSize(path, fstatSync(fd), maxBytes));
    } finally {
      closeSync(fd);
    }
  },
  async create(path) {
    return new SystemFile(await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600));
  },
  async open(path) {
    const handle = await open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      checkedSize(path, await handle.stat(), Infinity);
    } catch (error) {
      await handle.close();
      throw error;
    }
    return new SystemFile(handle);
  },
  rename,
  renameSync,
  remove: unlink,
  removeDirectory: rmdir,
  async syncDirectory(path) {
    const handle = await open(path, O_RDONLY);
    await handle.sync().finally(() => handle.close());
  },
};

/** Makes a directory, and those above it. @returns false if it exists */
async function isMade(path: string): Promise<boolean> {
  try {
    await mkdir(path, 0o700);
    return true;
  } catch {
    return makeDirectory(path);
  }
}

class SystemFile implements StoreFile {
  readonly #handle: FileHandle;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  async write(bytes: Uint8Array, at: number): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await this.#handle.write(
        bytes,
        done,
        bytes.length - done,
        at + done,
      );
      done += bytesWritten;
    }
  }

  truncate(length: number): Promise<void> {
    return this.#handle.truncate(length);
  }

  sync(): Promise<void> {
    return this.#handle.datasync();
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

/** Something that the store did not make is where a file or a directory of it should be. */
export class ForeignFile extends Error {}

function checkedDirectory(path: string, stat: Stats): Stats {
  if (stat.isSymbolicLink()) throw new ForeignFile(`${path} is a symbolic link`);
  if (!stat.isDirectory()) throw new ForeignFile(`${path} is not a directory`);
  checkOwner(path, stat.uid);
  return stat;
}

interface FileStat {
  readonly uid: number;
  readonly size: number;
  isFile(): boolean;
}

function checkedSize(path: string, stat: FileStat, maxBytes: number): number {
  if (!stat.isFile()) throw new ForeignFile(`${path} is not a file`);
  checkOwner(path, stat.uid);
  if (stat.size > maxBytes) throw new Error(`${path} has ${stat.size} bytes, over ${maxBytes}`);
  return stat.size;
}

function checkOwner(path: string, uid: number): void {
  if (!isOwn({ uid })) throw new ForeignFile(`${path} belongs to user ${uid}`);
}

function readAll(fd: number, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let done = 0;
  for (let count = 1; done < size && count > 0; done += count) {
    count = readSync(fd, bytes, done, size - done, done);
  }
  return bytes.subarray(0, done);
}

/** For a file that may not exist. @throws the error if it has another reason */
export function unlessMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

/**
 * Writes to a file and closes it.
 *
 * @param remove removes a new file that could not be written, which may be why the disk is full; null for
 *   a file that was there before
 */
export async function closing(
  file: StoreFile,
  remove: (() => Promise<void>) | null,
  write: () => Promise<void>,
): Promise<void> {
  try {
    await write().finally(() => file.close());
  } catch (error) {
    await ignored(remove?.(), 'the caller gets the error of the write');
    throw error;
  }
}

/** Replaces a file atomically, or leaves it unchanged. Its name is permanent after `syncDirectory`. */
export async function replaceStored(
  files: StoreFiles,
  path: string,
  bytes: Uint8Array,
): Promise<void> {
  const temporary = `${path}.tmp`;
  const remove = () => files.remove(temporary);
  const file = await createAgain(files, temporary);
  await closing(file, remove, async () => {
    await file.write(bytes, 0);
    await file.sync();
  });
  await files.rename(temporary, path).catch(async (error) => {
    await ignored(remove(), 'the caller gets the error of the rename');
    throw error;
  });
}

/** A crash can have left the file. */
async function createAgain(files: StoreFiles, path: string): Promise<StoreFile> {
  try {
    return await files.create(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    await files.remove(path);
    return files.create(path);
  }
}
