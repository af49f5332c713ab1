import { constants, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makeDirectory } from './directories.ts';
import { absolute, homeOf, type UserEnvironment } from './user-environment.ts';

/** Sockets of PTY hosts are next to the daemon's: `<socket>.<8 hex digits>.ptyd`. */
const hostName = /^\.[0-9a-f]{8}\.ptyd$/;

/** Returns the sockets of the PTY hosts of a daemon. Their processes may be gone. */
export function ptyHostSockets(socket: string): string[] {
  const directory = dirname(socket);
  const name = basename(socket);
  return namesIn(directory)
    .filter((each) => each.startsWith(name) && hostName.test(each.slice(name.length)))
    .map((each) => join(directory, each));
}

/** Returns a new path each time: the socket of a host that was killed can be left. */
export function newPtyHostSocket(socket: string): string {
  const number = Math.floor(Math.random() * 2 ** 32);
  return `${socket}.${number.toString(16).padStart(8, '0')}.ptyd`;
}

/**
 * Returns the directory in which a daemon saves its sessions. It is named by the path of the socket,
 * which has no `//`.
 */
export function stateDirectory(user: UserEnvironment, socket: string): string {
  const base = absolute(user.env['XDG_STATE_HOME']) ?? join(homeOf(user), '.local/state');
  return join(base, 'vtr', socket.replaceAll('!', '!!').replaceAll('/', '!'));
}

/** Whether sessions are saved for a daemon: each has a directory, named by its id. */
export const hasSavedSessions = (user: UserEnvironment, socket: string): boolean =>
  entriesIn(stateDirectory(user, socket)).some(
    (entry) => entry.isDirectory() && !entry.name.includes('.'),
  );

/** The flags of a daemon that was killed, for the next one. */
const flagsFileOf = (socket: string): string => `${socket}.flags`;

/**
 * Writes the flags with which a daemon was started, unless there are none.
 *
 * @returns removes the file
 */
export function writeFlags(socket: string, flags: readonly string[]): () => void {
  const file = flagsFileOf(socket);
  const remove = () => rmSync(file, { force: true });
  remove();
  if (flags.length > 0) writeFileSync(file, JSON.stringify(flags), { mode: 0o600, flag: 'wx' });
  return remove;
}

/** Returns the flags that the last daemon wrote; none if it ended in an orderly way. */
export function readFlags(socket: string): readonly string[] {
  try {
    const flags: unknown = JSON.parse(readFileSync(flagsFileOf(socket), 'utf8'));
    return Array.isArray(flags) ? flags.filter((flag) => typeof flag === 'string') : [];
  } catch {
    return [];
  }
}

/** Returns the log of a daemon without a terminal, and of its PTY host. */
export const logFileOf = (socket: string): string => `${socket.replace(/\.sock$/, '')}.log`;

/** Returns a file descriptor for appending, or null if the log cannot be opened. */
export function openLog(file: string): number | null {
  try {
    makeDirectory(dirname(file));
    const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
    return openSync(file, O_APPEND | O_CREAT | O_NOFOLLOW | O_WRONLY, 0o600);
  } catch {
    return null;
  }
}

function namesIn(directory: string): string[] {
  return entriesIn(directory).map(({ name }) => name);
}

function entriesIn(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}
