import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { ioError, VtrError } from '#model';
import { fileProblem } from '#trust';

const maxBytes = 1024 * 1024;

/**
 * Reads a configuration file of at most 1 MiB; returns null if it does not exist.
 *
 * The file decides which shell is started, so it must belong to the user or to root, and nobody else may
 * be able to change or replace it.
 *
 * @throws VtrError INVALID_ARGUMENT, with the fix; IO_ERROR
 */
export function readConfigFile(file: string): string | null {
  const fd = open(file);
  if (fd === null) return null;
  try {
    return readOpen(fd, file);
  } catch (error) {
    throw ioError(file, 'read', error);
  }
}

/** Closes it. */
function readOpen(fd: number, file: string): string {
  try {
    const problem = problemOf(fstatSync(fd), file);
    if (problem !== null) throw new VtrError('INVALID_ARGUMENT', problem);
    return readFileSync(fd, 'utf8');
  } finally {
    closeSync(fd);
  }
}

/**
 * Reads a file that vtr wrote. Does not block where a FIFO or a device is in its place.
 *
 * @throws Error with EISDIR if it is not a regular file; if it is larger than 1 MiB; the system's error if it cannot be
 *   read
 */
export function readOwnFile(file: string): string {
  const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) {
      throw Object.assign(new Error('is not a regular file'), { code: 'EISDIR' });
    }
    if (stat.size > maxBytes)
      throw new Error(`has ${stat.size} bytes, over the limit of ${maxBytes}`);
    return readFileSync(fd, 'utf8');
  } finally {
    closeSync(fd);
  }
}

/** Does not block on a FIFO. */
function open(file: string): number | null {
  try {
    return openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw new VtrError('INVALID_ARGUMENT', `${file} cannot be read: ${code}`, { cause: error });
  }
}

function problemOf(stat: Stats, file: string): string | null {
  if (!stat.isFile()) return `${file} is not a regular file`;
  const found = fileProblem(file, stat, { owner: 'system', others: 'read' });
  if (found !== null) return `${found.problem}; ${found.fix}`;
  if (stat.size > maxBytes) return `${file} has ${stat.size} bytes, over the limit of ${maxBytes}`;
  return null;
}
