import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { VtrError } from '#model';

const maxBytes = 1024 * 1024;

/**
 * The text of a configuration file; null where there is none.
 *
 * Whoever may write it decides which shell is started, so it has to belong to the user or to root
 * and be writable by its owner alone.
 *
 * @throws VtrError INVALID_ARGUMENT, with the fix
 */
export function readConfigFile(file: string): string | null {
  const opened = open(file);
  if (opened === null) return null;
  try {
    const stat = fstatSync(opened);
    const problem = problemOf(stat, file);
    if (problem !== null) throw new VtrError('INVALID_ARGUMENT', `${file} ${problem}`);
    return readFileSync(opened, 'utf8');
  } finally {
    closeSync(opened);
  }
}

/** Without waiting, should it be a FIFO. */
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
  if (!stat.isFile()) return 'is no file';
  if (stat.uid !== uid && stat.uid !== 0) {
    return `belongs to user ${stat.uid}; it has to be yours: chown ${uid} ${file}`;
  }
  if ((stat.mode & 0o022) !== 0) {
    return `may be written by others; take that away: chmod go-w ${file}`;
  }
  if (stat.size > maxBytes) return `has ${stat.size} bytes; ${maxBytes} are the limit`;
  return null;
}
