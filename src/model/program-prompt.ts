import { defaultPromptPattern } from './wait.ts';

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

/** Programs that show the terminal of another program on the alternate screen. */
const multiplexers = /^(?:tmux|screen|zellij|dvtm|dtach|abduco|mosh)/i;

/** Returns whether a program shows the terminals of other programs on the alternate screen. */
export const isMultiplexer = (name: string | null): boolean =>
  name !== null && multiplexers.test(name);

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

/** `... `, `   ...> `, `(x1...> ` (SQLite), `...(1)> ` (iex), `    -> `, `    '> ` (MySQL), `      > ` (Hive). */
const continuation =
  /^\s*(?:\.\.\.+>?|(?:[(x\d'"`[;/*-]{0,8}\s*)\.\.\.>|\.\.\.\(\d+\)>|["'`*/-]+>)\s*$|^\s{2,}>\s*$/;

/** Continuation prompts of programs in which they look like the prompts of others. */
const continuations: readonly (readonly [RegExp, RegExp])[] = [
  // db-# , db'# , db(*> ; after COPY FROM STDIN `>> `
  [/^psql$/, /(?<!=)[-'"($*;][*!?]?[#>]\s*$|^[^\p{L}\p{N}]*$/u],
  // The commands of `define` and `python`.
  [/^gdb/, /^\s*>\s*$/],
  [/^lua/, /^>>\s*$/],
  [/^octave/, /^>\s*$/],
  [/^gnuplot/, /^more>\s*$/],
  [/^R$/, /^\+\s*$/],
  // Between :{ and :} .
  [/^ghci?$/, /\| $/],
  [/^node/, /^\|\s*$/],
  // irb(main):001:1* , irb(main):001:0"
  [/^(?:irb|ruby)/, /:\d+[*'"`/\]]\s*$/],
];

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
  if (continuations.some(([program, prompt]) => program.test(name ?? '') && prompt.test(text)))
    return true;
  return isPosixShell(name) && isSecondPrompt(text) && !isWhole;
}

const shells = new Set(['sh', 'ash', 'bash', 'busybox', 'dash', 'ksh', 'mksh', 'zsh']);

/** Returns whether a program is a shell that reads the language of POSIX. */
export function isPosixShell(name: string | null): boolean {
  return name !== null && shells.has(name);
}

const otherShells = new Set([
  ...['csh', 'elvish', 'es', 'fish', 'ion', 'ksh93', 'login', 'nu', 'osh', 'pwsh', 'rbash', 'rc'],
  ...['rksh', 'rzsh', 'tcsh', 'toybox', 'xonsh', 'yash', 'ysh'],
]);

/** Returns whether a program is a shell of any kind, by its name without a directory. */
export function isShell(name: string | null): boolean {
  return isPosixShell(name) || (name !== null && otherShells.has(name));
}

/** Returns whether a text is what most shells show for the rest of a command. Some have it as their prompt. */
export const isSecondPrompt = (text: string): boolean => text.trim() === '>';

/**
 * Prompts that only shells show, at the other end of ssh or in a container, where the system does not tell which
 * program reads. The command lines of routers and databases end in `#` and `>` too (`edge-1# `, `db=# `), so these
 * signs count only behind a directory or the like. csh is left out.
 */
const shellPrompt = new RegExp(
  [
    '^[$#] $',
    // user@host:~$ , [user@host dir]$ , name$
    '[^\\s=(>-]\\$ $',
    // root@host:/tmp#
    '(?:^|[\\s:[])[~/][^\\s]*[#] $',
    // [root@host dir]#
    '^\\[\\S+@\\S+ \\S+\\]# $',
    // /etc # , ~ $
    '^[~/]\\S* [$#] $',
    // bash-5.2# , sh-5.2#
    '^(?:bash|sh)-[\\d.]+# $',
    // fish: user@host ~>
    '^\\S+@\\S+ [~/]\\S*(?: \\[[^\\]]+\\])?[>#] $',
  ].join('|'),
);

/** Returns whether text left of the cursor is a prompt that only shells show. */
export function looksLikeShellPrompt(text: string): boolean {
  return shellPrompt.test(text.slice(-maxPrompt));
}

/**
 * What zsh (PROMPT_SP) and fish print before each prompt, to begin it in a line of its own: a sign, blanks up to the
 * end of the row, and a carriage return.
 */
