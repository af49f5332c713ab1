import { defaultPromptPattern } from '../calls/wait.ts';
import { isPosixShell, isSecondPrompt } from './shell-line.ts';

/**
 * Programs that read single keys: pagers, menus, editors. Text at their cursor is never a prompt at
 * which a line can be typed. Some look as if it were: the prompt of fzf is `> `.
 */
const keyDriven = new Set(
  [
    'less lesspipe more most pager man pg bat batcat delta info moar ov nvimpager',
    'view vi vim vim.basic vim.tiny nvim nano pico emacs emacsclient joe micro hx kak mcedit',
    'fzf fzy fzf-tmux sk skim peco percol pick gum choose dmenu dialog whiptail newt zenity',
    'mc ranger nnn lf vifm tig lazygit gitui htop top btop atop ncdu watch atuin mcfly broot k9s',
  ].flatMap((names) => names.split(' ')),
);

/** Returns whether a program reads single keys and never shows a prompt. */
export function isKeyDriven(name: string | null): boolean {
  return name !== null && keyDriven.has(name);
}

/**
 * Programs that pass the terminal's input on. They always wait for both sides, and an unfinished
 * line is most often the other side's output.
 */
const relays = new Set([
  ...['abduco', 'adb', 'crictl', 'ctr', 'docker', 'dtach', 'flyctl', 'incus', 'kubectl', 'limactl'],
  ...['lxc', 'machinectl', 'minicom', 'mosh-client', 'multipass', 'nc', 'ncat', 'nerdctl', 'oc'],
  ...['picocom', 'podman', 'screen', 'script', 'session-manager-plugin', 'socat', 'ssh', 'su'],
  ...['sudo', 'telnet', 'toolbox', 'tsh'],
]);

/** Returns whether a program relays the terminal of another one, which the system does not report. */
export function isRelay(name: string | null): boolean {
  return name !== null && relays.has(name);
}

/**
 * Ends of prompts:
 *
 * - a sign and a blank, as in `>>> `, `sqlite> `, `db=# `, `vm% `; `$`, `#` and `>` also without one
 * - a word in parentheses: `(gdb) `, `(Pdb) `, `((Pdb)) `. Output may be left of it, but not a blank:
 *   `Is this OK? (yes) ` is a question
 * - `In [1]: `, `main[1] `
 * - signs only: `* `, `?- `
 * - `Command (m for help): ` of fdisk
 */
const endOfPrompt = new RegExp(
  [
    '[$#>]\\s*$',
    '[^\\d\\s]%\\s$|^%\\s$',
    '[❯❱»➜➤›⟩▶λ]\\s+$',
    '(?:^|[^\\s(])\\(+(?!(?:y|n|yes|no|y/n)\\))[\\w%.:-]+\\)+\\s$',
    'In \\[\\d+\\]:\\s$',
    '^\\s*[\\w-]+\\[\\d+\\]\\s$',
    '^[*|!-]+\\s$|^\\?-\\s$',
    '^Command \\(.* for help\\):\\s$',
  ].join('|'),
  'u',
);

/** The prompt of `select` in zsh, which asks for one of the choices above it. */
const selectOfZsh = /^\?#\s$/;

/** The end of a question: `name? `, `Continue? [Y/n] `, `password: `. */
const endOfQuestion = /\?\s*$|[\])]\s*[:?]?\s+$|(password|passphrase|login|user ?name)[^:]*:\s*$/i;

/** A question ends within this number of UTF-16 code units. The expression takes quadratic time. */
const maxQuestionEnd = 1000;

/** Returns whether text left of the cursor looks like a question. */
export function looksLikeQuestion(text: string): boolean {
  return endOfQuestion.test(text.slice(-maxQuestionEnd)) || selectOfZsh.test(text);
}

/** The text of a program that says what it does: `Checking for updates? `, `configure: checking for gcc: `. */
const doing = /^(?:[\w.-]+: )?\p{L}+ing\b/iu;
/** `name: `, `Enter the bucket: ` */
const endOfLabel = /[\p{L}\p{N})\]"'’”]: $/u;
/** A count, a share, a time: `450/1000`, `45%`, `10:41`. */
const counts = /\d\s*[/%]|\d:/u;
/** In UTF-16 code units. */
const maxLabel = 100;

/**
 * After this silence, in ms, a label behind a program that relays another terminal is a question. It is a guess: a
 * program may compute what follows it.
 */
export const labelMs = 3_000;

/** Returns whether text left of the cursor may be the label of an answer, as `read -p "name: "` prints it. */
export function looksLikeLabel(text: string): boolean {
  if (text.length > maxLabel || !endOfLabel.test(text)) return false;
  return !doing.test(text.trimStart()) && !counts.test(text) && !text.includes('...');
}

/** A sign apart from the word before it, as prompts have it only behind a user or a directory. */
const signApart = /^(?![~/[])(?!.*:[~/])[^@]*[\p{L}\p{N})]\s+[$#>]\s*$/u;

/** Returns whether text left of the cursor may be the progress of a program: `Step 3/7 > `, `Waiting for it: `. */
export function looksLikeProgress(text: string): boolean {
  const isDoing = doing.test(text.trimStart()) && /[?:]\s*$/.test(text);
  return isDoing || signApart.test(text.slice(-maxQuestionEnd));
}

const defaultPrompt = new RegExp(defaultPromptPattern);

/** Returns whether text left of the cursor ends as most prompts do: {@link defaultPromptPattern}. */
export function looksLikePrompt(text: string): boolean {
  return defaultPrompt.test(text);
}

/** Continuation prompts of zsh name the open constructs: `if then> `, `dquote> `. See zshmisc(1), `%_`. */
const zshConstructs =
  'always|array|bquote|braceparam|case|cmdand|cmdor|cmdsubst|cond|cursh|dquote|elif|elif-then|else|' +
  'errpipe|for|foreach|function|heredoc|heredocd|if|math|mathsubst|pipe|quote|repeat|select|subsh|' +
  'then|try|until|while';
const zshContinuation = new RegExp(`^(?:(?:${zshConstructs}) ?)+>\\s*$`);

/** `... `, `   ...> ` (SQLite), `    -> `, `    '> ` (MySQL). */
const continuation = /^\s*(?:\.\.\.+>?|["'`*/-]+>)\s*$/;

/** Returns whether a text is a continuation prompt of zsh: `then> `, `dquote> `. */
export function isZshContinuation(text: string): boolean {
  return zshContinuation.test(text);
}

/**
 * Returns whether a line that a program has left unfinished is its prompt, as opposed to a question,
 * a continuation prompt or the status line of a pager.
 *
 * @param text left of the cursor
 * @param name of the program that reads the terminal; null if unknown
 * @param isWhole whether all that was typed into it is known to be whole commands: see `isWholeInput`
 */
export function isProgramPrompt(text: string, name: string | null, isWhole = false): boolean {
  if (isKeyDriven(name) || selectOfZsh.test(text)) return false;
  return endOfPrompt.test(text) && !isContinuation(text, name, isWhole);
}

/** Returns whether an unfinished line of a program asks for the rest of a command. Parameters: {@link isProgramPrompt}. */
export function isContinuation(text: string, name: string | null, isWhole = false): boolean {
  if (continuation.test(text) || isZshContinuation(text)) return true;
  if (name === 'psql') return !/=[*!?]?[#>]\s*$/.test(text);
  return isPosixShell(name) && isSecondPrompt(text) && !isWhole;
}
