import { isPlainShell, type ShellChange, type ShellSpawn } from './spawn.ts';

/** fish runs a command of ours when it has read all of the user's files. */
export function changeFish({ args }: ShellSpawn, scripts: string): ShellChange | null {
  if (!isPlainShell(args, ['--login', '--interactive'])) return null;
  const path = `${scripts}/fish/integration.fish`.replace(/[\\']/g, '\\$&');
  return { args: ['--init-command', `builtin source '${path}'`, ...args], env: {} };
}
