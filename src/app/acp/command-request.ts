import { isUtf8 } from 'node:buffer';
import { readFileSync, readlinkSync } from 'node:fs';

/** A command that an agent has asked its shell to run, as its process tells it: proc(5). */
export interface CommandRequest {
  /** The arguments of the shell: `-c LINE`, perhaps after other options. */
  readonly words: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** In octal. */
  readonly umask: string;
  /** Whether standard input is /dev/null. */
  readonly hasNoInput: boolean;
  /** Whether standard output and standard error are the same file. */
  readonly hasOneOutput: boolean;
}

/**
 * Reads a request from the process that made it.
 *
 * @param script the path by which the agent has called its shell
 * @returns null if a session would not be the same for the command: it is in a sandbox, or its text is not UTF-8
 * @throws the error of the system, if the process has ended
 */
export function commandRequestOf(pid: number, script: string): CommandRequest | null {
  const words = textsIn(`/proc/${pid}/cmdline`);
  const variables = textsIn(`/proc/${pid}/environ`);
  // The interpreter and the script come first.
  if (words?.[1] !== script || variables === null) return null;
  if (confinementOf(pid) !== confinementOf(process.pid)) return null;
  const file = (fd: number) => readlinkSync(`/proc/${pid}/fd/${fd}`);
  return {
    words: words.slice(2),
    cwd: readlinkSync(`/proc/${pid}/cwd`),
    env: Object.fromEntries(variables.map(variable)),
    umask: /^Umask:\s*(\d+)$/m.exec(statusOf(pid))?.[1] ?? '022',
    // Standard input, as agent-shell.sh keeps it.
    hasNoInput: file(4) === '/dev/null',
    hasOneOutput: file(1) === file(2),
  };
}

const statusOf = (pid: number): string => readFileSync(`/proc/${pid}/status`, 'latin1');

/** Returns the texts of a file in which a NUL ends each; null if they are not UTF-8. */
function textsIn(file: string): string[] | null {
  const bytes = readFileSync(file);
  return isUtf8(bytes) ? bytes.toString('utf8').split('\0').slice(0, -1) : null;
}

function variable(text: string): [name: string, value: string] {
  const at = text.indexOf('=');
  return [text.slice(0, at), text.slice(at + 1)];
}

const namespaces = ['cgroup', 'ipc', 'mnt', 'net', 'pid', 'user', 'uts'];
const limits = /^(?:Uid|Gid|Groups|Cap(?:Eff|Bnd)|NoNewPrivs|Seccomp):.*$/gm;

/** Returns what confines a process: a sandbox of bubblewrap, Landlock or seccomp changes it. */
const confinementOf = (pid: number): string =>
  [
    readlinkSync(`/proc/${pid}/root`),
    ...namespaces.map((each) => readlinkSync(`/proc/${pid}/ns/${each}`)),
    ...(statusOf(pid).match(limits) ?? []),
  ].join('\n');

/** A word of a shell that is one string in single quotes, with others for the quotes in it. */
const quoted = /(?:'[^']*'|"'"|\\')+/.source;

/** The line in which Claude Code runs a command: its own settings before, its directory after it. */
const wrapped = new RegExp(`&& eval (${quoted})( < /dev/null)? && pwd -P >\\| \\S+$`);

/** What an agent wanted to run. */
export interface CommandLine {
  /** The words of the shell, without a redirection of standard input that the agent has added. */
  readonly words: readonly string[];
  /** What the model asked for, without what the agent has added. */
  readonly command: string;
  /** Whether the agent has redirected standard input from /dev/null. */
  readonly hasNoInput: boolean;
}

/** @param words `-c LINE`, perhaps after other options, and arguments of the line */
export function commandLineIn(words: readonly string[]): CommandLine {
  const at = words.findIndex((word) => /^-[^-]*c/.test(word)) + 1;
  // `-c -l LINE`
  const line = words.findIndex((word, index) => index >= at && !word.startsWith('-'));
  const text = words[line] ?? '';
  const [match, command, redirection] = wrapped.exec(text) ?? [];
  if (match === undefined || command === undefined)
    return { words, command: text, hasNoInput: false };
  if (redirection === undefined) return { words, command: unquoted(command), hasNoInput: false };
  const end = match.slice(match.lastIndexOf(' && pwd -P'));
  const open = text.slice(0, -redirection.length - end.length) + end;
  return { words: words.with(line, open), command: unquoted(command), hasNoInput: true };
}

const unquoted = (word: string): string =>
  word.replace(/'([^']*)'|"(')"|\\(')/g, (_all, ...texts: readonly (string | undefined)[]) =>
    texts
      .slice(0, 3)
      .filter((each) => each !== undefined)
      .join(''),
  );
