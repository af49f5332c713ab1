import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { quoted, withoutControls, wordOrQuoted } from '#base';
import {
  canonicalAddress,
  ioError,
  isAddress,
  isSelector,
  nameOfAddress,
  parseAddress,
  VtrError,
} from '#model';
import { parentsProblem, thisUser } from '#trust';
import { readServerConfig } from './server-config.ts';
import {
  absolute,
  configDirectory,
  expandHome,
  ownHome,
  type UserEnvironment,
  unusedPlaces,
} from './user-environment.ts';

/**
 * sockaddr_un has 104 bytes for the path on macOS and 108 on Linux, with a final NUL. Node truncates
 * longer paths silently and binds another name.
 */
const maxSocketPathBytes = 103;

/**
 * Returns the place of the user's own coordinator: VTR_SOCKET, which may be an address, else `socket_path`
 * of `server.toml`, else the default.
 *
 * @throws VtrError INVALID_ARGUMENT for an invalid `server.toml` or VTR_SOCKET
 */
export async function ownSocket(user: UserEnvironment): Promise<string> {
  if (user.env['VTR_SOCKET']) return defaultSocket(user);
  const { socketPath } = await readServerConfig(user);
  return socketPath === null ? defaultSocket(user) : checkSocketPath(socketPath);
}

/**
 * As {@link ownSocket}, for what is on this machine only: the daemon's files and processes. Without an
 * address in VTR_SOCKET.
 *
 * @throws VtrError INVALID_ARGUMENT for an invalid `server.toml`
 */
export const ownLocalSocket = ({ env }: UserEnvironment): Promise<string> =>
  ownSocket({ env: isAddress(env['VTR_SOCKET'] ?? '') ? { ...env, VTR_SOCKET: undefined } : env });

/**
 * Returns the path that {@link ownSocket} returns, for a process that is to load little code; null where that takes
 * more, such as an address or a `server.toml` that may name a socket.
 */
export function plainSocket(user: UserEnvironment): string | null {
  const named = user.env['VTR_SOCKET'];
  try {
    if (named) return named.startsWith('/') && !isAddress(named) ? shortPath(resolve(named)) : null;
    return mayNameSocket(user) ? null : shortPath(socketByDefault(user, thisSystem()));
  } catch {
    return null;
  }
}

const shortPath = (path: string): string | null =>
  Buffer.byteLength(path) <= maxSocketPathBytes ? path : null;

/** A key may be written with escapes. @throws Error of the system */
function mayNameSocket(user: UserEnvironment): boolean {
  const file = join(configDirectory(user), 'server.toml');
  return existsSync(file) && /socket|\\/.test(readFileSync(file, 'utf8'));
}

interface System {
  readonly uid: number;
  /** The directory of the sockets of root's daemons. */
  readonly runDirectory: string;
  /** Where the system has a directory for each user who is logged in. */
  readonly userDirectories: string;
}

const thisSystem = (): System => ({
  uid: thisUser().uid,
  runDirectory: '/var/run',
  userDirectories: '/run/user',
});

/**
 * Returns the socket that is used if no configuration file names one. It is in the first of these: XDG_RUNTIME_DIR
 * if that is private; /var/run for root; the user's directory of the system; the home directory.
 *
 * A user must get the same socket with and without XDG_RUNTIME_DIR, because programs are started with reduced
 * environments. Therefore root never uses `/run/user/<uid>`, and other users find it without the variable.
 *
 * @throws VtrError INVALID_ARGUMENT if VTR_SOCKET is not valid, or the path is too long; IO_ERROR
 */
export function defaultSocket(user: UserEnvironment, system = thisSystem()): string {
  const { env } = user;
  return env['VTR_SOCKET']
    ? placeInVariable(env['VTR_SOCKET'], user)
    : checkSocketPath(socketByDefault(user, system));
}

function socketByDefault(user: UserEnvironment, system: System): string {
  const { env } = user;
  const { uid, runDirectory } = system;
  const chosen = absolute(env['XDG_RUNTIME_DIR']);
  const isChosen = chosen !== undefined && sharedProblem(chosen, uid) === null;
  const isRoot = uid === 0 && isWritable(runDirectory);
  if (isChosen && !(isRoot && chosen === userDirectory(system))) return socketIn(chosen);
  if (isRoot) return join(runDirectory, 'vtr.sock');
  const own = userDirectory(system);
  return existsSync(own) && sharedProblem(own, uid) === null
    ? socketIn(own)
    : join(ownHome(user), '.vtr/default.sock');
}

