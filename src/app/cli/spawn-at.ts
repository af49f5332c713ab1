import { type SessionInfo, VtrError } from '#model';
import { type CommandRequest, JsonCoordinator } from '#wire/json';
import type { Context } from './context.ts';
import type { KnownCoordinator } from './coordinators.ts';
import { startDaemon } from './start-daemon.ts';

/**
 * Spawns a session, and starts a coordinator where none runs; one of someone else's place is not ours
 * to start.
 *
 * @throws VtrError as `Coordinator.spawn`, UNAVAILABLE
 */
export async function spawnAt(
  context: Context,
  { socket, pattern }: KnownCoordinator,
  request: CommandRequest,
  mayStart: boolean,
): Promise<SessionInfo> {
  const coordinator = new JsonCoordinator(socket);
  try {
    return await coordinator.spawn(request);
  } catch (error) {
    const isMissing = error instanceof VtrError && missing.has(String(error.details['reason']));
    if (!isMissing || pattern !== null) throw error;
    if (!mayStart) throw new VtrError('UNAVAILABLE', `${error.message}; vtr serve --daemon`);
  }
  await startDaemon(context, socket);
  return coordinator.spawn(request);
}

const missing = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTDIR']);
