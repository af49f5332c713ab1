import { basename, resolve } from 'node:path';
import { isAddress, nameOfAddress, parseAddress, printAddress, VtrError } from '#model';

/**
 * Rejects addresses where a socket of this machine is needed, or a name.
 *
 * @param instead what to do
 * @throws VtrError INVALID_ARGUMENT
 */
export function checkNotAddress(given: string, instead = 'give the path of a Unix socket'): void {
  if (!isAddress(given)) return;
  throw new VtrError('INVALID_ARGUMENT', `an address cannot be used here: ${given}; ${instead}`);
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

/**
 * Returns where a coordinator is: the absolute path of its socket, or its address in the one form that it
 * has.
 *
 * @throws VtrError INVALID_ARGUMENT
 */
export const resolvePlace = (given: string, cwd = ''): string =>
  isAddress(given) ? printAddress(parseAddress(given)) : resolveSocket(given, cwd);

/** Returns the name of a coordinator that has none in the configuration: its socket's without `.sock`. */
export const nameOfPlace = (place: string): string =>
  isAddress(place) ? nameOfAddress(parseAddress(place)) : basename(place, '.sock');
