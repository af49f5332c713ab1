import { bashVersion } from './bash-version.ts';
import { isLogin, isPlainShell, type ShellChange, type ShellSpawn } from './spawn.ts';

/** The first that has PS0. */
const oldestVersion = 404;

/** What makes bash start otherwise than we know. */
const misleading = ['POSIXLY_CORRECT', 'SHELLOPTS', 'BASHOPTS'];

/**
 * A login shell reads no file that we could name, but in POSIX mode, which the file then leaves. Any
 * other is given our file in place of ~/.bashrc; the system's own, whose place is compiled in, it
 * still reads by itself.
 */
export function changeBash(
  { program, args, env }: ShellSpawn,
  scripts: string,
): ShellChange | null {
  if (!isPlainShell(args, ['--login'])) return null;
  if (misleading.some((name) => env[name] !== undefined)) return null;
  const version = bashVersion(program);
  if (version === null || version < oldestVersion) return null;
  if (!isLogin(args)) {
    return { args: ['--rcfile', `${scripts}/bash/rc.bash`, ...args], env: {} };
  }
  // Apple's does not read ENV, but Apple's is older. The value is expanded like a word in quotes.
  const { ENV } = env;
  const file = `${scripts}/bash/login.bash`.replace(/[\\$`"]/g, '\\$&');
  const own = ENV === undefined ? {} : { VTR_SHELL_ENV: ENV };
  return { args: ['--posix', ...args], env: { ENV: file, ...own } };
}
