import { existsSync } from 'node:fs';
import type { IsStuck } from '#app/client';
import { configuredSockets, expandHome, nameOfPlace, ownSocket, resolvePlace } from '#config';
import { type Coordinator, isAddress, VtrError } from '#model';
import { JsonCoordinator } from '#wire/service/short';
import type { Context } from '../context.ts';

/** A coordinator that may be running, as known before any call. */
export interface KnownCoordinator {
  /** Path of its socket, or its address. */
  readonly socket: string;
  /** As configured; else the socket's file name without `.sock`, or that of the host or container. */
  readonly name: string;
  /** The path or glob, or the address, in the configuration; null for the user's own. */
  readonly pattern: string | null;
}

/** Returns the user's own coordinator, then the configured ones, each once. */
export async function knownCoordinators(context: Context): Promise<KnownCoordinator[]> {
  const known = new Map<string, KnownCoordinator>();
  const own = await ownSocket(context);
  known.set(own, { socket: own, name: nameOfPlace(own), pattern: null });
  for (const each of configuredSockets(await context.config(), context)) {
    if (!known.has(each.socket)) known.set(each.socket, each);
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
  const isBack = (connectMs?: number) => isServed(context, { socket, pattern }, connectMs);
  return new JsonCoordinator(socket, {
    ...{ recover: isBack, isStuck: stuck(socket), version: context.version },
    // At an address, vtr connect has done so.
    ...(pattern === null && !isAddress(socket) && { start: () => isBack() }),
  });
};

/**
 * A client that repeats no call, for calls about the daemon itself.
 *
 * @param mayPrompt whether ssh may ask a person, where one can answer: one of several does not
 */
export const daemonClient = (
  socket: string,
  { version }: Pick<Context, 'version'>,
  mayPrompt = true,
) => new JsonCoordinator(socket, { isStuck: stuck(socket), mayPrompt, version });

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
  connectMs?: number,
): Promise<boolean> {
  const { isServedOrLeft, startIfLeft } = await import('#app/client');
  const attempt = connectMs === undefined ? {} : { connectMs };
  return (pattern === null ? startIfLeft : isServedOrLeft)(context, socket, attempt);
}

/** How the programs for a person's terminal reach a coordinator. */
export const linkOptions = (context: Context, known: KnownCoordinator) => ({
  name: known.name,
  socket: known.socket,
  isServed: () => isServed(context, known),
  ...(known.pattern === null && {
    startDaemon: async () => (await import('#app/client')).startDaemon(context, known.socket),
  }),
});

/**
 * Returns the named coordinator, or all known ones.
 *
 * @param named a path, an address or a name
 * @throws VtrError INVALID_ARGUMENT for an invalid address, an unknown name, or an ambiguous one
 */
export async function chosenCoordinators(
  context: Context,
  named: string | undefined,
): Promise<KnownCoordinator[]> {
  if (named !== undefined && (isAddress(named) || named.includes('/'))) {
    const socket = resolvePlace(expandHome(named, context), context.cwd);
    return [{ socket, name: nameOfPlace(socket), pattern: null }];
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
    if (pattern !== null || isAddress(socket) || existsSync(socket)) continue;
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
