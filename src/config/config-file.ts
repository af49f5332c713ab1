import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { ioError, VtrError } from '#model';
import { fileProblem } from '#trust';

const maxBytes = 1024 * 1024;
/** Opening does not block on a FIFO. */
const readFlags = constants.O_RDONLY | constants.O_NONBLOCK;

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
    return readAndClose(fd, (stat) => {
      const problem = problemOf(stat, file);
      if (problem !== null) throw new VtrError('INVALID_ARGUMENT', problem);
    });
  } catch (error) {
    throw ioError(file, 'read', error);
  }
}

/**
 * Reads a file that vtr wrote. Does not block where a FIFO or a device is in its place.
 *
 * @throws Error with EISDIR if it is not a regular file; Error if it is larger than 1 MiB; the system's error if it
 *   cannot be read
 */
export function readOwnFile(file: string): string {
  return readAndClose(openSync(file, readFlags), (stat) => {
    if (!stat.isFile()) {
      throw Object.assign(new Error('is not a regular file'), { code: 'EISDIR' });
    }
    if (stat.size > maxBytes)
      throw new Error(`has ${stat.size} bytes, over the limit of ${maxBytes}`);
  });
}

/** @param check throws if the file must not be read */
function readAndClose(fd: number, check: (stat: Stats) => void): string {
  try {
    check(fstatSync(fd));
    return readFileSync(fd, 'utf8');
  } finally {
    closeSync(fd);
  }
}

/** Returns null if there is no such file. */
function open(file: string): number | null {
  try {
    return openSync(file, readFlags);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw new VtrError('INVALID_ARGUMENT', `${file} cannot be read: ${code}`, { cause: error });
  }
}

function problemOf(stat: Stats, file: string): string | null {
  if (!stat.isFile()) return `${file} is not a regular file`;
  const problem = fileProblem(file, stat, { owner: 'system', others: 'read' });
  if (problem !== null) return `${problem.problem}; ${problem.fix}`;
  if (stat.size > maxBytes) return `${file} has ${stat.size} bytes, over the limit of ${maxBytes}`;
  return null;
}
