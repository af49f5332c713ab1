import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { shellQuoted } from '#base';
import { ioError, VtrError } from '#model';

const maxBytes = 1024 * 1024;

/**
 * Reads a configuration file of at most 1 MiB; returns null if it does not exist.
 *
 * The file decides which shell is started, so it must belong to the user or to root, and only its
 * owner may have write permission.
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
    if (problem !== null) throw new VtrError('INVALID_ARGUMENT', `${file} ${problem}`);
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
  const uid = process.getuid?.() ?? stat.uid;
  if (!stat.isFile()) return 'is not a regular file';
  if (stat.uid !== uid && stat.uid !== 0) {
    return `belongs to user ${stat.uid}; it must be yours: chown ${uid} ${shellQuoted(file)}`;
  }
  if ((stat.mode & 0o022) !== 0) {
    return `is writable by others; remove the permission: chmod go-w ${shellQuoted(file)}`;
  }
  if (stat.size > maxBytes) return `has ${stat.size} bytes, over the limit of ${maxBytes}`;
  return null;
}
