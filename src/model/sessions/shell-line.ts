const shells = new Set(['sh', 'ash', 'bash', 'busybox', 'dash', 'ksh', 'mksh', 'zsh']);

/** Returns whether a program is a shell that reads the language of POSIX. */
export function isPosixShell(name: string | null): boolean {
  return name !== null && shells.has(name);
}

/** Returns whether a text is what most shells show for the rest of a command. Some have it as their prompt. */
export const isSecondPrompt = (text: string): boolean => text.trim() === '>';

/** Returns whether a line of a shell replaces the shell by another program. */
export function replacesShell(line: string | null | undefined): boolean {
  return /^\s*exec\s/.test(line ?? '');
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
