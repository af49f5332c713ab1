import { join, resolve } from 'node:path';
import { thisUser } from '#trust';
import type { Context } from '../context.ts';

/** The words of a command `tmux`, split at its first command. */
export interface TmuxWords {
  readonly configFiles: readonly string[] | null;
  readonly socketPath: string;
  /** `-C`; twice, `-CC`, for terminals that show the windows themselves. */
  readonly control: 0 | 1 | 2;
  readonly version: boolean;
  readonly words: readonly string[];
}

const usage =
  'usage: tmux [-2CDlNuVv] [-c shell-command] [-f file] [-L socket-name]\n' +
  '            [-S socket-path] [-T features] [command [flags]]\n';

/** Flags with a value, and those without. `-c` is refused: it replaces a login shell. */
const valued = 'fLST';
const plain = '2CDlNquvV';

/** Reads the flags before the command. @returns a message for flags that tmux does not have */
export function readGlobalFlags(
  given: readonly string[],
  { env, cwd }: Pick<Context, 'env' | 'cwd'>,
): TmuxWords | { readonly problem: string } {
  const values = new Map<string, string[]>();
  let at = 0;
  for (; at < given.length; at++) {
    const word = given[at] ?? '';
    if (!/^-[^-]/.test(word)) break;
    for (let letter = 1; letter < word.length; letter++) {
      const flag = word[letter] ?? '';
      if (valued.includes(flag)) {
        const rest = word.slice(letter + 1);
        const value = rest === '' ? given[++at] : rest;
        if (value === undefined) return { problem: usage };
        values.set(flag, [...(values.get(flag) ?? []), value]);
        break;
      }
      if (flag === 'c') return { problem: 'vtr does not support tmux -c\n' };
      if (!plain.includes(flag)) return { problem: usage };
      values.set(flag, [...(values.get(flag) ?? []), '']);
    }
  }
  if (given[at] === '--') at++;
  const count = values.get('C')?.length ?? 0;
  return {
    configFiles: values.get('f')?.map((path) => resolve(cwd, path)) ?? null,
    socketPath: socketPathOf(values, env, cwd),
    control: count === 0 ? 0 : count === 1 ? 1 : 2,
    version: values.has('V'),
    words: given.slice(at),
  };
}

/** The path that tmux would use: `-S`, else `-L`, else that of the pane, else the user's default. */
function socketPathOf(
  values: ReadonlyMap<string, readonly string[]>,
  env: Context['env'],
  cwd: string,
): string {
  const path = values.get('S')?.at(-1);
  if (path !== undefined) return resolve(cwd, path);
  const label = values.get('L')?.at(-1);
  const [own = ''] = env['TMUX']?.split(',') ?? [];
  if (label === undefined && own !== '') return own;
  const directory = env['TMUX_TMPDIR'] || '/tmp';
  return join(directory, `tmux-${thisUser().uid}`, label ?? 'default');
}
