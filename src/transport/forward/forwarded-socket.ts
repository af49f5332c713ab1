import { lstatSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { homeOf, ownHome, type UserEnvironment } from '#config';
import { type Address, parseAddress } from '#model';
import { isOwn } from '#trust';
import { sshConfigStamp } from './ssh-config-stamp.ts';

/**
 * For how long a socket is used, in ms. A later call connects as if there were none, and so finds out where
 * the coordinator listens now.
 */
const periodMs = 60 * 60_000;
/** For how long no forward is tried again where one failed, in ms. */
const refusedMs = 10 * 60_000;

/** The longest path of a socket on macOS, in bytes, with the zero at its end. */
const maxPathBytes = 104;

/** What ssh takes literally in a forward, and does not split. */
const literal = /^[\w./@,+-]+$/;

/** The directory in which ssh has sockets for a user. */
export const sshDirectory = (user: UserEnvironment): string => join(ownHome(user), '.vtr/ssh');

/** Whether a path can be one end of a forward. */
export const canForward = (path: string): boolean =>
  path.startsWith('/') && literal.test(path) && Buffer.byteLength(path) < maxPathBytes;

/**
 * Returns the path of the socket here that ssh may forward to the coordinator of an address. It changes with
 * time, and with the user's configuration of ssh, which says where an address leads.
 *
 * @returns null if none can be
 */
export function forwardedPath(address: Address, user: UserEnvironment): string | null {
  if (address.kind !== 'ssh') return null;
  const { user: login = '', host, port = '', socket = '' } = address;
  if (/[+,]/.test(socket)) return null;
  const parts = [login, host, port, socket.replaceAll('/', '+')];
  const config = sshConfigStamp(homeOf(user));
  if (config === null) return null;
  const stamp = [Date.now() / periodMs, config].map(base36).join('-');
  const path = join(sshDirectory(user), `${parts.join(',')},${stamp}.sock`);
  return canForward(path) ? path : null;
}

/** Returns the socket at {@link forwardedPath}; null if there is none. */
export function forwardedSocket(address: string, user: UserEnvironment): string | null {
  const path = forwardedPath(parseAddress(address), user);
  return path !== null && stateOf(path) === 'socket' ? path : null;
}

/** What is at a {@link forwardedPath}: a socket, a file that says that a forward failed lately, or neither. */
export function stateOf(path: string): 'socket' | 'refused' | 'none' {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || !isOwn(found)) return 'none';
  if (found.isSocket()) return 'socket';
  return Date.now() - found.mtimeMs < refusedMs ? 'refused' : 'none';
}

/**
 * Removes a socket that led to no coordinator. Does not fail: the call that used it may have succeeded otherwise.
 *
 * @param isRefused whether ssh listened there: then the other side does not forward, or no coordinator ran
 */
export function forgetForward(path: string, isRefused: boolean): void {
  try {
    rmSync(path, { force: true });
    if (isRefused) writeFileSync(path, '');
  } catch {
    // The next call finds it again.
  }
}

const base36 = (value: number): string => Math.floor(value).toString(36);
