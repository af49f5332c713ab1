import { isMisleadingName, type Variables } from '#model';

export type Environment = Readonly<Record<string, string>>;

export interface EnvironmentRequest {
  /** Whether only a few variables are passed. */
  readonly isMinimal?: boolean;
  /** What is passed, already without what must not be. */
  readonly base: Variables;
  /** The value of PWD. */
  readonly cwd: string;
  /** Overrides all other variables; its names are not filtered. */
  readonly explicit?: Environment;
  /** Default `xterm-256color`. */
  readonly term?: string;
}

/**
 * Returns the environment for a program. The host adds the session's marker to it, and overrides
 * any value here, because it finds the session's processes by the marker.
 */
export function buildEnvironment(request: EnvironmentRequest): Record<string, string> {
  const { isMinimal = false, base, cwd, explicit = {}, term = 'xterm-256color' } = request;
  const chosen: Record<string, string> = {};
  for (const [name, value] of Object.entries(base)) {
    if (value !== undefined && (!isMinimal || isMinimalName(name))) chosen[name] = value;
  }
  if (!hasLocale(chosen)) chosen['LANG'] = defaultLocale;
  return { ...chosen, PWD: cwd, TERM: term, COLORTERM: 'truecolor', ...explicit };
}

/** The locale of UTF-8 that needs no installed data; systems of Apple have another one. */
const defaultLocale = process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8';

/** Whether a locale of characters is set. An empty value is none (POSIX, 8.2). */
const hasLocale = (variables: Environment): boolean =>
  ['LC_ALL', 'LC_CTYPE', 'LANG'].some((name) => (variables[name] ?? '') !== '');

function isMinimalName(name: string): boolean {
  return minimalNames.has(name) || (name.startsWith('LC_') && !isMisleadingName(name));
}

const minimalNames = new Set([
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'TZ',
  'TMPDIR',
  'XDG_RUNTIME_DIR',
]);
