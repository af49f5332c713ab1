import { isAbsolute, resolve } from 'node:path';
import { defined } from '#base';
import {
  type CommandChoice,
  isAddress,
  maxScrollbackLines,
  type OutputFormat,
  type ReadBudget,
  VtrError,
} from '#model';
import type { CommandRequest } from '#wire/service/short';
import { variablesOf } from '../caller.ts';
import type { Context } from '../context.ts';
import type { Argument } from '../verb.ts';
import {
  assignments,
  type Flag,
  type FlagValues,
  oneOf,
  size,
  text,
  toggle,
  variables,
  wholeNumber,
} from './flags.ts';

/** The argument of every verb that works on one session. */
export const sessionArgument = {
  about: 'session name, or COORDINATOR:NAME',
  completes: 'session',
} as const satisfies Argument;

/** The flags of every verb that calls coordinators. */
export const reach = {
  coordinator: text('COORDINATOR', 'coordinator to use, by name, socket path or address', {
    completes: 'file',
  }),
};

/** The flags of every verb that prints more than a line. */
export const output = {
  json: toggle('print JSON'),
};

/** The flag of verbs that print what a session shows. */
export const redaction = {
  redact: toggle('replace known secrets with •; stderr tells how many'),
};

/** Returns the field of a request; none without the flag: then the coordinator decides. */
export const redactOf = ({ redact }: { readonly redact: boolean }) => (redact ? { redact } : {});

/** The flag of verbs that start a program, which decides what its environment is taken from. */
export const environmentFlag = oneOf(
  ['caller', 'login', 'minimal', 'inherit'],
  'KIND',
  'environment to start with: caller (default; login at an address), login or minimal',
);

/** What help says about the environment of a program. */
export const environmentDetails =
  'The program gets your environment, except variables whose names look like secrets, which stderr lists, and variables of the terminal or agent that you run in. --env NAME passes a variable on; [environment] pass in config.toml does so always. At an address, the program gets the environment of a login there.';

/** The flags of verbs that start a program. */
export const programFlags = {
  cmd: text('LINE', 'command line for the shell, or a program if it is one word'),
  cwd: text('DIR', 'working directory (default: current; home at an address)', {
    completes: 'file',
  }),
  env: variables('add a variable to the environment, or pass your own on; repeatable'),
  environment: environmentFlag,
  size: size('size of the screen, such as 120x40'),
  label: assignments('KEY=VALUE', 'add a label; repeatable'),
  scrollback: wholeNumber('LINES', 'lines of scrollback to keep (default: as configured)', {
    to: maxScrollbackLines,
  }),
};

/**
 * Returns the program of a request, from its flags and from the words after `--`.
 *
 * @param place socket or address of the coordinator
 * @throws VtrError INVALID_ARGUMENT
 */
export function programOf(
  context: Context,
  values: FlagValues<typeof programFlags>,
  [program, ...args]: readonly string[],
  place: string,
): CommandRequest {
  const { cmd, env, environment, label, scrollback } = values;
  if (program !== undefined && cmd !== undefined) {
    throw new VtrError('INVALID_ARGUMENT', '--cmd and a program after -- cannot be used together');
  }
  return {
    ...defined({ command: cmd }),
    ...(program === undefined ? {} : { program, args }),
    ...defined({ scrollbackLines: scrollback }),
    ...startDirectoryOf(context, values.cwd, place),
    env: variablesOf(context, env),
    ...defined({ environment }),
    labels: Object.fromEntries(label),
  };
}

/** Returns the request for the user's shell in the current directory. @param place as of {@link programOf} */
export const shellIn = (context: Context, place: string): CommandRequest => ({
  ...startDirectoryOf(context, undefined, place),
  env: {},
  labels: {},
});

/** This directory may not exist elsewhere: there, the default is the home directory. */
function startDirectoryOf(context: Context, cwd: string | undefined, place: string) {
  if (cwd !== undefined || isAddress(place)) return directoryOf(context, cwd, place);
  return { cwd: context.cwd };
}

/** Returns the directory that `--cwd` names as an absolute path. @throws VtrError INVALID_ARGUMENT */
export const directoryOf = (context: Context, cwd: string | undefined, place: string) =>
  cwd === undefined ? {} : { cwd: pathThere(context, 'cwd', cwd, place) };

/**
 * Returns a path that the coordinator uses as an absolute one.
 *
 * @param flag the name of its flag
 * @param place socket or address of the coordinator
 * @throws VtrError INVALID_ARGUMENT for a relative path at an address, where this directory may not exist
 */
export function pathThere(context: Context, flag: string, path: string, place: string): string {
  const isThere = isAddress(place);
  if (isAbsolute(path)) return isThere ? path : resolve(path);
  if (!isThere) return resolve(context.cwd, path);
  const message = `--${flag} ${path} is not absolute, which it must be for ${place}`;
  throw new VtrError('INVALID_ARGUMENT', message);
}

/** The flag that selects one command of a session's shell. */
export const commandFlag = (about: string): Flag<CommandChoice> => ({
  about,
  value: 'N|last',
  completes: ['last'],
  read: (text) => {
    if (text === 'last') return text;
    if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
    throw new VtrError('INVALID_ARGUMENT', 'use last, or a number that vtr commands lists');
  },
});

/** The flags that limit how much is printed. */
export const budgetFlags = {
  head: wholeNumber('N', 'print the first N lines'),
  tail: wholeNumber('N', 'print the last N lines'),
  both: wholeNumber('N', 'print N lines, half from the start and half from the end'),
  'max-bytes': wholeNumber('N', 'print at most N bytes, from the end unless --head or --both'),
  'max-tokens': wholeNumber('N', 'print at most about N tokens of a language model'),
};

/** @throws VtrError INVALID_ARGUMENT */
export function budgetOf(
  values: FlagValues<typeof budgetFlags> & { readonly raw: boolean },
): ReadBudget {
  // Bytes are not cut into lines or tokens.
  const ofText = (['head', 'tail', 'both', 'max-tokens'] as const).find(
    (name) => values[name] !== undefined,
  );
  if (values.raw && ofText !== undefined) {
    const message = `--raw and --${ofText} cannot be used together; --max-bytes limits the bytes`;
    throw new VtrError('INVALID_ARGUMENT', message);
  }
  const parts = (['head', 'tail', 'both'] as const).filter((part) => values[part] !== undefined);
  const [keep, other] = parts;
  if (other !== undefined) {
    throw new VtrError('INVALID_ARGUMENT', `--${keep} and --${other} cannot be used together`);
  }
  const { 'max-bytes': maxBytes, 'max-tokens': maxTokens } = values;
  const maxLines = keep && values[keep];
  return defined({ keep, maxLines, maxBytes, maxTokens });
}

/** @throws VtrError INVALID_ARGUMENT */
export function formatOf({
  ansi,
  raw,
}: {
  readonly ansi: boolean;
  readonly raw: boolean;
}): OutputFormat {
  if (ansi && raw)
    throw new VtrError('INVALID_ARGUMENT', '--ansi and --raw cannot be used together');
  return raw ? 'raw' : ansi ? 'ansi' : 'text';
}

/** The flags of a verb that shows a change of files, and asks before it writes it. */
export const installFlags = (removed: string, change: string) => ({
  remove: toggle(`remove ${removed} instead`),
  yes: toggle(`write ${change} without asking`, { short: 'y' }),
  'dry-run': toggle(`show ${change} and write nothing`),
});
