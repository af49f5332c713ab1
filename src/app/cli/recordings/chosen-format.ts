import { VtrError } from '#model';
import type { OutputFile } from './output-file.ts';

/**
 * Returns the format that the suffix of a file chooses.
 *
 * @throws VtrError INVALID_ARGUMENT for a suffix that is not known
 */
export function formatOfSuffix<Format extends string>(
  { name }: OutputFile,
  formats: readonly Format[],
): Format {
  const format = formats.findLast((each) => name.toLowerCase().endsWith(`.${each}`));
  if (format !== undefined) return format;
  const suffixes = formats.map((each) => `.${each}`).join(', ');
  const message = `${name} has none of the suffixes that choose a format: ${suffixes}; or give --format`;
  throw new VtrError('INVALID_ARGUMENT', message);
}
