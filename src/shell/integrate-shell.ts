import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { changeBash } from './bash.ts';
import { findShell, type ShellName, shellNameOf } from './find-shell.ts';
import { createKey } from './key-file.ts';
import {
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
  const found = paths.find((path) => existsSync(`${path}bash/integration.bash`));
  return found === undefined ? null : found.replace(/\/$/, '');
}

/** System files that zsh reads before those in ZDOTDIR. */
const zshSystemFiles = ['/etc/zshenv', '/etc/zsh/zshenv'];

/** Short options with which zsh reads none of the user's files. */
const zshWithoutFiles = /^-[il]*f[il]*$/;

/**
 * zsh reads the user's files from ZDOTDIR. The first of our files there restores it. With -f zsh would not read
 * that; it is told to switch the option on.
 */
function changeZsh({ args: given, env }: ShellSpawn, scripts: string): ShellChange | NotIntegrated {
  const withoutFiles = given.some((arg) => zshWithoutFiles.test(arg));
  const args = given
    .map((arg) => (zshWithoutFiles.test(arg) ? arg.replaceAll('f', '') : arg))
    .filter((arg, index) => arg !== '-' || given[index] === '-');
  const unsupported = unsupportedArgument(args, ['--login']);
  if (unsupported !== undefined) return startedWith('zsh', unsupported);
  // The system may set ZDOTDIR depending on its value.
  const file = zshSystemFiles.find((path) => readText(path).includes('ZDOTDIR'));
  if (file !== undefined) return { reason: `${file} sets ZDOTDIR` };
  const { ZDOTDIR } = env;
  const own = {
    ...(ZDOTDIR === undefined ? {} : { VTR_SHELL_ZDOTDIR: ZDOTDIR }),
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
