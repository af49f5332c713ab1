import { accessSync, constants, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { absolute, homeOf, type Place } from './places.ts';
import { resolveSocket } from './socket-path.ts';

interface System {
  readonly uid: number;
  /** Where root's daemons have their sockets. */
  readonly runFolder: string;
  /** Where the system keeps a folder for each user that is logged in. */
  readonly userFolders: string;
}

const thisSystem = (): System => ({
  uid: process.getuid?.() ?? 0,
  runFolder: '/var/run',
  userFolders: '/run/user',
});

/**
 * The socket of the user's coordinator. One user must arrive at one socket with and without
 * XDG_RUNTIME_DIR, because programs are started with cut environments; hence `/run/user/<uid>`.
 *
 * @throws VtrError INVALID_ARGUMENT if VTR_SOCKET is an address
 */
export function defaultSocket(place: Place, system = thisSystem()): string {
  const { env } = place;
  if (env['VTR_SOCKET']) return resolveSocket(env['VTR_SOCKET']);
  if (system.uid === 0 && isWritable(system.runFolder)) return join(system.runFolder, 'vtr.sock');
  const runtime = absolute(env['XDG_RUNTIME_DIR']) ?? userFolder(system);
  if (runtime !== undefined) return join(runtime, 'vtr/default.sock');
  return join(homeOf(place), '.vtr/default.sock');
}

function userFolder({ userFolders, uid }: System): string | undefined {
  const folder = join(userFolders, String(uid));
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  return stat?.isDirectory() && stat.uid === uid ? folder : undefined;
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
