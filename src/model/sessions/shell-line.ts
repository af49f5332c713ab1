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
