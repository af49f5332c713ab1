import { basename, resolve } from 'node:path';
import {
  canonicalAddress,
  isAddress,
  isSelector,
  nameOfAddress,
  parseAddress,
  VtrError,
} from '#model';

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
 * has; of a selector, where several are.
 *
 * @throws VtrError INVALID_ARGUMENT
 */
export const resolvePlace = (given: string, cwd = ''): string =>
  isAddress(given) ? canonicalAddress(given) : resolveSocket(given, cwd);

/**
 * Returns the name of a coordinator that has none in the configuration: its socket's without `.sock`. A selector
 * has no other name than itself.
 */
export function nameOfPlace(place: string): string {
  if (isSelector(place)) return place;
  return isAddress(place) ? nameOfAddress(parseAddress(place)) : basename(place, '.sock');
}
