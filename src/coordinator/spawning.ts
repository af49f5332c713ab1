import { randomUUID } from 'node:crypto';
import { checkSessionName, type SpawnRequest, VtrError } from '#model';
import type { Session, SessionFactory } from '#session';
import type { Registry } from './registry.ts';

/**
 * Makes a session and enters it. Its name is taken from the start, so of two that ask for the same
 * name at once one gets it; what cannot be made gives the name back.
 *
 * @throws VtrError as `Coordinator.spawn`
 */
export async function spawnSession(
  request: SpawnRequest,
  registry: Registry,
  factory: SessionFactory,
  maxSessions: number,
): Promise<Session> {
  const name = request.name === undefined ? registry.makeUpName() : checkSessionName(request.name);
  registry.reserve(name);
  try {
    checkRoom(registry, maxSessions);
    const session = await factory.spawn(request, { name, id: randomUUID() });
    registry.add(session);
    return session;
  } catch (error) {
    registry.release(name);
    throw error;
  }
}

/** Sessions whose program has ended do not count. */
function checkRoom(registry: Registry, maxSessions: number): void {
  const running = registry.list().filter(({ exitStatus }) => exitStatus === null);
  // The one that is being made is among those reserved.
  if (running.length + registry.reserved <= maxSessions) return;
  const names = running.map(({ name }) => name);
  throw new VtrError(
    'MAX_SESSIONS',
    `${names.length} of ${maxSessions} sessions run; end one (${names.slice(0, 5).join(', ')}) or raise the limit`,
    { details: { maxSessions, sessions: names } },
  );
}
