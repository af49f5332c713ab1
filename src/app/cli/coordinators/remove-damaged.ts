import { isNotRunning } from '#app/client';
import { checkNotAddress, stateDirectory } from '#config';
import { ioError, isVtrError, VtrError } from '#model';
import type { Context } from '../context.ts';
import { printJson, wantsJson } from '../output/printing.ts';
import { silentHostsText } from './daemon-status.ts';
import { daemonClient, ownWithSessions, toldSocket } from './known-coordinators.ts';

/**
 * Removes the saved sessions of the user's own coordinator that are damaged and not listed, and prints their
 * paths.
 *
 * @throws VtrError UNAVAILABLE if it is not known which sessions are listed; IO_ERROR
 */
export async function removeDamaged(
  context: Context,
  flags: { readonly json: boolean },
): Promise<undefined> {
  const socket = await toldSocket(context);
  checkNotAddress(socket, 'run vtr rm --damaged on that machine');
  // A daemon that was killed may have left sessions.
  await ownWithSessions(context);
  // Most calls do not need the daemon's code.
  const { removeDamagedSessions } = await import('#app/daemon');
  const readIds = () => heldSessions(context, socket);
  const clearing = removeDamagedSessions(context, socket, readIds);
  const { removed, unread } = await clearing.catch((error: unknown) => {
    if (isVtrError(error)) throw error;
    throw ioError(stateDirectory(context, socket), 'removed', error);
  });
  if (await wantsJson(context, flags)) printJson(context, { removed });
  else for (const path of removed) context.out(`${path}\n`);
  const [first] = unread;
  if (first !== undefined) {
    throw new VtrError(
      'IO_ERROR',
      `${first.path} cannot be read, and may be damaged: ${first.reason}`,
    );
  }
  if (removed.length === 0) context.say('no saved session is damaged');
  return undefined;
}

/** Returns the ids of the sessions of the daemon. @throws VtrError UNAVAILABLE if they are not known */
async function heldSessions(context: Context, socket: string): Promise<ReadonlySet<string>> {
  const daemon = daemonClient(socket, context);
  const pid = await daemon.daemon().then(
    (described) => described.pid,
    (error) => {
      if (isNotRunning(error)) return null;
      throw error;
    },
  );
  const { checkSavedSessions } = await import('#app/daemon');
  const { owner } = checkSavedSessions(context, socket);
  if (owner !== null && owner !== pid) {
    const directory = stateDirectory(context, socket);
    throw new VtrError('UNAVAILABLE', `process ${owner} uses ${directory}; end it first`);
  }
  if (pid === null) return new Set();
  const { sessions, silentHosts } = await daemon.listWithSilentHosts({});
  if (silentHosts > 0) throw new VtrError('UNAVAILABLE', silentHostsText(silentHosts));
  return new Set(sessions.map(({ id }) => id));
}
