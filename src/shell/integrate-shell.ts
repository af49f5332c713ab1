import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import { changeBash } from './bash.ts';
import { changeFish } from './fish.ts';
import { findScripts } from './scripts-folder.ts';
import type { ShellChange, ShellSpawn } from './spawn.ts';
import { changeZsh } from './zsh.ts';

/** How a shell is to be started so that it marks its commands. */
export interface IntegratedShell extends ShellChange {
  /** All of it. */
  readonly env: Readonly<Record<string, string>>;
  /** What its marks will bear. */
  readonly nonce: string;
}

type Change = (spawn: ShellSpawn, scripts: string) => ShellChange | null;

const changes: Readonly<Record<string, Change>> = {
  bash: changeBash,
  zsh: changeZsh,
  fish: changeFish,
};

/** Whether {@link integrateShell} may have something to do with a program of this name or path. */
export function mayBeShell(program: string): boolean {
  return Object.hasOwn(changes, basename(program));
}

/**
 * How to start an interactive bash, zsh or fish so that it marks its commands (OSC 133), while it
 * reads the user's own files as without us. Null for everything else, and for what is asked of a
 * shell in a way that we do not know.
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
