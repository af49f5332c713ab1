import { type Stats, statSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { checkWritePath } from '#config';
import { isVtrError, systemReason, VtrError } from '#model';
import { type CommandRow, commandRow } from '#wire/tmux/table';
import type { Context } from '../context.ts';

/** What the words of a command become when the caller opens its files. */
export interface OwnFiles {
  readonly words: readonly string[];
  /** The content for a `-` that is read. */
  readonly input?: string;
  /** Prints what the command has printed, to the file if one is to be written. */
  readonly print: (text: string) => Promise<void>;
}

/** A path among the words. */
interface PathWord {
  readonly at: number;
  readonly path: string;
  readonly isWritten: boolean;
  readonly isAppended: boolean;
}

/**
 * Opens what the daemon cannot: standard input, and files that are not regular ones, such as a FIFO or
 * `/dev/fd/3`.
 *
 * @throws VtrError INVALID_ARGUMENT if a file cannot be read, or several would have to be passed
 */
export async function openOwnFiles(
  context: Context,
  given: readonly string[],
  print: (text: string) => void,
): Promise<OwnFiles> {
  const { cwd } = context;
  const words = [...given];
  const paths = pathWords(given).filter(({ path, isWritten }) =>
    path === '-' ? !isWritten : isOwn(resolve(cwd, path)),
  );
  for (const { at } of paths) words[at] = words[at]?.endsWith(';') ? '-;' : '-';
  const read = paths.filter(({ isWritten }) => !isWritten);
  const [written, ...more] = paths.filter(
    ({ path, isWritten }) => isWritten && !isStandard(path, 1),
  );
  const isAlone = !given.some((word) => word.endsWith(';'));
  if (read.length > 1 || more.length > 0 || (written !== undefined && !isAlone)) {
    const all = paths.map(({ path }) => path).join(', ');
    throw new VtrError(
      'INVALID_ARGUMENT',
      `cannot pass several of ${all}; use a command for each, or regular files`,
    );
  }
  const [only] = read;
  return {
    words,
    ...(only !== undefined && { input: await contentOf(context, only.path) }),
    print: async (text) => {
      if (written === undefined) print(text);
      else await named(written.path, writeTo(resolve(cwd, written.path), text, written));
    },
  };
}

async function writeTo(path: string, text: string, { isAppended }: PathWord): Promise<void> {
  checkWritePath(path);
  await writeFile(path, text, { flag: isAppended ? 'a' : 'w' });
}

async function contentOf(context: Context, path: string): Promise<string> {
  if (path === '-' || isStandard(path, 0)) {
    return Buffer.from(await context.readInput()).toString();
  }
  return named(path, readFile(resolve(context.cwd, path), 'utf8'));
}

async function named<T>(path: string, result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (error) {
    if (isVtrError(error)) throw error;
    throw new VtrError('INVALID_ARGUMENT', `${systemReason(error)}: ${path}`);
  }
}

/** Whether a path is that of standard input (0) or output (1). */
const isStandard = (path: string, descriptor: 0 | 1): boolean =>
  path === ['/dev/stdin', '/dev/stdout'][descriptor] ||
  path === `/dev/fd/${descriptor}` ||
  path === `/proc/self/fd/${descriptor}`;

/** Whether a path names something else in the daemon, or would keep it waiting. */
function isOwn(path: string): boolean {
  if (path === '/dev/null') return false;
  if (/^\/(dev\/(fd\/|std(in|out|err)$)|proc\/(self|thread-self)\/)/.test(path)) return true;
  let about: Stats | undefined;
  try {
    about = statSync(path, { throwIfNoEntry: false });
  } catch {
    // The daemon says what is wrong with it.
  }
  return about !== undefined && !about.isFile() && !about.isDirectory();
}

/** Returns the parts of the words that are commands, without the `;` between them. */
function commandWords(
  words: readonly string[],
): readonly { readonly from: number; readonly to: number }[] {
  const commands: { from: number; to: number }[] = [];
  let from = 0;
  for (const [at, word] of words.entries()) {
    const isLast = at === words.length - 1;
    const ends = word.endsWith(';') && !word.endsWith('\\;');
    if (!isLast && !ends) continue;
    commands.push({ from, to: word === ';' ? at : at + 1 });
    from = at + 1;
  }
  return commands;
}

/** The command that begins at a word; null if it is not known. */
const rowAt = (words: readonly string[], from: number): CommandRow | null =>
  commandRow((words[from] ?? '').replace(/;$/, ''));

/** Whether one of the commands starts a server where none runs; no words are `new-session`. */
export const startsServer = (words: readonly string[]): boolean =>
  words.length === 0 || commandWords(words).some(({ from }) => rowAt(words, from)?.starts === true);

/** The paths of commands that read or write files. */
const pathWords = (words: readonly string[]): PathWord[] =>
  commandWords(words).flatMap(({ from, to }) => pathsOf(words, from, to));

function pathsOf(words: readonly string[], from: number, to: number): PathWord[] {
  const { file, flags = '' } = rowAt(words, from) ?? {};
  if (file === undefined) return [];
  let isAppended = false;
  let at = from + 1;
  for (; at < to; at++) {
    const word = words[at] ?? '';
    if (!word.startsWith('-') || word.replace(/;$/, '') === '-') break;
    if (word === '--') {
      at++;
      break;
    }
    isAppended ||= /^-[^b]*a/.test(word);
    const value = [...word].findIndex((flag) => flags.includes(`${flag}:`));
    if (value === word.length - 1) at++;
  }
  return Array.from({ length: Math.max(0, to - at) }, (_none, index) => ({
    ...{ at: at + index, isWritten: file === 'written', isAppended },
    path: (words[at + index] ?? '').replace(/;$/, ''),
  }));
}
