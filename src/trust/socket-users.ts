import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  accessOf,
  type PathProblem,
  parentsProblem,
  type ThisUser,
  thisUser,
} from './path-owners.ts';

/**
 * Returns why a socket must not be used: another user listens there, or could. Null if it may be used, or
 * does not exist. The process that listens receives what is typed, and decides what is shown. The socket must belong
 * to this user, or be open to a group of this user (`socket_mode = "0660"`); root may use any. A link is
 * followed. See also {@link parentsProblem}. Takes some 5 µs for each part of the path.
 */
export function socketProblem(path: string, user: ThisUser = thisUser()): PathProblem | null {
  const stat = accessOf(path);
  const owner = stat?.uid ?? user.uid;
  const isOwn = owner === user.uid || user.uid === 0;
  if (stat !== null && !isOwn && !(isOpenToGroup(stat.mode) && user.groups.includes(stat.gid))) {
    const problem = `${path} belongs to user ${owner}`;
    const fix =
      'use a socket of your own; only root may use any, and members of its group if its mode is 660';
    return { problem, fix };
  }
  return parentsProblem(resolve(path), user, owner);
}

/** Write permission is what connect(2) needs. */
const isOpenToGroup = (mode: number): boolean => (mode & 0o022) === 0o020;

/** Why a socket is not used, for an error. */
export interface UntrustedSocket {
  readonly message: string;
  readonly details: { readonly socket: string; readonly reason: 'UNTRUSTED' };
}

/** Checks a socket before a connection. Returns null if it may be used. */
export function untrustedSocket(path: string): UntrustedSocket | null {
  const problem = socketProblem(path);
  if (problem === null) return null;
  const message = `did not connect to ${path}: ${problem.problem}; ${problem.fix}`;
  return { message, details: { socket: path, reason: 'UNTRUSTED' } };
}

/** The permission bits with which only the owner may connect. */
const privateBits = 0o077;

/**
 * Whether a process of a user may use a socket that this process serves. The kernel has checked the
 * permissions of the socket at the connection; this refuses others also if these were changed. A socket
 * that its owner opened to a group is left to the kernel, which knows all groups of a user.
 *
 * @param uid of the process that has connected; null if the system does not report it
 * @param mode permission bits with which the socket was made
 */
export function mayConnect(
  uid: number | null,
  mode: number,
  { uid: own }: ThisUser = thisUser(),
): boolean {
  if (uid === null || uid === own || uid === 0) return true;
  return (mode & privateBits) !== 0;
}

/** The ports of a `Socket` of Node.js. */
interface ConnectionPorts {
  readonly localPort?: number | undefined;
  readonly remotePort?: number | undefined;
}

/** Linux only: proc_net_tcp(5). They list the sockets of all users in this network namespace. */
const tables = ['/proc/net/tcp', '/proc/net/tcp6'];

/**
 * Returns the user of the process at the other end of a TCP connection; null if it is not known, such as on another
 * machine. Compares ports and not addresses: if several sockets have these ports, one of another user counts.
 */
export function loopbackUser(
  { localPort, remotePort }: ConnectionPorts,
  read: (table: string) => string = (table) => readFileSync(table, 'latin1'),
): number | null {
  if (localPort === undefined || remotePort === undefined) return null;
  const [ours, theirs] = [localPort, remotePort].map(inHex);
  const row = new RegExp(
    `^ *\\d+: [0-9A-F]+:${theirs} [0-9A-F]+:${ours} [0-9A-F]{2} \\S+ \\S+ \\S+ +(\\d+) `,
    'gm',
  );
  const uids = tables.flatMap((table) => {
    try {
      return [...read(table).matchAll(row)].map(([, uid]) => Number(uid));
    } catch {
      return [];
    }
  });
  const { uid: own } = thisUser();
  return uids.find((uid) => uid !== own && uid !== 0) ?? uids[0] ?? null;
}

const inHex = (port: number): string => port.toString(16).toUpperCase().padStart(4, '0');
