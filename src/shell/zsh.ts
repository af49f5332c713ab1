import { readFileSync } from 'node:fs';
import { isPlainShell, type ShellChange, type ShellSpawn } from './spawn.ts';

/** Read before the file that ZDOTDIR leads to. */
const systemFiles = ['/etc/zshenv', '/etc/zsh/zshenv'];

/** zsh looks for the user's files in ZDOTDIR. The first of ours puts it back. */
export function changeZsh({ args, env }: ShellSpawn, scripts: string): ShellChange | null {
  if (!isPlainShell(args, ['--login'])) return null;
  // What the system does with ZDOTDIR may depend on what it was.
  if (systemFiles.some((path) => textOf(path).includes('ZDOTDIR'))) return null;
  const { ZDOTDIR } = env;
  const own = ZDOTDIR === undefined ? {} : { VTR_SHELL_ZDOTDIR: ZDOTDIR };
  return { args, env: { ZDOTDIR: `${scripts}/zsh`, ...own } };
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
