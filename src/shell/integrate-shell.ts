import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { changeBash } from './bash.ts';
import { isPlainShell, type ShellChange, type ShellSpawn } from './spawn.ts';

/** How to start a shell with shell integration. */
export interface IntegratedShell extends ShellChange {
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** The nonce of its marks. */
  readonly nonce: string;
}

type Change = (spawn: ShellSpawn, scripts: string) => ShellChange | null;

const changes: Readonly<Record<string, Change>> = {
  bash: changeBash,
  zsh: changeZsh,
  fish: changeFish,
};

/** Returns whether a program of this name or path may be a supported shell. */
export function mayBeShell(program: string): boolean {
  return Object.hasOwn(changes, basename(program));
}

/**
 * Returns how to start an interactive bash, zsh or fish so that it marks its commands (OSC 133) and
 * still reads the user's files. Null for other programs, and for shells with unsupported arguments.
 */
export function integrateShell(spawn: ShellSpawn): IntegratedShell | null {
  const scripts = findScripts();
  const change = mayBeShell(spawn.program) ? changes[basename(spawn.program)] : undefined;
  if (scripts === null || change === undefined) return null;
  const changed = change(spawn, scripts);
  if (changed === null) return null;
  const nonce = randomBytes(16).toString('hex');
  return { ...changed, env: { ...spawn.env, ...changed.env, VTR_SHELL_NONCE: nonce }, nonce };
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

/** zsh reads the user's files from ZDOTDIR. The first of our files there restores it. */
function changeZsh({ args, env }: ShellSpawn, scripts: string): ShellChange | null {
  if (!isPlainShell(args, ['--login'])) return null;
  // The system may set ZDOTDIR depending on its value.
  if (zshSystemFiles.some((path) => readText(path).includes('ZDOTDIR'))) return null;
  const { ZDOTDIR } = env;
  const own = ZDOTDIR === undefined ? {} : { VTR_SHELL_ZDOTDIR: ZDOTDIR };
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

/** fish runs our command after it has read all of the user's files. */
function changeFish({ args }: ShellSpawn, scripts: string): ShellChange | null {
  if (!isPlainShell(args, ['--login', '--interactive'])) return null;
  const path = `${scripts}/fish/integration.fish`.replace(/[\\']/g, '\\$&');
  return { args: ['--init-command', `builtin source '${path}'`, ...args], env: {} };
}
