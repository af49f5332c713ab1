import { userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { parentsProblem } from '#trust';

/** The environment variables that decide where a user's files are; a test gives its own. */
export interface UserEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Returns the home directory: HOME, else that of the system's user database, else `/`, as in a container whose
 * user the database does not have. A relative HOME would name another directory in each working directory;
 * `os.homedir` returns it unchanged.
 */
export function homeOf({ env }: UserEnvironment): string {
  return absolute(env['HOME']) ?? homeInDatabase() ?? '/';
}

function homeInDatabase(): string | undefined {
  try {
    return userInfo().homedir;
  } catch {
    // Nobody there has this uid.
    return undefined;
  }
}

/** Returns the directory of vtr's configuration, by the XDG base directory specification. */
export function configDirectory(user: UserEnvironment): string {
  const base = absolute(user.env['XDG_CONFIG_HOME']) ?? join(homeOf(user), '.config');
  return join(base, 'vtr');
}

/** Returns the directory of files that can be made again, by the same specification. */
export const cacheDirectory = (user: UserEnvironment): string =>
  ownPlace(user, 'XDG_CACHE_HOME', '.cache');

/** Returns the directory of what vtr keeps, by the same specification. */
export const stateHome = (user: UserEnvironment): string =>
  ownPlace(user, 'XDG_STATE_HOME', '.local/state');

/**
 * Returns the home directory for files that vtr makes. This is HOME. If another user could replace that directory,
 * for example after `sudo -E`, it is the home directory in the system's user database.
 */
export function ownHome(user: UserEnvironment): string {
  const home = homeOf(user);
  return parentsProblem(home) === null ? home : (homeInDatabase() ?? home);
}

/**
 * Returns vtr's directory below the one that a variable names. If another user could replace it, or has made it in a
 * directory that all users share, returns the directory in the user's home. See {@link unusedPlaces}.
 */
function ownPlace(user: UserEnvironment, variable: string, inHome: string): string {
  const place = placeIn(user, variable);
  const isUsed = place !== undefined && parentsProblem(place) === null;
  return isUsed ? place : join(ownHome(user), inHome, 'vtr');
}

/** Returns undefined if the variable names no directory. */
function placeIn({ env }: UserEnvironment, variable: string): string | undefined {
  const base = absolute(env[variable]);
  return base && join(base, 'vtr');
}

/**
 * Returns why vtr's files are not where the environment says, a line for each variable: another user could
 * replace what is there.
 */
export function unusedPlaces(user: UserEnvironment): string[] {
  const home = homeOf(user);
  const places = [
    ['XDG_STATE_HOME', placeIn(user, 'XDG_STATE_HOME')],
    ['XDG_CACHE_HOME', placeIn(user, 'XDG_CACHE_HOME')],
    ['TMPDIR', absolute(user.env['TMPDIR'])],
    ['HOME', ownHome(user) === home ? undefined : home],
  ] as const;
  return places.flatMap(([name, path]) => {
    const problem = path === undefined ? null : parentsProblem(path);
    return problem === null ? [] : [`${name} is not used: ${problem.problem}`];
  });
}

/** Returns `path` if it is absolute, else undefined. The XDG specification ignores relative paths. */
export function absolute(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined;
}

/** Expands `~` and `~/x` as a shell does. Other paths are returned unchanged. */
export function expandHome(path: string, user: UserEnvironment): string {
  if (path === '~') return homeOf(user);
  return path.startsWith('~/') ? join(homeOf(user), path.slice(2)) : path;
}
