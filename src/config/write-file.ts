import {
  chmodSync,
  closeSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ioError, isVtrError, VtrError } from '#model';
import { isOwn, writeProblem } from '#trust';
import { makeDirectory } from './directories.ts';

export interface NewFileOptions {
  /** Permission bits of a new file, before the umask is applied; default 0o600. */
  readonly mode?: number;
  /** For tests. */
  readonly write?: (file: number, data: string | Uint8Array) => void;
}

/**
 * Creates a file with this content, or no file.
 *
 * @throws VtrError IO_ERROR, also if the file exists
 */
export function createFile(
  file: string,
  data: string | Uint8Array,
  options: NewFileOptions = {},
): void {
  try {
    writeNew(file, data, options);
  } catch (error) {
    throw ioError(file, 'written', error);
  }
}

/**
 * Replaces a file atomically, or leaves it unchanged and no other file behind.
 *
 * @throws VtrError IO_ERROR
 */
export function replaceFile(
  file: string,
  data: string | Uint8Array,
  options: NewFileOptions = {},
): void {
  try {
    replace(file, data, options);
  } catch (error) {
    throw ioError(file, 'written', error);
  }
}

/**
 * Writes a file that belongs to the user: replaces it, with its permissions, or creates it. A device and a
 * pipe cannot be replaced, and what a link names must stay where it is: they are written in place, unless
 * another user has put them there.
 *
 * @throws VtrError IO_ERROR, INVALID_ARGUMENT for what another user has put there
 */
export function overwriteFile(
  file: string,
  data: string | Uint8Array,
  options: NewFileOptions = {},
): void {
  try {
    checkWritePath(file);
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found === undefined) replace(file, data, { mode: 0o666, ...options });
    // With the mode of another user's file, that user could read ours.
    else if (found.isFile())
      replace(file, data, options, isOwn(found) ? found.mode & 0o777 : undefined);
    else writeFileSync(file, data);
  } catch (error) {
    if (isVtrError(error)) throw error;
    throw ioError(file, 'written', error);
  }
}

/** @throws VtrError INVALID_ARGUMENT if a path leads to what another user has put there */
export function checkWritePath(file: string): void {
  const found = writeProblem(resolve(file));
  if (found === null) return;
  const message = `${file} is not written: ${found.problem}; ${found.fix}`;
  throw new VtrError('INVALID_ARGUMENT', message, { details: { path: file } });
}

/**
 * As {@link overwriteFile}, in a directory that is made if it does not exist, as open as the umask lets it be.
 *
 * @throws VtrError IO_ERROR
 */
export function overwriteInDirectory(file: string, data: string | Uint8Array): void {
  makeDirectoryOf(file);
  overwriteFile(file, data);
}

/**
 * Makes the directory of a file that the user has named, as open as the umask lets it be.
 *
 * @throws VtrError IO_ERROR, INVALID_ARGUMENT as {@link checkWritePath}
 */
export function makeDirectoryOf(file: string): void {
  checkWritePath(file);
  try {
    makeDirectory(dirname(file), 0o777);
  } catch (error) {
    throw ioError(file, 'written', error);
  }
}

/** Removes a file if it exists. @throws VtrError IO_ERROR */
export function removeFile(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch (error) {
    throw ioError(file, 'removed', error);
  }
}

/** @param mode permission bits, whatever the umask is; default as in the options */
function replace(
  file: string,
  data: string | Uint8Array,
  options: NewFileOptions,
  mode?: number,
): void {
  // A process that was killed can have left its file, also one with our pid. The name is short: that of
  // the file may be as long as the file system allows. An import of node:crypto would delay every command.
  const temporary = join(dirname(file), `.vtr-${crypto.randomUUID().slice(0, 13)}.tmp`);
  writeNew(temporary, data, options);
  removedUnless(temporary, () => {
    if (mode !== undefined) chmodSync(temporary, mode);
    renameSync(temporary, file);
  });
}

function writeNew(
  file: string,
  data: string | Uint8Array,
  { mode = 0o600, write = writeFileSync }: NewFileOptions,
): void {
  const descriptor = openSync(file, 'wx', mode);
  removedUnless(file, () => {
    try {
      write(descriptor, data);
    } finally {
      // Some file systems report only now that there was no space.
      closeSync(descriptor);
    }
  });
}

/** Removes our file if `act` throws. */
function removedUnless(file: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
}
