import type { SessionInfo } from '#model';
import { type CommandRequest, JsonCoordinator } from '#wire/service/short';
import type { Context } from '../context.ts';
import { withDaemon } from '../with-daemon.ts';
import type { KnownCoordinator } from './known-coordinators.ts';

/**
 * Spawns a session, and starts the coordinator if needed.
 *
 * @throws VtrError as `Coordinator.spawn`, UNAVAILABLE
 */
export function spawnAt(
  context: Context,
  at: KnownCoordinator,
  request: CommandRequest,
  mayStart: boolean,
): Promise<SessionInfo> {
  const coordinator = new JsonCoordinator(at.socket);
  return withDaemon(context, at, mayStart, () => coordinator.spawn(request));
}
