import { randomUUID } from 'node:crypto';
import { ignored } from '#base';
import {
  checkInputId,
  checkSessionName,
  type ExitStatus,
  hungUp,
  InputIds,
  type Publication,
  type PublishRequest,
  type SessionInfo,
  type SessionRef,
  type Size,
  type SpawnRequest,
  VtrError,
} from '#model';
import type { CoordinatorFacts, FedSession, Session, SessionFactory } from '#session';
import { inSession, type Registered, type Registry } from '../registry.ts';

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
  return enter(request.name, registry, maxSessions, async (identity, own) => {
    const session = await factory.spawn(request, identity, own);
    return { session, result: session };
  });
}

/** A session for a request with `reuse`. */
export interface ReusedOrMade {
  readonly session: Session;
  readonly reused: boolean;
}

/**
 * Returns the running session of the requested name if it has the requested program, or makes one.
 * If several requests for a name are concurrent, the first makes the session and the others return it.
 *
 * @param forget removes an exited session that was replaced
 * @throws VtrError as `Coordinator.spawn`
 */
export async function reuseOrSpawn(
  request: SpawnRequest,
  registry: Registry,
  factory: Pick<SessionFactory, 'spawn' | 'programOf'>,
  maxSessions: number,
  forget: (session: Session) => void,
): Promise<ReusedOrMade> {
  const name = checkReuse(request);
  const program = await inSession({ name }, () => factory.programOf(request));
  for (;;) {
    const reservation = registry.reservation(name);
    const entry = registry.named(name);
    if (reservation !== null) await reservation;
    else if (entry !== null && 'live' in entry) await entry.live();
    else if (entry?.exitStatus === null) {
      checkSameProgram(entry, program, request.args ?? []);
      return { session: entry, reused: true };
    } else {
      const make = async (identity: Identity, own: CoordinatorFacts) => {
        // Programs that it left running may use resources that the new one needs, such as a port.
        await entry?.end({});
        const session = await factory.spawn(request, identity, own);
        return { session, result: session };
      };
      const session = await enter(name, registry, maxSessions, make, entry);
      // If it was renamed meanwhile, it stays.
      if (entry?.name === name) forget(entry);
      return { session, reused: false };
    }
  }
}

/** @throws VtrError INVALID_NAME, INVALID_ARGUMENT */
function checkReuse({ name, lease }: SpawnRequest): string {
  if (name === undefined) throw new VtrError('INVALID_ARGUMENT', 'reuse needs a session name');
  if (lease === undefined) return checkSessionName(name);
  throw new VtrError('INVALID_ARGUMENT', 'reuse and a lease cannot be used together');
}

/** @throws VtrError SESSION_ALREADY_EXISTS */
function checkSameProgram(session: Session, program: string, args: readonly string[]): void {
  const running = session.info();
  const requested = [program, ...args];
  const words = [running.program, ...running.args];
  const isSame =
    words.length === requested.length && words.every((word, at) => word === requested[at]);
  if (isSame && running.fedBy === undefined) return;
  const { name } = session;
  throw new VtrError(
    'SESSION_ALREADY_EXISTS',
    `session ${name} exists and runs ${words.join(' ')}, not ${requested.join(' ')}; choose another name, or remove it first`,
    { details: { name } },
  );
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
    const session = factory.publish(request, identity);
    return { session: session.session, result: session };
  });
}

/**
 * Makes a session and adds it to the registry. The name is reserved first, so of two concurrent
 * requests for the same name only one succeeds. It is freed if the session cannot be made.
 */
export async function enter<T>(
  text: string | undefined,
  registry: Registry,
  maxSessions: number,
  make: (
    identity: Identity,
    own: CoordinatorFacts,
  ) => Promise<{ readonly session: Session; readonly result: T }>,
  replaced: Registered | null = null,
): Promise<T> {
  const name = text === undefined ? registry.generateName() : checkSessionName(text);
  registry.reserve(name, replaced);
  try {
    return await inSession({ name }, async () => {
      checkRoom(registry, maxSessions);
      const order = registry.nextOrder();
      const own = { order, formerNames: [], usedAtMs: 0 };
      const { session, result } = await make({ name, id: randomUUID() }, own);
      registry.add(session, order);
      return result;
    });
  } catch (error) {
    registry.release(name);
    throw error;
  }
}

/** Checks the limit. Exited sessions do not count; sessions that are being made do. */
function checkRoom(registry: Registry, maxSessions: number): void {
  // Most often there is room even if all are running.
  if (registry.size + registry.reserved <= maxSessions) return;
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

/** The {@link Publication} of a session of this process. */
export class LocalPublication implements Publication {
  readonly session: SessionInfo;
  readonly #fed: FedSession;
  #last: Promise<unknown> = Promise.resolve();

  constructor(fed: FedSession, session: SessionInfo) {
    this.#fed = fed;
    this.session = session;
  }

  write(bytes: Uint8Array): Promise<void> {
    // Copied: the caller may reuse its array when this returns.
    const own = new Uint8Array(bytes);
    return this.#inOrder(() => this.#fed.write(own));
  }

  resize(size: Size): Promise<void> {
    return this.#inOrder(() => this.#fed.resize(size));
  }

  exit(status: ExitStatus): Promise<void> {
    return this.#inOrder(() => this.#fed.exit(status));
  }

  async close(): Promise<void> {
    await ignored(this.exit(hungUp), 'the session may have ended already');
  }

  #inOrder(step: () => Promise<void>): Promise<void> {
    const taken = this.#last.then(() => inSession(this.#fed.session, step));
    this.#last = ignored(taken, 'the caller gets the error');
    return taken;
  }
}

/** The most requests that are known. */
const maxKnown = 10_000;

interface Made {
  readonly session: Promise<SessionRef>;
  /** See `contentHash`; null if another coordinator did not save it. */
  readonly content: string | null;
}

/** The sessions of spawn requests by their ids, so that a repeat makes no other session. */
export class SpawnIds {
  readonly #spawns = new InputIds<Made>(maxKnown);

  /**
   * Returns the session that the same request made or is making; null if there was none.
   *
   * @param content a hash of the request
   * @throws VtrError INVALID_ARGUMENT; INPUT_ID_USED if the id has another request
   */
  find(inputId: string | undefined, content: () => string): Promise<SessionRef> | null {
    if (inputId === undefined) return null;
    return this.#spawns.find(checkInputId(inputId), content)?.session ?? null;
  }

  /** @param making the session; a request that fails is forgotten */
  add(
    inputId: string,
    content: string | null,
    making: Promise<{ readonly name: string; readonly id: string }>,
  ): void {
    const session = making.then(({ name, id }) => ({ name, id }));
    const spawn = { session, content };
    this.#spawns.add(inputId, spawn);
    session.catch(() => this.#spawns.delete(inputId, spawn));
  }
}
