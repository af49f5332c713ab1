import { VtrError } from '#model';
import { untrustedSocket } from '#trust';

/**
 * Checks before a connection whose socket it is.
 *
 * @throws VtrError UNAVAILABLE, with the reason UNTRUSTED
 */
export function checkSocket(path: string): void {
  const untrusted = untrustedSocket(path);
  if (untrusted === null) return;
  const { message, details } = untrusted;
  throw new VtrError('UNAVAILABLE', message, { details });
}
