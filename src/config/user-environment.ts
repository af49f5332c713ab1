import { userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** The environment variables that decide where a user's files are; a test gives its own. */
export interface UserEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Returns the home directory: HOME, else that of the system's user database. A relative HOME would name
 * another directory in each working directory; `os.homedir` returns it unchanged.
 */
export function homeOf({ env }: UserEnvironment): string {
  return absolute(env['HOME']) ?? userInfo().homedir;
}

/** Returns the directory of vtr's configuration, by the XDG base directory specification. */
export function configDirectory(user: UserEnvironment): string {
  const base = absolute(user.env['XDG_CONFIG_HOME']) ?? join(homeOf(user), '.config');
  return join(base, 'vtr');
}

/** Returns the directory of files that can be made again, by the same specification. */
export function cacheDirectory(user: UserEnvironment): string {
  const base = absolute(user.env['XDG_CACHE_HOME']) ?? join(homeOf(user), '.cache');
  return join(base, 'vtr');
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
