import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defined } from '#base';
import { findShell, type ShellName, shellNameOf } from './find-shell.ts';
import { createKey } from './key-file.ts';
import {
  isLogin,
  type NotIntegrated,
  type ShellChange,
  type ShellKey,
  type ShellSpawn,
  startedWith,
  unsupportedArgument,
} from './spawn.ts';

/** How to start a program so that its shell is integrated. */
export interface IntegratedShell {
  /** All arguments of the program. */
  readonly args: readonly string[];
  /** The variables to add to its environment, or to override. */
  readonly env: Readonly<Record<string, string>>;
  /** What proves that a mark is the shell's. */
  readonly proof: ShellKey;
}

/** The variable with the path of the shell's key file. */
const keyFileVariable = 'VTR_SHELL_PROOF';

type Change = (spawn: ShellSpawn, scripts: string) => ShellChange | NotIntegrated;

/** The first version with PS0, as {@link bashVersion} returns it. */
const oldestVersion = 404;

/** Variables that make bash start in an unsupported mode. */
const unsupported = ['POSIXLY_CORRECT', 'SHELLOPTS', 'BASHOPTS'];

/** Options that do not change which commands bash runs at its start, except as handled below. */
const options = ['--login', '--noprofile', '--norc', '--noediting'];

/** The string before the version in every bash executable, for what(1). */
const versionMark = Buffer.from('@(#)Bash version ');

const versions = new Map<string, CachedVersion>();

const changes: Readonly<Record<ShellName, Change>> = {
  bash: changeBash,
  zsh: changeZsh,
  fish: changeFish,
};

/**
 * Returns how to start an interactive bash, zsh or fish so that it marks its commands (OSC 133) and
 * still reads the user's files. Its key file exists then; see {@link removeKeyFile}.
 *
 * @param program the program to start: the shell, or one that starts it, such as `env`
 * @param resolve returns the absolute path of a program; rejects if there is none
 */
export async function integrateShell(
  { program, args, env }: ShellSpawn,
  resolve: (program: string, path: string | undefined) => Promise<string>,
): Promise<IntegratedShell | NotIntegrated> {
  const shell = findShell(program, args);
  if ('reason' in shell) return shell;
  const { variables } = shell;
  const removed = new Set(Object.keys(variables).filter((name) => variables[name] === null));
  const inner = Object.fromEntries(
    Object.entries({ ...env, ...variables }).filter(([name]) => !removed.has(name)),
  ) as Record<string, string>;
  const scripts = findScripts();
  const path = await resolve(shell.program, inner['PATH']).catch(() => null);
  const name = path === null ? undefined : shellNameOf(path);
  if (path === null || name === undefined) return { reason: `${shell.program} was not found` };
  if (scripts === null) return { reason: 'the scripts of shell integration are missing' };
  const changed = changes[name]({ program: path, args: shell.args, env: inner }, scripts);
  if ('reason' in changed) return changed;
  const conflict = [...Object.keys(changed.env), keyFileVariable].find((each) =>
    Object.hasOwn(variables, each),
  );
  if (conflict !== undefined) return { reason: `${basename(program)} sets or removes ${conflict}` };
  const proof = createKey();
  if ('reason' in proof) return proof;
  const added = { ...changed.env, [keyFileVariable]: proof.keyFile };
  return { args: shell.withArgs(changed.args), env: added, proof };
}

/** Relative to this file, and relative to a bundle of the build. */
const scriptDirectories = ['./scripts/', './shell/scripts/'];

/** Returns the directory of the scripts that shells read; null in a bundle without them. */
function findScripts(): string | null {
  const paths = scriptDirectories.map((path) => fileURLToPath(new URL(path, import.meta.url)));
  const directory = paths.find((path) => existsSync(`${path}bash/integration.bash`));
  return directory === undefined ? null : directory.replace(/\/$/, '');
}

/** System files that zsh reads before those in ZDOTDIR. */
const zshSystemFiles = ['/etc/zshenv', '/etc/zsh/zshenv'];

/** Short options with which zsh reads none of the user's files. */
const zshWithoutFiles = /^-[il]*f[il]*$/;

/**
 * zsh reads the user's files from ZDOTDIR. The first of our files there restores it. With -f zsh would not read
 * that; it is told to switch the option on.
 */
function changeZsh({ args: words, env }: ShellSpawn, scripts: string): ShellChange | NotIntegrated {
  const withoutFiles = words.some((arg) => zshWithoutFiles.test(arg));
  const args = words
    .map((arg) => (zshWithoutFiles.test(arg) ? arg.replaceAll('f', '') : arg))
    .filter((arg, index) => arg !== '-' || words[index] === '-');
  const unsupported = unsupportedArgument(args, ['--login']);
  if (unsupported !== undefined) return startedWith('zsh', unsupported);
  // The system may set ZDOTDIR depending on its value.
  const file = zshSystemFiles.find((path) => readText(path).includes('ZDOTDIR'));
  if (file !== undefined) return { reason: `${file} sets ZDOTDIR` };
  const { ZDOTDIR } = env;
  const own = {
    ...defined({ VTR_SHELL_ZDOTDIR: ZDOTDIR }),
    ...(withoutFiles ? { VTR_SHELL_NO_RCS: '1' } : {}),
  };
  return { args, env: { ZDOTDIR: `${scripts}/zsh`, ...own } };
}

/** Returns an empty text if the file cannot be read. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

const fishOptions = ['--login', '--interactive', '--no-config', '-N', '--private', '-P'];

/** fish runs our command after it has read all of the user's files. */
function changeFish({ args }: ShellSpawn, scripts: string): ShellChange | NotIntegrated {
  const unsupported = unsupportedArgument(args, fishOptions);
  if (unsupported !== undefined) return startedWith('fish', unsupported);
  const path = `${scripts}/fish/integration.fish`.replace(/[\\']/g, '\\$&');
  return { args: ['--init-command', `builtin source '${path}'`, ...args], env: {} };
}

/**
 * Changes how bash starts. Normally it reads our file instead of ~/.bashrc, after the system's own
 * file, whose path is compiled in. A login shell, and a shell with `--norc`, reads a file of ours only
 * in POSIX mode, which that file then leaves.
 */
function changeBash(
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
    ...defined({ VTR_SHELL_ENV: ENV }),
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

interface CachedVersion {
  /** Inode, size and modification time of the file. */
  readonly stamp: string;
  readonly version: number | null;
}

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
  const match = /^(\d+)\.(\d+)/.exec(executable.toString('latin1', start, start + 10));
  return match === null ? null : Number(match[1]) * 100 + Number(match[2]);
}
