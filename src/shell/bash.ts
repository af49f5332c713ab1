import { readFileSync, statSync } from 'node:fs';
import {
  isLogin,
  type NotIntegrated,
  type ShellChange,
  type ShellSpawn,
  startedWith,
  unsupportedArgument,
} from './spawn.ts';

/** The first version with PS0, as {@link bashVersion} returns it. */
const oldestVersion = 404;

/** Variables that make bash start in an unsupported mode. */
const unsupported = ['POSIXLY_CORRECT', 'SHELLOPTS', 'BASHOPTS'];

/** Options that do not change which commands bash runs at its start, except as handled below. */
const options = ['--login', '--noprofile', '--norc', '--noediting'];

/**
 * Changes how bash starts. Normally it reads our file instead of ~/.bashrc, after the system's own
 * file, whose path is compiled in. A login shell, and a shell with `--norc`, reads a file of ours only
 * in POSIX mode, which that file then leaves.
 */
export function changeBash(
  { program, args, env }: ShellSpawn,
  scripts: string,
): ShellChange | NotIntegrated {
  const { rest, file } = withoutFile(args);
  const argument = unsupportedArgument(rest, options);
  if (argument !== undefined) return startedWith('bash', argument);
  const variable = unsupported.find((name) => env[name] !== undefined);
  if (variable !== undefined) return { reason: `the environment has ${variable}` };
  const version = bashVersion(program);
  if (version === null) return { reason: `the version of ${program} is unknown` };
  if (version < oldestVersion) return { reason: `${program} is older than bash 4.4` };
  if (!isLogin(rest) && !rest.includes('--norc')) {
    const own = file === null ? {} : { VTR_SHELL_RCFILE: file };
    return { args: ['--rcfile', `${scripts}/bash/rc.bash`, ...rest], env: own };
  }
  // bash expands the value of ENV like a word in double quotes. Apple's bash ignores ENV, but is
  // too old.
  const { ENV } = env;
  const path = `${scripts}/bash/posix.bash`.replace(/[\\$`"]/g, '\\$&');
  const readsProfile = isLogin(rest) && !rest.includes('--noprofile');
  const own = {
    ...(ENV === undefined ? {} : { VTR_SHELL_ENV: ENV }),
    ...(readsProfile ? {} : { VTR_SHELL_NO_PROFILE: '1' }),
  };
  return { args: ['--posix', ...args], env: { ENV: path, ...own } };
}

/** Removes `--rcfile FILE`, which our own replaces. The last one counts. */
function withoutFile(args: readonly string[]): {
  readonly rest: readonly string[];
  readonly file: string | null;
} {
  const rest: string[] = [];
  let file: string | null = null;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (arg !== '--rcfile' && arg !== '--init-file') rest.push(arg);
    else file = args[++at] ?? file;
  }
  return { rest, file };
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
