import { lstatSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { checkWritePath, createFile, overwriteFile } from '#config';
import { ioErrors, VtrError } from '#model';
import { text, toggle } from '../arguments/flags.ts';
import type { Context } from '../context.ts';

/** The flags of verbs that write a file. */
export const outputFileFlags = {
  output: text('FILE', 'the file to write; - is stdout', { short: 'o', completes: 'file' }),
  force: toggle('overwrite FILE'),
};

/** A file that a verb writes as a whole, or stdout. */
export interface OutputFile {
  /** As it was given. */
  readonly name: string;
  readonly isStdout: boolean;
  /** @throws VtrError IO_ERROR */
  write(data: string | Uint8Array): void;
}

/**
 * Checks that a file can be written, before the work for it is done.
 *
 * @throws VtrError INVALID_ARGUMENT without a file, if it exists and must not be overwritten, or if another user has
 * put something there
 */
export function outputFile(
  context: Context,
  { output: name, force }: { readonly output: string | undefined; readonly force: boolean },
): OutputFile {
  if (name === undefined) {
    throw new VtrError('INVALID_ARGUMENT', 'name the file to write with -o FILE; - is stdout');
  }
  if (name === '-') {
    const write = (data: string | Uint8Array) => context.out(Buffer.from(data));
    return { name, isStdout: true, write };
  }
  const path = resolve(context.cwd, name);
  checkWritePath(path);
  const stats = ioErrors(name, 'written', () => statSync(path, { throwIfNoEntry: false }));
  if (stats?.isDirectory()) {
    throw new VtrError('INVALID_ARGUMENT', `${name} is a directory; name a file in it`);
  }
  const link = ioErrors(name, 'written', () => lstatSync(path, { throwIfNoEntry: false }));
  // A device and a pipe have nothing that would be lost.
  const isStream = stats !== undefined && !stats.isFile();
  if (!force && !isStream && link !== undefined) {
    throw new VtrError('INVALID_ARGUMENT', `${name} exists; --force overwrites it`);
  }
  return {
    name,
    isStdout: false,
    write(data) {
      if (force || isStream) overwriteFile(path, data, { mode: 0o600 });
      else createFile(path, data);
    },
  };
}

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
