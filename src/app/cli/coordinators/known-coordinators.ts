import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import type { IsStuck } from '#app/client';
import { checkNotAddress, configuredSockets, expandHome, ownSocket, resolveSocket } from '#config';
import { type Coordinator, VtrError } from '#model';
import { JsonCoordinator } from '#wire/service/short';
import type { Context } from '../context.ts';

/** A coordinator that may be running, as known before any call. */
export interface KnownCoordinator {
  readonly socket: string;
  /** The socket's file name without `.sock`. */
  readonly name: string;
  /** The path or glob in the configuration; null for the user's own. */
  readonly pattern: string | null;
}

/** Returns the user's own coordinator, then the configured ones, each once. */
export async function knownCoordinators(context: Context): Promise<KnownCoordinator[]> {
  const known = new Map<string, KnownCoordinator>();
  const add = (socket: string, pattern: string | null) => {
    if (!known.has(socket)) known.set(socket, { socket, name: coordinatorName(socket), pattern });
  };
  add(await ownSocket(context), null);
  for (const { socket, pattern } of configuredSockets(await context.config(), context)) {
    add(socket, pattern);
  }
  return [...known.values()];
}

/**
 * Returns a client whose calls survive a restart of the coordinator. The first call starts the user's
 * own if sessions are left without one. Of a configured one, another process has to start it.
 */
export const clientOf = (
  context: Context,
  { socket, pattern }: Pick<KnownCoordinator, 'socket' | 'pattern'>,
): JsonCoordinator => {
  const isBack = () => isServed(context, { socket, pattern });
  return new JsonCoordinator(socket, {
    ...{ recover: isBack, isStuck: stuck(socket), version: context.version },
    ...(pattern === null && { start: isBack }),
  });
};

/** A client that repeats no call, for calls about the daemon itself. */
export const daemonClient = (socket: string, { version }: Pick<Context, 'version'>) =>
  new JsonCoordinator(socket, { isStuck: stuck(socket), version });

/** Opens a connection, for calls that stream. @throws VtrError UNAVAILABLE */
export async function connectTo(socket: string): Promise<Coordinator> {
  const { connect } = await import('#wire/service');
  return connect({ socket, client: 'cli', isStuck: stuck(socket) });
}

/** Loaded only if the daemon does not answer. */
const stuck =
  (socket: string): IsStuck =>
  async (...probe) =>
    (await import('#app/client')).daemonStuck(socket)(...probe);

/** Whether a coordinator answers, or will; starts the daemon of the user's own if sessions are left. */
async function isServed(
  context: Context,
  { socket, pattern }: Pick<KnownCoordinator, 'socket' | 'pattern'>,
): Promise<boolean> {
  const { isServedOrLeft, startIfLeft } = await import('#app/client');
  return pattern === null ? startIfLeft(context, socket) : isServedOrLeft(context, socket);
}

/** How the programs for a person's terminal reach a coordinator. */
export const linkOptions = (context: Context, known: KnownCoordinator) => ({
  name: known.name,
  socket: known.socket,
  isServed: () => isServed(context, known),
  isStuck: stuck(known.socket),
  ...(known.pattern === null && {
    startDaemon: async () => (await import('#app/client')).startDaemon(context, known.socket),
  }),
});

const coordinatorName = (socket: string): string => basename(socket, '.sock');

/**
 * Returns the named coordinator, or all known ones.
 *
 * @param named a path or a name
 * @throws VtrError INVALID_ARGUMENT for an address, an unknown name, or an ambiguous one
 */
export async function chosenCoordinators(
  context: Context,
  named: string | undefined,
): Promise<KnownCoordinator[]> {
  if (named !== undefined) checkNotAddress(named);
  if (named?.includes('/')) {
    const socket = resolveSocket(expandHome(named, context), context.cwd);
    return [{ socket, name: coordinatorName(socket), pattern: null }];
  }
  const known = await knownCoordinators(context);
  return named === undefined ? known : [coordinatorNamed(named, known)];
}

/**
 * As {@link chosenCoordinators}, for calls about sessions that exist. Starts the user's own coordinator
 * if it has no socket and sessions are left without one. If it was killed, the first call finds out: a
 * connection only to see that it runs would take a tenth of a short command.
 *
 * @throws VtrError as the start of a daemon
 */
export async function coordinatorsWithSessions(
  context: Context,
  named: string | undefined,
): Promise<KnownCoordinator[]> {
  const chosen = await chosenCoordinators(context, named);
  for (const { socket, pattern } of chosen) {
    if (pattern !== null || existsSync(socket)) continue;
    // Loads what most commands do not need.
    const { startIfLeft } = await import('#app/client');
    await startIfLeft(context, socket);
  }
  return chosen;
}

/** @throws VtrError INVALID_ARGUMENT */
function coordinatorNamed(name: string, known: readonly KnownCoordinator[]): KnownCoordinator {
  const [found, ...more] = known.filter((each) => each.name === name);
  if (found === undefined) {
    const names = known.map((each) => each.name).join(', ');
    throw new VtrError(
      'INVALID_ARGUMENT',
      `unknown coordinator ${JSON.stringify(name)}; use ${names} or the path of a socket`,
    );
  }
  if (more.length === 0) return found;
  const sockets = [found, ...more].map(({ socket }) => `\n  --coordinator ${socket}`);
  throw new VtrError(
    'INVALID_ARGUMENT',
    `${more.length + 1} coordinators are named ${name}; choose one:${sockets.join('')}`,
  );
}
