import { resolve } from 'node:path';
import { VtrError } from '#model';

/** Returns whether a text is an address, such as `ssh://host` or `exec:COMMAND`, rather than a path. */
export const isAddress = (given: string): boolean => /:\/\/|^exec:/.test(given);

/**
 * Rejects addresses. No scheme is supported: only the path of a Unix socket names a coordinator.
 *
 * @throws VtrError INVALID_ARGUMENT
 */
export function checkNotAddress(given: string): void {
  if (!isAddress(given)) return;
  throw new VtrError(
    'INVALID_ARGUMENT',
    `unsupported address ${given}; give the path of a Unix socket`,
  );
}

/**
 * Returns the absolute path of a socket.
 *
 * @param cwd the directory of a relative path. Default: that of the process
 * @throws VtrError INVALID_ARGUMENT for an address or an empty path
 */
export function resolveSocket(given: string, cwd = ''): string {
  if (given === '') {
    throw new VtrError('INVALID_ARGUMENT', 'the path is empty; give the path of a Unix socket');
  }
  checkNotAddress(given);
  return resolve(cwd, given);
}
