import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** From where files are found: a process's environment, or what a test says. */
export interface Place {
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function homeOf({ env }: Place): string {
  return absolute(env['HOME']) ?? homedir();
}

/** Where configuration lies by the XDG base directory specification. */
export function configFolder(place: Place): string {
  const base = absolute(place.env['XDG_CONFIG_HOME']) ?? join(homeOf(place), '.config');
  return join(base, 'vtr');
}

/** The XDG specification has relative paths ignored; an empty one is as if it were unset. */
export function absolute(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined;
}

/** `~` and `~/x` as the shell has them; anything else as it is. */
export function expandHome(path: string, place: Place): string {
  if (path === '~') return homeOf(place);
  return path.startsWith('~/') ? join(homeOf(place), path.slice(2)) : path;
}
