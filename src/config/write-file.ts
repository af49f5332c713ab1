import {
  chmodSync,
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { shellQuoted } from '#base';
import { ioError, isVtrError, VtrError } from '#model';
import { isOwn, type PathProblem, parentsProblem, writeProblem } from '#trust';

export interface NewFileOptions {
  /** Permission bits of a new file, before the umask is applied; default 0o600. */
  readonly mode?: number;
  /** For tests. */
  readonly write?: (file: number, data: string | Uint8Array) => void;
}

/**
 * Creates a file with this content, or no file.
 *
 * @throws VtrError IO_ERROR, also if the file exists
 */
export function createFile(
  file: string,
  data: string | Uint8Array,
  options: NewFileOptions = {},
): void {
  try {
    writeNew(file, data, options);
  } catch (error) {
    throw ioError(file, 'written', error);
  }
}

/**
 * Replaces a file atomically, or leaves it unchanged and no other file behind.
 *
 * @throws VtrError IO_ERROR
 */
export function replaceFile(
  file: string,
  data: string | Uint8Array,
  options: NewFileOptions = {},
): void {
  try {
    replace(file, data, options);
  } catch (error) {
    throw ioError(file, 'written', error);
  }
}

/**
 * Writes a file that belongs to the user: replaces it, with its permissions, or creates it. A device and a
 * pipe cannot be replaced, and what a link names must stay where it is: they are written in place, unless
 * another user has put them there.
 *
 * @throws VtrError IO_ERROR, INVALID_ARGUMENT for what another user has put there
 */
export function overwriteFile(
  file: string,
  data: string | Uint8Array,
  options: NewFileOptions = {},
): void {
  try {
    checkWritePath(file);
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (stats === undefined) replace(file, data, { mode: 0o666, ...options });
    // With the mode of another user's file, that user could read ours.
    else if (stats.isFile())
      replace(file, data, options, isOwn(stats) ? stats.mode & 0o777 : undefined);
    else writeFileSync(file, data);
  } catch (error) {
    if (isVtrError(error)) throw error;
    throw ioError(file, 'written', error);
  }
}

/** @throws VtrError INVALID_ARGUMENT if a path leads to what another user has put there */
export function checkWritePath(file: string): void {
  const problem = writeProblem(resolve(file));
  if (problem === null) return;
  const message = `${file} is not written: ${problem.problem}; ${problem.fix}`;
  throw new VtrError('INVALID_ARGUMENT', message, { details: { path: file } });
}

/**
 * As {@link overwriteFile}, in a directory that is made if it does not exist, as open as the umask lets it be.
 *
 * @throws VtrError IO_ERROR
 */
export function overwriteInDirectory(file: string, data: string | Uint8Array): void {
  makeDirectoryOf(file);
  overwriteFile(file, data);
}

/**
 * Makes the directory of a file that the user has named, as open as the umask lets it be.
 *
 * @throws VtrError IO_ERROR, INVALID_ARGUMENT as {@link checkWritePath}
 */
export function makeDirectoryOf(file: string): void {
  checkWritePath(file);
  try {
    makeDirectory(dirname(file), 0o777);
  } catch (error) {
    throw ioError(file, 'written', error);
  }
}

/** Removes a file if it exists. @throws VtrError IO_ERROR */
export function removeFile(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch (error) {
    throw ioError(file, 'removed', error);
  }
}

/** @param mode permission bits, whatever the umask is; default as in the options */
function replace(
  file: string,
  data: string | Uint8Array,
  options: NewFileOptions,
  mode?: number,
): void {
  // A process that was killed can have left its file, also one with our pid. The name is short: that of
  // the file may be as long as the file system allows. An import of node:crypto would delay every command.
  const temporary = join(dirname(file), `.vtr-${crypto.randomUUID().slice(0, 13)}.tmp`);
  writeNew(temporary, data, options);
  removedUnless(temporary, () => {
    if (mode !== undefined) chmodSync(temporary, mode);
    renameSync(temporary, file);
  });
}

function writeNew(
  file: string,
  data: string | Uint8Array,
  { mode = 0o600, write = writeFileSync }: NewFileOptions,
): void {
  const descriptor = openSync(file, 'wx', mode);
  removedUnless(file, () => {
    try {
      write(descriptor, data);
    } finally {
      // Some file systems report only now that there was no space.
      closeSync(descriptor);
    }
  });
}

/** Removes our file if `act` throws. */
function removedUnless(file: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
}

/** Symbolic links of the system itself: to /run, or to macOS's own directories. */
const systemLinks = new Set(['/var/run', '/tmp', '/var/tmp']);

const chooseAnother = 'choose another with --socket or VTR_SOCKET';

/** What a directory for a socket is used for. */
export interface SocketDirectoryOptions {
  /** Whether members of the directory's group may enter it, to use the socket. Default: false. */
  readonly isGroupOpen?: boolean;
}

/**
 * Returns why another user could replace our socket in a directory, or the directory itself or one above
 * it; null if none could, or if the directory does not exist.
 */
export function directoryProblem(
  directory: string,
  { isGroupOpen = false }: SocketDirectoryOptions = {},
): PathProblem | null {
  try {
    return ownProblem(directory, isGroupOpen);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { problem: `cannot check the directory ${directory}: ${code}`, fix: chooseAnother };
  }
}

/** @throws Error of the system */
function ownProblem(directory: string, isGroupOpen: boolean): PathProblem | null {
  const own = lstatSync(directory, { throwIfNoEntry: false });
  if (own === undefined) return null;
  if (own.isSymbolicLink() && !systemLinks.has(directory)) {
    return { problem: `${directory} is a symbolic link`, fix: 'use the directory it points to' };
  }
  const stat = own.isSymbolicLink() ? statSync(directory) : own;
  if (!stat.isDirectory()) {
    return { problem: `${directory} is not a directory`, fix: chooseAnother };
  }
  if (!isOwn(stat) && stat.uid !== 0) {
    return {
      problem: `the directory ${directory} belongs to user ${stat.uid}`,
      fix: chooseAnother,
    };
  }
  // Root's directories are readable for all; only write access matters there.
  const open = stat.mode & (stat.uid === 0 ? 0o022 : isGroupOpen ? 0o027 : 0o077);
  if (open === 0) return parentsProblem(dirname(resolve(directory)));
  const mode = (stat.mode & 0o7777).toString(8);
  return {
    problem: `others have access to the directory ${directory} (mode ${mode})`,
    // A directory with the sticky bit is meant for all users, as /tmp is.
    fix:
      (stat.mode & 0o1000) === 0
        ? `chmod ${isGroupOpen ? 750 : 700} ${shellQuoted(directory)}, or ${chooseAnother}`
        : chooseAnother,
  };
}

/**
 * Makes a directory if it does not exist, with access for the user alone, and checks that no other
 * user can replace a socket in it.
 *
 * @throws VtrError UNAVAILABLE, with the fix
 */
export function ensurePrivateDirectory(
  directory: string,
  options: SocketDirectoryOptions = {},
): void {
  try {
    // The umask may have removed permissions that we need.
    if (makeDirectory(directory)) chmodSync(directory, 0o700);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw refusal({
      problem: `cannot make the directory ${directory}: ${code}`,
      fix: chooseAnother,
    });
  }
  const problem = directoryProblem(directory, options);
  if (problem !== null) throw refusal(problem);
}

const refusal = ({ problem, fix }: PathProblem): VtrError =>
  new VtrError('UNAVAILABLE', `${problem}; ${fix}`);

/**
 * Makes a directory and its missing parents. Node's `recursive` never returns where a directory cannot
 * be made and the system reports ENOENT, as in /proc.
 *
 * @param mode before the umask is applied
 * @returns false if a file or directory of that name exists
 * @throws Error of the system
 */
export function makeDirectory(directory: string, mode = 0o700): boolean {
  try {
    return makeOne(directory, mode);
  } catch (error) {
    const parent = dirname(directory);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === directory) throw error;
    makeDirectory(parent, mode);
    return makeOne(directory, mode);
  }
}

function makeOne(directory: string, mode: number): boolean {
  try {
    mkdirSync(directory, { mode });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
