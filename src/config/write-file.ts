import { closeSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { ioError } from '#model';

export interface NewFileOptions {
  /** Permission bits before the umask is applied; default 0o600. */
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
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    writeNew(temporary, data, options);
    removedUnless(temporary, () => renameSync(temporary, file));
  } catch (error) {
    throw ioError(file, 'written', error);
  }
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
