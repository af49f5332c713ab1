import { afterEnding, callOrStart, isNotRunning, reachDaemon } from '#app/client';
import { shellQuoted } from '#base';
import { asVtrError, isAddress, type SpawnedSession, VtrError } from '#model';
import type { CommandRequest } from '#wire/service/short';
import { callerOf } from '../caller.ts';
import type { Context } from '../context.ts';
import { clientOf, type KnownCoordinator } from './known-coordinators.ts';

/**
 * Makes a call to a coordinator. Starts the user's own if needed, or one at an address, but no other one that
 * is configured.
 *
 * @throws VtrError as the call, UNAVAILABLE
 */
export async function withDaemon<T>(
  context: Context,
  { socket, pattern }: KnownCoordinator,
  mayStart: boolean,
  call: () => Promise<T>,
): Promise<T> {
  const isStarted = mayStart && (pattern === null || isAddress(socket));
  const first = () => (isStarted ? afterEnding(call) : call());
  try {
    return await callOrStart(first, async () => {
      if (!isStarted) return false;
      // A daemon that ends starts no other one: its caller does.
      context.inDaemon?.decline();
      return reachDaemon(context, socket, 'always');
    });
  } catch (error) {
    if (mayStart || pattern !== null || isAddress(socket) || !isNotRunning(error)) throw error;
    throw new VtrError(
      'UNAVAILABLE',
      `${asVtrError(error).message}; start it with vtr serve --daemon`,
    );
  }
}

interface SpawnOptions {
  readonly mayStart: boolean;
  /**
   * The name of the session if the request has none; if it is taken, with a number behind it. Default: the coordinator
   * generates one.
   */
  readonly derivedName?: string | null;
}

/** How many sessions of a derived name there may be. */
const maxNumber = 99;

/**
 * Spawns a session, and starts the coordinator if needed.
 *
 * @throws VtrError as `Coordinator.spawn`, UNAVAILABLE
 */
export async function spawnAt(
  context: Context,
  at: KnownCoordinator,
  request: CommandRequest,
  { mayStart, derivedName = null }: SpawnOptions,
): Promise<SpawnedSession> {
  const coordinator = clientOf(context, at);
  const ownRequest = { ...(await callerOf(context, at.socket)), ...request };
  const isDerived = request.name === undefined && derivedName !== null;
  for (let number = 1; ; number++) {
    const name = isDerived ? { name: numbered(derivedName, number) } : {};
    try {
      return await withDaemon(context, at, mayStart, () =>
        coordinator.spawn({ ...ownRequest, ...name }),
      );
    } catch (thrown) {
      const error = asVtrError(thrown);
      const isTaken = isDerived && error.code === 'SESSION_ALREADY_EXISTS';
      if (!isTaken || number === maxNumber) throw withWords(error, request);
    }
  }
}

/** Returns `api`, `api-2`, `api-3` and so on, none of them too long for a name. */
const numbered = (name: string, number: number): string =>
  number === 1 ? name : `${name.slice(0, 60)}-${number}`;

/** Explains how to write the words of a program that was given as one word. */
function withWords(error: VtrError, { program = '', args = [] }: CommandRequest): VtrError {
  const { code, message, details } = error;
  if (code !== 'PROGRAM_NOT_FOUND' || !/\s/.test(program) || args.length > 0) return error;
  const words = `-- ${program.trim()}`;
  const line = `--cmd ${shellQuoted(program)}`;
  return new VtrError(code, `${message}: ${words}\nor give a shell line: ${line}`, { details });
}
