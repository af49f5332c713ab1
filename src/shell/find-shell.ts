import { basename } from 'node:path';
import { shellQuoted } from '#base';
import type { NotIntegrated } from './spawn.ts';

/** The shell that a command starts, such as the `bash -l` of `env A=1 nice bash -l`. */
export interface FoundShell {
  /** The name or path of the shell. */
  readonly program: string;
  readonly args: readonly string[];
  /** The variables that the words before it set; null for a variable that they remove. */
  readonly variables: Readonly<Record<string, string | null>>;
  /** Returns the arguments of the whole command if those of the shell are `args`. */
  readonly withArgs: (args: readonly string[]) => readonly string[];
}

export const shellNames = ['bash', 'zsh', 'fish'] as const;

export type ShellName = (typeof shellNames)[number];

/** Returns the name of a supported shell; undefined for other programs. */
export function shellNameOf(program: string): ShellName | undefined {
  return shellNames.find((name) => name === basename(program));
}

/** Programs that run a command with changed surroundings, and their options. */
interface Wrapper {
  /** Options without a value. */
  readonly plain?: RegExp;
  /** Options whose value is the next word. */
  readonly valued?: RegExp;
  /** Variables may precede the command. */
  readonly hasVariables?: true;
  /** The number of words before the command. */
  readonly operands?: number;
}

const wrappers: Readonly<Record<string, Wrapper>> = {
  env: {
    plain: /^(?:-v|--debug|--chdir=.+|-C.+)$/,
    valued: /^(?:-C|--chdir)$/,
    hasVariables: true,
  },
  nice: { plain: /^(?:-n?[+-]?\d+|--adjustment=.+)$/, valued: /^(?:-n|--adjustment)$/ },
  stdbuf: {
    plain: /^(?:-[ioe].+|--(?:input|output|error)=.+)$/,
    valued: /^(?:-[ioe]|--(?:input|output|error))$/,
  },
  timeout: {
    plain:
      /^(?:-v|-f|-p|--foreground|--preserve-status|--verbose|-[ks].+|--(?:kill-after|signal)=.+)$/,
    valued: /^(?:-[ks]|--(?:kill-after|signal))$/,
    operands: 1,
  },
};

const clears = 'removes the variables of shell integration from the environment';

/** Why a shell that another program starts cannot be integrated. */
const obstacles: Readonly<Record<string, string>> = {
  sudo: clears,
  doas: clears,
  su: clears,
  nohup: 'redirects the input and output of the shell',
  setsid: 'starts the shell in another session of the system',
};

/**
 * Finds the shell that a command starts: directly, by a program such as `env` or `nice`, or by a
 * simple line of a shell (`sh -c 'exec -a x bash'`).
 */
export function findShell(program: string, args: readonly string[]): FoundShell | NotIntegrated {
  const name = basename(program);
  if (args[0] === '-c' && args.length === 2) return findInLine(program, args[1] ?? '');
  if (shellNameOf(program) !== undefined) {
    return { program, args, variables: {}, withArgs: (words) => words };
  }
  if (Object.hasOwn(obstacles, name)) return { reason: `${name} ${obstacles[name]}` };
  const wrapper = Object.hasOwn(wrappers, name) ? wrappers[name] : undefined;
  if (wrapper === undefined) return { reason: `${name} is not bash, zsh or fish` };
  return findAfter(name, wrapper, args);
}

function findAfter(
  name: string,
  wrapper: Wrapper,
  args: readonly string[],
): FoundShell | NotIntegrated {
  const { plain, valued, hasVariables, operands = 0 } = wrapper;
  const variables: Record<string, string | null> = {};
  let at = 0;
  for (let word = args[at]; word?.startsWith('-'); word = args[at]) {
    const removed = hasVariables && /^(?:-u|--unset)(?:=?(.+))?$/.exec(word);
    at += 1;
    if (word === '--') break;
    if (removed) variables[removed[1] ?? args[at++] ?? ''] = null;
    else if (valued?.test(word)) at += 1;
    else if (!plain?.test(word)) return { reason: `${name} was started with ${word}` };
  }
  at += operands;
  for (let word = args[at]; hasVariables && word?.includes('='); word = args[++at]) {
    addVariable(variables, word);
  }
  return after(args, at, variables) ?? { reason: `${name} is not bash, zsh or fish` };
}

/** Returns the shell that the words from `at` on start; null if there are none. */
function after(
  words: readonly string[],
  at: number,
  variables: FoundShell['variables'],
): FoundShell | NotIntegrated | null {
  const program = words[at];
  if (program === undefined) return null;
  const shell = findShell(program, words.slice(at + 1));
  if ('reason' in shell) return shell;
  return {
    ...shell,
    variables: { ...variables, ...shell.variables },
    withArgs: (args) => [...words.slice(0, at + 1), ...shell.withArgs(args)],
  };
}

function addVariable(variables: Record<string, string | null>, word: string): void {
  const equals = word.indexOf('=');
  variables[word.slice(0, equals)] = word.slice(equals + 1);
}

/** Shells whose `-c` accepts a line of POSIX words. */
const lineShells: ReadonlySet<string> = new Set([
  'sh',
  'dash',
  'ash',
  'ksh',
  'mksh',
  ...shellNames,
]);

/** A line of words without quotes, expansions or operators. */
const plainLine = /^[\w@%+:,./=-]+(?:[ \t]+[\w@%+:,./=-]+)*$/;

/** Finds the shell that a simple line of another shell starts. */
function findInLine(program: string, line: string): FoundShell | NotIntegrated {
  const name = basename(program);
  const other = { reason: `${name} was started with -c` };
  if (!lineShells.has(name)) return { reason: `${name} is not bash, zsh or fish` };
  if (!plainLine.test(line.trim())) return other;
  const words = line.trim().split(/[ \t]+/);
  const variables: Record<string, string> = {};
  let at = 0;
  for (let word = words[at]; word !== undefined && /^\w+=/.test(word); word = words[++at]) {
    addVariable(variables, word);
  }
  if (words[at] === 'command') at += 1;
  if (words[at] === 'exec') at += words[at + 1] === '-a' ? 3 : 1;
  // A name that begins with - makes a login shell.
  if (words[at - 2] === '-a' && words[at - 1]?.startsWith('-')) return other;
  const shell = after(words, at, variables);
  if (shell === null || 'reason' in shell) {
    return shell?.reason.endsWith('is not bash, zsh or fish') === false ? shell : other;
  }
  // The outer zsh would read the files of the inner one.
  if (name === 'zsh' && shellNameOf(shell.program) === 'zsh') return other;
  return {
    ...shell,
    withArgs: (args) => ['-c', shell.withArgs(args).map(shellQuoted).join(' ')],
  };
}
