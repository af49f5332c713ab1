import type { SessionInfo } from '#model';
import { type CommandRequest, JsonCoordinator } from '#wire/service/short';
import type { Context } from '../context.ts';
import { withDaemon } from '../with-daemon.ts';
import type { KnownCoordinator } from './known-coordinators.ts';

/**
 * Spawns a session, and starts a coordinator where none runs.
 *
 * @throws VtrError as `Coordinator.spawn`, UNAVAILABLE
 */
export function spawnAt(
  context: Context,
  place: KnownCoordinator,
  request: CommandRequest,
  mayStart: boolean,
): Promise<SessionInfo> {
  const coordinator = new JsonCoordinator(place.socket);
  return withDaemon(context, place, mayStart, () => coordinator.spawn(request));
}
