import { VtrError } from '#model';
import type { Context } from './context.ts';
import type { KnownCoordinator } from './coordinators/known-coordinators.ts';
import { startDaemon } from './start-daemon.ts';

/**
 * Makes a call of a coordinator, and starts one where none runs; one of someone else's place is not
 * ours to start.
 *
 * @throws VtrError as the call, UNAVAILABLE
 */
export async function withDaemon<T>(
  context: Context,
  { socket, pattern }: KnownCoordinator,
  mayStart: boolean,
  call: () => Promise<T>,
): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const isMissing = error instanceof VtrError && missing.has(String(error.details['reason']));
    if (!isMissing || pattern !== null) throw error;
    if (!mayStart) throw new VtrError('UNAVAILABLE', `${error.message}; vtr serve --daemon`);
  }
  await startDaemon(context, socket);
  return call();
}

const missing = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTDIR']);
