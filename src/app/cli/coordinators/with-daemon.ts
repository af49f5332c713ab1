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
    return await callOrStart(
      first,
      async () => isStarted && reachDaemon(context, socket, 'always'),
    );
  } catch (error) {
    if (mayStart || pattern !== null || isAddress(socket) || !isNotRunning(error)) throw error;
    throw new VtrError(
      'UNAVAILABLE',
      `${asVtrError(error).message}; start it with vtr serve --daemon`,
    );
  }
}

/**
 * Spawns a session, and starts the coordinator if needed.
 *
 * @throws VtrError as `Coordinator.spawn`, UNAVAILABLE
 */
export async function spawnAt(
  context: Context,
  at: KnownCoordinator,
  request: CommandRequest,
  { mayStart }: { readonly mayStart: boolean },
): Promise<SpawnedSession> {
  const coordinator = clientOf(context, at);
  const asked = { ...(await callerOf(context, at.socket)), ...request };
  return withDaemon(context, at, mayStart, () => coordinator.spawn(asked)).catch((error) => {
    throw withWords(asVtrError(error), request);
  });
}

/** Explains how to write the words of a program that was given as one word. */
function withWords(error: VtrError, { program = '', args = [] }: CommandRequest): VtrError {
  const { code, message, details } = error;
  if (code !== 'PROGRAM_NOT_FOUND' || !/\s/.test(program) || args.length > 0) return error;
  const words = `-- ${program.trim()}`;
  const line = `--cmd ${shellQuoted(program)}`;
  return new VtrError(code, `${message}: ${words}\nor give a shell line: ${line}`, { details });
}
