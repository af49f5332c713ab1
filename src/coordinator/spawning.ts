import { randomUUID } from 'node:crypto';
import { checkSessionName, type SpawnRequest, VtrError } from '#model';
import type { Session, SessionFactory } from '#session';
import { inSession } from './in-session.ts';
import type { Registry } from './registry.ts';

/** Names that a message lists. */
const namesShown = 5;

/**
 * Makes a session and enters it. Its name is taken from the start, so of two that ask for the same
 * name at once one gets it; what cannot be made gives the name back.
 *
 * @throws VtrError as `Coordinator.spawn`
 */
export async function spawnSession(
  request: SpawnRequest,
  registry: Registry,
  factory: Pick<SessionFactory, 'spawn'>,
  maxSessions: number,
): Promise<Session> {
  const name = request.name === undefined ? registry.makeUpName() : checkSessionName(request.name);
  registry.reserve(name);
  try {
    return await inSession(name, async () => {
      checkRoom(registry, maxSessions);
      const session = await factory.spawn(request, { name, id: randomUUID() });
      registry.add(session);
      return session;
    });
  } catch (error) {
    registry.release(name);
    throw error;
  }
}

/** Sessions whose program has ended do not count; those that are being made do. */
function checkRoom(registry: Registry, maxSessions: number): void {
  const running = registry.list().filter(({ exitStatus }) => exitStatus === null);
  // Without the one that asks, which has its name already.
  const count = running.length + registry.reserved - 1;
  if (count < maxSessions) return;
  const names = running.map(({ name }) => name);
  const some = names.length > 0 ? `, e.g. ${names.slice(0, namesShown).join(', ')}` : '';
  throw new VtrError(
    'MAX_SESSIONS',
    `${count} of ${maxSessions} sessions run; end one${some}, or raise the limit`,
    { details: { maxSessions, sessions: names } },
  );
}
