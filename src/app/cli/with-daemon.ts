import { callOrStart, isNotRunning, startDaemon } from '#app/client';
import { VtrError } from '#model';
import type { Context } from './context.ts';
import type { KnownCoordinator } from './coordinators/known-coordinators.ts';

/**
 * Makes a call to a coordinator. Starts the user's own if needed; those of the configuration are not
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
  const isOwn = pattern === null;
  try {
    return await callOrStart(call, mayStart && isOwn ? () => startDaemon(context, socket) : null);
  } catch (error) {
    if (mayStart || !isOwn || !isNotRunning(error)) throw error;
    throw new VtrError('UNAVAILABLE', `${error.message}; vtr serve --daemon`);
  }
}
