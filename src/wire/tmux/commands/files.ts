import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { systemReason } from '#model';
import { writeProblem } from '#trust';
import { TmuxError } from '../tmux-error.ts';
import type { Call } from './call.ts';

/** What the caller's standard input contains. @throws TmuxError if the caller has not sent it */
export function inputOf({ caller }: Call): string {
  if (caller.input !== null) return caller.input;
  throw new TmuxError('-: standard input is read only for a command of the command line');
}

/**
 * Returns the text of a file.
 *
 * @throws TmuxError also for what is not a regular file: it could keep the daemon waiting
 */
export async function fileText(path: string): Promise<string> {
  if (path === nullDevice) return '';
  return withFile(path, constants.O_RDONLY, (file) => file.readFile('utf8'));
}

/** Writes a file, or appends to it. @throws TmuxError as {@link fileText} */
export async function writeFile(path: string, text: string, isAppended: boolean): Promise<void> {
  if (path === nullDevice) return;
  const foreign = writeProblem(path, 'in_place');
  if (foreign !== null) throw new TmuxError(`not written: ${foreign.problem}`);
  const flags = constants.O_WRONLY | constants.O_CREAT;
  await withFile(path, isAppended ? flags | constants.O_APPEND : flags, async (file) => {
    if (!isAppended) await file.truncate();
    await file.writeFile(text);
  });
}

const nullDevice = '/dev/null';

/** Paths that name a descriptor of the process that opens them: the daemon has others than its caller. */
const ownDescriptor = /^\/(dev\/(fd\/|std(in|out|err)$)|proc\/(self|thread-self)\/)/;

async function withFile<T>(
  path: string,
  flags: number,
  act: (file: FileHandle) => Promise<T>,
): Promise<T> {
  if (ownDescriptor.test(path)) throw new TmuxError(`not a file for the daemon: ${path}`);
  let file: FileHandle | null = null;
  try {
    // Does not wait for the other end of a FIFO, and makes no terminal that of the daemon.
    file = await open(path, flags | constants.O_NONBLOCK | constants.O_NOCTTY, 0o666);
    const about = await file.stat();
    if (!about.isFile() && !about.isDirectory()) {
      throw new TmuxError(`not a regular file: ${path}`);
    }
    return await act(file);
  } catch (error) {
    if (error instanceof TmuxError) throw error;
    throw new TmuxError(`${systemReason(error)}: ${path}`);
  } finally {
    await file?.close();
  }
}
