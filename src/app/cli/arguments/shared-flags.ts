import { type CommandChoice, type ReadBudget, VtrError } from '#model';
import type { Argument } from '../verb.ts';
import { type Flag, type FlagValues, text, toggle, wholeNumber } from './flags.ts';

/** The argument of every verb that works on one session. */
export const sessionArgument = {
  about: 'session name, or COORDINATOR:NAME',
  completes: 'session',
} as const satisfies Argument;

/** The flags of every verb that calls coordinators. */
export const reach = {
  coordinator: text('SOCKET', 'coordinator to use, by socket path or name', { completes: 'file' }),
};

/** The flags of every verb that prints more than a line. */
export const output = {
  json: toggle('print JSON'),
};

/** The flag that selects one command of a session's shell. */
export const commandFlag = (about: string): Flag<CommandChoice> => ({
  about,
  value: 'N|last',
  completes: ['last'],
  read: (given) => {
    if (given === 'last') return given;
    if (/^[1-9]\d{0,14}$/.test(given)) return Number(given);
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
export function budgetOf(given: FlagValues<typeof budgetFlags>): ReadBudget {
  const parts = (['head', 'tail', 'both'] as const).filter((part) => given[part] !== undefined);
  const [keep, other] = parts;
  if (other !== undefined) {
    throw new VtrError('INVALID_ARGUMENT', `--${keep} and --${other} cannot be used together`);
  }
  const { 'max-bytes': maxBytes, 'max-tokens': maxTokens } = given;
  const maxLines = keep && given[keep];
  return {
    ...(keep === undefined ? {} : { keep }),
    ...(maxLines === undefined ? {} : { maxLines }),
    ...(maxBytes === undefined ? {} : { maxBytes }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
  };
}
