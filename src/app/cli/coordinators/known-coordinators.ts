import { basename, resolve } from 'node:path';
import { checkNotAddress, expandHome, expandPath, ownSocket, resolveSocket } from '#config';
import { VtrError } from '#model';
import type { Context } from '../context.ts';

/** A coordinator that may be there: what is known before anyone is asked. */
export interface KnownCoordinator {
  readonly socket: string;
  /** The socket's file name without `.sock`. */
  readonly name: string;
  /** As the configuration writes it; null for the user's own. */
  readonly pattern: string | null;
}

/** The user's own coordinator, and then those of the configuration, each once. */
export async function knownCoordinators(context: Context): Promise<KnownCoordinator[]> {
  const known = new Map<string, KnownCoordinator>();
  const add = (socket: string, pattern: string | null) => {
    if (!known.has(socket)) known.set(socket, { socket, name: coordinatorName(socket), pattern });
  };
  add(await ownSocket(context), null);
  for (const pattern of (await context.config()).coordinators) {
    for (const socket of expandPath(expandHome(pattern, context))) add(resolve(socket), pattern);
  }
  return [...known.values()];
}

const coordinatorName = (socket: string): string => basename(socket, '.sock');

/**
 * The coordinators that a call is meant for: the one that is named, or all that are known.
 *
 * @param named a path, or a name; undefined when none was given
 * @throws VtrError INVALID_ARGUMENT
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
  return named === undefined ? known : [theOneNamed(named, known)];
}

/** @throws VtrError INVALID_ARGUMENT */
function theOneNamed(name: string, known: readonly KnownCoordinator[]): KnownCoordinator {
  const [found, ...more] = known.filter((each) => each.name === name);
  if (found === undefined) {
    const names = known.map((each) => each.name).join(', ');
    throw new VtrError(
      'INVALID_ARGUMENT',
      `no coordinator is named ${JSON.stringify(name)}; known are ${names} (vtr config resolve), ` +
        'or give the path of a socket',
    );
  }
  if (more.length === 0) return found;
  const sockets = [found, ...more].map(({ socket }) => `\n  --coordinator ${socket}`);
  throw new VtrError(
    'INVALID_ARGUMENT',
    `several coordinators are named ${name}; say which:${sockets.join('')}`,
  );
}