const beforeZshPrompt = /\x1b\[7m[%#]\x1b\[27m(?:\x1b\[\d*m)* {8,}\r \r/u;
const beforeFishPrompt = /[⏎¶](?:\x1b\(B|\x1b\[\d*m)* {8,}\r[⏎¶] \r/u;

/** Returns whether zsh or fish has printed a prompt in raw output. */
export function printsShellPrompt(raw: string): boolean {
  return beforeZshPrompt.test(raw) || printsFishPrompt(raw);
}

/** Returns whether fish has printed a prompt in raw output. */
export function printsFishPrompt(raw: string): boolean {
  return beforeFishPrompt.test(raw);
}

/** The end of a prompt that is looked at, in UTF-16 code units. */
const maxPrompt = 500;

/** Commands of a line that only sets variables, or calls what a shell has built in and what ends at once. */
const keepingCommand =
  /^(?:(?:export|readonly|declare|typeset|local)\s+)?(?:\w+=\S*(?:\s+|$))+$|^(?:printf|echo|cd|true|false|:|unset|export|alias|unalias|umask|pwd|setopt|unsetopt|shopt)(?:\s|$)/;

/** What may start another program, or continue the line. */
const otherParts = /[`'"(){}<>|&\\\n]|\b(?:eval|exec|command)\b/;

/**
 * Returns whether the same shell reads after a line, because the line starts no program: it may have changed the
 * prompt, and printed. False if that is not certain.
 */
export function keepsShell(line: string): boolean {
  const bare = line.replace(/'[^']*'|"(?:[^"`$\\]|\\.|\$(?!\())*"/g, 'x');
  const commands = bare.split(/\n|;|&&|\|\|/).map((each) => each.trim());
  return commands.every(
    (each) => each === '' || (keepingCommand.test(each) && !otherParts.test(each)),
  );
}

/** Returns whether a line of a shell replaces the shell by another program. */
export function replacesShell(line: string | null | undefined): boolean {
  return /^\s*exec\s/.test(line ?? '');
}

/** An option that takes no command: neither -c nor one with a value. */
const plainOption = /^-(?:-[a-z][a-z-]*|[abd-z]+)?$/i;

/** Returns whether a line does nothing but start an interactive shell, which then shows its own prompt. */
export function startsShell(line: string): boolean {
  const words = line
    .trim()
    .split(/\s+/)
    .filter((word, at) => word !== 'exec' || at > 0);
  const [first = '', ...rest] = words;
  const name = first.slice(first.lastIndexOf('/') + 1);
  if (name === 'sudo') {
    if (rest[0] === 'su' || isShell(rest[0] ?? '')) return startsShell(rest.join(' '));
    return (
      rest.length > 0 &&
      rest.every((word) => /^-[EHins]+$/.test(word)) &&
      /[is]/.test(rest.join(''))
    );
  }
  // The name of a user may follow.
  if (name === 'su')
    return rest.length < 3 && rest.every((word) => /^[\w-]+$/.test(word) && !/^-\w*c/.test(word));
  return isShell(name) && rest.every((word) => plainOption.test(word));
}

/** Words that begin or continue a compound command, which may go on in the next line. */
const compound =
  /(?:^|[\s;&|(])(?:if|then|elif|else|for|while|until|do|case|select|function|time|\{|!)(?=$|[\s;])/;
/** An operator at the end, behind which a shell reads another line; a backslash; a here-document. */
const open = /(?:\||&&|\\)\s*$|<</;

/**
 * Returns whether text that is typed at an empty prompt of a POSIX shell is certainly made of whole commands, so
 * that the shell shows no continuation prompt behind it. False also where only a shell could tell: compound
 * commands, substitutions, here-documents, keys that edit the line.
 */
export function isWholeInput(text: string): boolean {
  // ctrl+c begins a new line.
  const line = text.slice(text.lastIndexOf('\x03') + 1).replace(/\x1b\[20[01]~/g, '');
  if (/(?![\t\n\r])\p{Cc}/u.test(line)) return false;
  const unquoted = line.replace(/\\[^\r\n]|'[^']*'|"(?:[^"\\]|\\[\s\S])*"/g, 'x');
  return !/['"`(){}#]/.test(unquoted) && !compound.test(unquoted) && !open.test(unquoted);
}
