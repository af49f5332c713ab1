import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { quoted, shellQuoted } from '#base';
import { expandHome } from '#config';
import { VtrError } from '#model';
import type { Context } from '../context.ts';
import { contentOf, type FileChange } from '../hooks/install-hooks.ts';

type Place = Pick<Context, 'env' | 'cwd'>;

/** The first words of what vtr has written. */
const mark = '# Written by vtr completion install';

/** Each file asks vtr when completion is first used, so it stays right after an upgrade, and costs a new shell nothing. */
const bashText = `${mark}.
command -v vtr >/dev/null && eval "$(vtr completion bash)"
`;
const fishText = `${mark}.
command -q vtr; and vtr completion fish | source
`;
// It is the body of the function _vtr, until the script defines that.
const zshText = `#compdef vtr
${mark}.
(( $+commands[vtr] )) && eval "$(vtr completion zsh)" && _vtr "$@"
`;

/** The data of a user, XDG Base Directory Specification. */
const dataHome = ({ env }: Place): string =>
  env['XDG_DATA_HOME'] || join(env['HOME'] ?? '', '.local/share');

/** Where bash-completion looks for the completion of a command when it is first used (its README, "FAQ"). */
const bashFile = (place: Place): string =>
  join(
    place.env['BASH_COMPLETION_USER_DIR'] || join(dataHome(place), 'bash-completion'),
    'completions/vtr',
  );

/** Where fish looks for completions that programs install for a user (`man fish-completions`). */
const fishFile = (place: Place): string =>
  join(dataHome(place), 'fish/vendor_completions.d/vtr.fish');

const bashCompletions = [
  '/usr/share/bash-completion/bash_completion',
  '/usr/local/share/bash-completion/bash_completion',
  '/opt/homebrew/share/bash-completion/bash_completion',
  '/opt/homebrew/etc/profile.d/bash_completion.sh',
  '/usr/local/etc/profile.d/bash_completion.sh',
  '/etc/bash_completion',
];

const changesOf: Readonly<
  Record<string, (place: Place, isRemoval: boolean) => Promise<FileChange[]>>
> = {
  bash: async (place, isRemoval) => {
    const hasLoader = bashCompletions.some((file) => existsSync(file));
    return [
      change(bashFile(place), bashText, isRemoval, {
        afterwards: hasLoader
          ? newShell('bash')
          : 'bash reads this file only with the package bash-completion, which was not found. Without it, add to ~/.bashrc: eval "$(vtr completion bash)"',
      }),
    ];
  },
  fish: async (place, isRemoval) => [
    change(fishFile(place), fishText, isRemoval, { afterwards: newShell('fish') }),
  ],
  zsh: zshChanges,
};

export const completionShells = Object.keys(changesOf);

const newShell = (shell: string) => `Start a new ${shell} to use it.`;

/**
 * Returns what would change to install the completion for a shell, or to remove it.
 *
 * @param shell null: that of SHELL
 * @throws VtrError INVALID_ARGUMENT if the shell is not known, or a file that is to be removed is not ours; IO_ERROR
 */
export async function completionChanges(
  place: Place,
  shell: string | null,
  isRemoval: boolean,
): Promise<readonly FileChange[]> {
  const own = place.env['SHELL'] ?? '';
  const name = shell ?? basename(own);
  const changes = changesOf[name];
  if (changes !== undefined) return changes(place, isRemoval);
  const names = completionShells.join(', ');
  const problem =
    shell !== null
      ? `no completion for ${quoted(shell)}`
      : own === ''
        ? 'SHELL is not set'
        : `no completion for your shell, ${own}`;
  throw new VtrError('INVALID_ARGUMENT', `${problem}; name one of ${names}`);
}

function change(
  file: string,
  text: string,
  isRemoval: boolean,
  more: Pick<FileChange, 'afterwards'> = {},
): FileChange {
  const before = contentOf(file);
  if (!isRemoval) return { file, before, after: text, ...more };
  if (before === '') return { file, before, after: before };
  if (before.includes(mark)) return { file, before, after: null };
  throw new VtrError('INVALID_ARGUMENT', `${file} is not a file of vtr completion install`);
}

/** The names that people give directories of their own functions. */
const zshDirectories = ['~/.zfunc', '~/.zsh/completions', '~/.zsh/completion', '~/.zsh/functions'];

const [begin, end] = [`${mark}; to the line "end of vtr"`, '# end of vtr'];

/**
 * zsh looks for completions in the directories of `fpath` only, and no directory of a user is among them by itself. A
 * directory that the user has put there gets the file; else a few lines of .zshrc name one.
 */
async function zshChanges(place: Place, isRemoval: boolean): Promise<FileChange[]> {
  const data = join(dataHome(place), 'zsh/site-functions');
  const directories = [data, ...zshDirectories.map((each) => expandHome(each, place))];
  const rc = join(place.env['ZDOTDIR'] || (place.env['HOME'] ?? ''), '.zshrc');
  const before = contentOf(rc);
  const without = withoutLines(before);
  if (isRemoval) {
    const files = directories
      .map((directory) => join(directory, '_vtr'))
      .filter((file, at) => at === 0 || contentOf(file).includes(mark));
    return [
      ...files.map((file) => change(file, zshText, true)),
      ...(without === before ? [] : [{ file: rc, before, after: without }]),
    ];
  }
  const fpath = without === before ? await fpathOf(place) : [];
  const own = directories.find((directory) => fpath.includes(directory));
  const afterwards = newShell('zsh');
  if (own !== undefined) {
    const more = `${afterwards} If it does not complete, remove the cache of compinit: rm ~/.zcompdump*`;
    return [change(join(own, '_vtr'), zshText, false, { afterwards: more })];
  }
  const lines = `${begin}
fpath+=(${shellQuoted(data)})
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
autoload -Uz _vtr && compdef _vtr vtr
${end}
`;
  const text = without === '' || without.endsWith('\n') ? without : `${without}\n`;
  return [
    change(join(data, '_vtr'), zshText, false),
    // Where our lines are already, they stay in their place.
    { file: rc, before, after: before.includes(lines) ? before : `${text}${lines}`, afterwards },
  ];
}

/** Removes our lines from .zshrc. */
function withoutLines(text: string): string {
  const lines = text.split('\n');
  const from = lines.indexOf(begin);
  const to = lines.indexOf(end, from);
  return from === -1 || to === -1 ? text : lines.toSpliced(from, to - from + 1).join('\n');
}

/** Returns the directories in which the user's zsh looks for functions; none if it does not answer in 5 s. */
async function fpathOf({ env, cwd }: Place): Promise<readonly string[]> {
  const options = { env, cwd, timeout: 5_000 };
  const print = 'print -rl -- fpath: $fpath';
  const { stdout } = await promisify(execFile)('zsh', ['-ic', print], options).catch(() => ({
    stdout: '',
  }));
  const lines = stdout.split('\n');
  return lines.slice(lines.lastIndexOf('fpath:') + 1);
}
