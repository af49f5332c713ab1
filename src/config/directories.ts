import { chmodSync, lstatSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { shellQuoted } from '#base';
import { VtrError } from '#model';
import { isOwn, type PathProblem, parentsProblem } from '#trust';

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
