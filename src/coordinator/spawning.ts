import { randomUUID } from 'node:crypto';
import { checkSessionName, type PublishRequest, type SpawnRequest, VtrError } from '#model';
import type { FedSession, Session, SessionFactory } from '#session';
import { inSession } from './in-session.ts';
import type { Registry } from './registry.ts';

/** Names that a message lists. */
const namesShown = 5;

/** What a session is known by. */
interface Identity {
  readonly name: string;
  readonly id: string;
}

/**
 * Starts a program in a session, and enters it.
 *
 * @throws VtrError as `Coordinator.spawn`
 */
export function spawnSession(
  request: SpawnRequest,
  registry: Registry,
  factory: Pick<SessionFactory, 'spawn'>,
  maxSessions: number,
): Promise<Session> {
  return enter(request.name, registry, maxSessions, async (identity) => {
    const session = await factory.spawn(request, identity);
    return { session, made: session };
  });
}

/**
 * Makes a session that somebody feeds, and enters it.
 *
 * @throws VtrError as `Coordinator.publish`
 */
export function publishSession(
  request: PublishRequest,
  registry: Registry,
  factory: Pick<SessionFactory, 'publish'>,
  maxSessions: number,
): Promise<FedSession> {
  return enter(request.name, registry, maxSessions, async (identity) => {
    const made = factory.publish(request, identity);
    return { session: made.session, made };
  });
}

/**
 * A session's name is taken from the start, so of two that ask for the same name at once one gets
 * it; what cannot be made gives the name back.
 */
async function enter<T>(
  given: string | undefined,
  registry: Registry,
  maxSessions: number,
  make: (identity: Identity) => Promise<{ readonly session: Session; readonly made: T }>,
): Promise<T> {
  const name = given === undefined ? registry.makeUpName() : checkSessionName(given);
  registry.reserve(name);
  try {
    return await inSession(name, async () => {
      checkRoom(registry, maxSessions);
      const { session, made } = await make({ name, id: randomUUID() });
      registry.add(session);
      return made;
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