/** Returns the place that VTR_SOCKET names. No shell expands `~` in a file of variables. @throws VtrError INVALID_ARGUMENT */
function placeInVariable(text: string, user: UserEnvironment): string {
  const refuse = (why: string) => {
    throw new VtrError('INVALID_ARGUMENT', `VTR_SOCKET ${why}`);
  };
  const shown = wordOrQuoted(text);
  if (isSelector(text))
    refuse(
      `names one coordinator, and ${shown} may select several; use --coordinator or vtr config add`,
    );
  // It may be meant as a name in config.toml; as a path, it would be another socket in each directory.
  if (!isAddress(text) && !text.includes('/'))
    refuse(`is ${shown}; give an absolute path, an address such as ssh://HOST, or ./${shown}`);
  return resolvePlace(expandHome(text, user));
}

const socketIn = (runtime: string): string => join(runtime, 'vtr/default.sock');

const userDirectory = ({ userDirectories, uid }: System): string =>
  join(userDirectories, String(uid));

/**
 * Returns why the socket and the files of this user are not where the environment says, a line for each
 * variable. Every command that uses the user's own coordinator prints them as warnings.
 */
export function unusedDirectories(user: UserEnvironment): string[] {
  const { env } = user;
  const chosen = env['VTR_SOCKET'] ? undefined : absolute(env['XDG_RUNTIME_DIR']);
  const problem = chosen === undefined ? null : sharedProblem(chosen, thisUser().uid);
  const runtime = problem === null ? [] : [`XDG_RUNTIME_DIR is not used: ${problem}`];
  return [...runtime, ...unusedPlaces(user)];
}

/**
 * Returns why another user can make files in a directory, or replace it; null if none can. One that does not
 * exist will be made, with access for the user alone.
 */
function sharedProblem(directory: string, uid: number): string | null {
  try {
    const stat = statSync(directory, { throwIfNoEntry: false });
    if (stat === undefined) return sharedProblem(dirname(directory), uid);
    if (!stat.isDirectory()) return `${directory} is not a directory`;
    if (stat.uid !== uid) return `${directory} belongs to user ${stat.uid}`;
    if ((stat.mode & 0o022) !== 0) return `other users can write to ${directory}`;
    return parentsProblem(directory)?.problem ?? null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES') return `a directory above ${directory} may not be entered`;
    throw ioError(directory, 'read', error);
  }
}

function isWritable(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns `path` if a socket can have it.
 *
 * @throws VtrError INVALID_ARGUMENT for a path over 103 bytes, or with a control character
 */
export function checkSocketPath(path: string): string {
  const bytes = Buffer.byteLength(path);
  if (withoutControls(path) !== path || /[\t\n]/.test(path)) {
    throw new VtrError(
      'INVALID_ARGUMENT',
      `the socket path ${quoted(path)} contains a control character`,
    );
  }
  if (bytes <= maxSocketPathBytes) return path;
  throw new VtrError(
    'INVALID_ARGUMENT',
    `the socket path has ${bytes} bytes, over the limit of ${maxSocketPathBytes}: ` +
      `${wordOrQuoted(path)}; choose a shorter one with --socket or VTR_SOCKET`,
    { details: { bytes, maxBytes: maxSocketPathBytes } },
  );
}

/**
 * Rejects addresses where a socket of this machine is needed, or a name.
 *
 * @param instead what to do
 * @throws VtrError INVALID_ARGUMENT
 */
export function checkNotAddress(text: string, instead = 'give the path of a Unix socket'): void {
  if (!isAddress(text)) return;
  throw new VtrError(
    'INVALID_ARGUMENT',
    `an address cannot be used here: ${wordOrQuoted(text)}; ${instead}`,
  );
}

/**
 * Returns the absolute path of a socket.
 *
 * @param cwd the directory of a relative path. Default: that of the process
 * @throws VtrError INVALID_ARGUMENT for an address, an empty path, or one that is too long
 */
export function resolveSocket(text: string, cwd = ''): string {
  if (text === '') {
    throw new VtrError('INVALID_ARGUMENT', 'the path is empty; give the path of a Unix socket');
  }
  checkNotAddress(text);
  return checkSocketPath(resolve(cwd, text));
}

/**
 * Returns where a coordinator is: the absolute path of its socket, or its address in the one form that it
 * has; of a selector, where several are.
 *
 * @throws VtrError INVALID_ARGUMENT
 */
export const resolvePlace = (text: string, cwd = ''): string =>
  isAddress(text) ? canonicalAddress(text) : resolveSocket(text, cwd);

/**
 * Returns the name of a coordinator that has none in the configuration: its socket's without `.sock`. A selector
 * has no other name than itself.
 */
export function nameOfPlace(place: string): string {
  if (isSelector(place)) return place;
  return isAddress(place) ? nameOfAddress(parseAddress(place)) : basename(place, '.sock');
}
