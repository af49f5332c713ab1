import { readFileSync, statSync } from 'node:fs';
import { isLogin, isPlainShell, type ShellChange, type ShellSpawn } from './spawn.ts';

/** The first version with PS0, as {@link bashVersion} returns it. */
const oldestVersion = 404;

/** Variables that make bash start in an unsupported mode. */
const unsupported = ['POSIXLY_CORRECT', 'SHELLOPTS', 'BASHOPTS'];

/**
 * Changes how bash starts. A login shell reads a file of ours only in POSIX mode, which that file
 * then leaves. Any other shell reads our file instead of ~/.bashrc, after the system's own file,
 * whose path is compiled in.
 */
export function changeBash(
  { program, args, env }: ShellSpawn,
  scripts: string,
): ShellChange | null {
  if (!isPlainShell(args, ['--login'])) return null;
  if (unsupported.some((name) => env[name] !== undefined)) return null;
  const version = bashVersion(program);
  if (version === null || version < oldestVersion) return null;
  if (!isLogin(args)) {
    return { args: ['--rcfile', `${scripts}/bash/rc.bash`, ...args], env: {} };
  }
  // bash expands the value of ENV like a word in double quotes. Apple's bash ignores ENV, but is
  // too old.
  const { ENV } = env;
  const file = `${scripts}/bash/login.bash`.replace(/[\\$`"]/g, '\\$&');
  const own = ENV === undefined ? {} : { VTR_SHELL_ENV: ENV };
  return { args: ['--posix', ...args], env: { ENV: file, ...own } };
}

/** The string before the version in every bash executable, for what(1). */
const versionMark = Buffer.from('@(#)Bash version ');

interface CachedVersion {
  /** Inode, size and modification time of the file. */
  readonly stamp: string;
  readonly version: number | null;
}

const versions = new Map<string, CachedVersion>();

/**
 * Returns the version of a bash executable without starting it, as 100 * major + minor; null if the
 * file is not bash. Reads a file of some MB once. Synchronous, because an fd that another thread
 * closes during a fork would be a gap (see MasterFds in the room pty).
 */
function bashVersion(program: string): number | null {
  try {
    const { ino, size, mtimeMs } = statSync(program);
    const stamp = `${ino} ${size} ${mtimeMs}`;
    const cached = versions.get(program);
    if (cached?.stamp === stamp) return cached.version;
    const version = findVersion(readFileSync(program));
    versions.set(program, { stamp, version });
    return version;
  } catch {
    return null;
  }
}

function findVersion(executable: Buffer): number | null {
  const at = executable.indexOf(versionMark);
  if (at < 0) return null;
  const start = at + versionMark.length;
  const found = /^(\d+)\.(\d+)/.exec(executable.toString('latin1', start, start + 10));
  return found === null ? null : Number(found[1]) * 100 + Number(found[2]);
}
