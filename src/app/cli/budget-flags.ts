import { type ReadBudget, VtrError } from '#model';
import { type FlagValues, wholeNumber } from './arguments/flags.ts';

/** How much is printed at most. */
export const budgetFlags = {
  head: wholeNumber('N', 'the first N lines'),
  tail: wholeNumber('N', 'the last N lines'),
  both: wholeNumber('N', 'N lines, half of them from either end'),
  'max-bytes': wholeNumber('N', 'at most N bytes; of the end, or as --head or --both say'),
  'max-tokens': wholeNumber('N', 'as much as a language model takes for N tokens; an estimate'),
};

/** @throws VtrError INVALID_ARGUMENT */
export function budgetOf(given: FlagValues<typeof budgetFlags>): ReadBudget {
  const parts = (['head', 'tail', 'both'] as const).filter((part) => given[part] !== undefined);
  const [keep, other] = parts;
  if (other !== undefined) {
    throw new VtrError('INVALID_ARGUMENT', `give --${keep} or --${other}, not both of them`);
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
