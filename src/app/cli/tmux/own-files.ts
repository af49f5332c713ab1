import { type Stats, statSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { checkWritePath } from '#config';
import { isVtrError, systemReason, VtrError } from '#model';
import type { Context } from '../context.ts';

/** What the words of a command become when the caller opens its files. */
export interface OwnFiles {
  readonly words: readonly string[];
  /** The content for a `-` that is read. */
  readonly input?: string;
  /** Prints what the command has printed, to the file if one is to be written. */
  readonly print: (text: string) => Promise<void>;
}

interface FileCommand {
  readonly name: string;
  readonly alias: string;
  /** The least letters of the name that no other command begins with. */
  readonly least: number;
  /** The flags with a value. */
  readonly valued: string;
  readonly isWritten: boolean;
}

const fileCommands: readonly FileCommand[] = [
  { name: 'load-buffer', alias: 'loadb', least: 3, valued: 'bt', isWritten: false },
  { name: 'source-file', alias: 'source', least: 2, valued: 't', isWritten: false },
  { name: 'save-buffer', alias: 'saveb', least: 2, valued: 'b', isWritten: true },
];

/** A path among the words. */
interface PathWord {
  readonly at: number;
  readonly path: string;
  readonly command: FileCommand;
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
  const paths = pathWords(given).filter(({ path, command }) =>
    path === '-' ? !command.isWritten : isOwn(resolve(cwd, path)),
  );
  for (const { at } of paths) words[at] = words[at]?.endsWith(';') ? '-;' : '-';
  const read = paths.filter(({ command }) => !command.isWritten);
  const [written, ...more] = paths.filter(
    ({ path, command }) => command.isWritten && !isStandard(path, 1),
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

/** The paths of commands that read or write files. */
function pathWords(words: readonly string[]): PathWord[] {
  const paths: PathWord[] = [];
  let from = 0;
  for (const [at, word] of words.entries()) {
    const isLast = at === words.length - 1;
    const ends = word.endsWith(';') && !word.endsWith('\\;');
    if (!isLast && !ends) continue;
    paths.push(...pathsOf(words, from, word === ';' ? at : at + 1));
    from = at + 1;
  }
  return paths;
}

function pathsOf(words: readonly string[], from: number, to: number): PathWord[] {
  const given = words[from] ?? '';
  const command = fileCommands.find(
    ({ name, alias, least }) =>
      given === alias || (given.length >= least && name.startsWith(given)),
  );
  if (command === undefined) return [];
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
    const value = [...word].findIndex((flag) => command.valued.includes(flag));
    if (value === word.length - 1) at++;
  }
  return Array.from({ length: Math.max(0, to - at) }, (_none, index) => ({
    ...{ at: at + index, command, isAppended },
    path: (words[at + index] ?? '').replace(/;$/, ''),
  }));
}
