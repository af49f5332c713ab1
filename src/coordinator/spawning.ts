import { randomUUID } from 'node:crypto';
import { checkSessionName, type PublishRequest, type SpawnRequest, VtrError } from '#model';
import type { FedSession, Session, SessionFactory } from '#session';
import { inSession } from './in-session.ts';
import type { Registry } from './registry.ts';

/** How many names a message lists. */
const namesShown = 5;

interface Identity {
  readonly name: string;
  readonly id: string;
}

/**
 * Starts a program in a session and adds it to the registry.
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
 * Makes a published session and adds it to the registry.
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
 * Makes a session and adds it to the registry. The name is reserved first, so of two concurrent
 * requests for the same name only one succeeds. It is freed if the session cannot be made.
 */
async function enter<T>(
  given: string | undefined,
  registry: Registry,
  maxSessions: number,
  make: (identity: Identity) => Promise<{ readonly session: Session; readonly made: T }>,
): Promise<T> {
  const name = given === undefined ? registry.generateName() : checkSessionName(given);
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

/** Checks the limit. Exited sessions do not count; sessions that are being made do. */
function checkRoom(registry: Registry, maxSessions: number): void {
  const running = registry.list().filter(({ exitStatus }) => exitStatus === null);
  // Without the new session, whose name is reserved already.
  const count = running.length + registry.reserved - 1;
  if (count < maxSessions) return;
  const names = running.map(({ name }) => name);
  const some = names.length > 0 ? `, e.g. ${names.slice(0, namesShown).join(', ')}` : '';
  throw new VtrError(
    'MAX_SESSIONS',
    `${count} sessions are running, and the limit is ${maxSessions}; end one${some}, or raise the limit`,
    { details: { maxSessions, sessions: names } },
  );
}
