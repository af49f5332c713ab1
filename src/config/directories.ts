import { chmodSync, lstatSync, statSync } from 'node:fs';
import { VtrError } from '#model';
import { makeFolder } from './make-folder.ts';

/** Links of the system's own: they lead to /run, or to where macOS keeps them. */
const systemLinks = new Set(['/var/run', '/tmp', '/var/tmp']);

const another = 'choose another with --socket';

/** What is wrong with a folder, and what to do about it. */
export interface FolderProblem {
  readonly problem: string;
  readonly fix: string;
}

/**
 * Why others could put a socket in the place of ours in a folder; null where they cannot, or where
 * there is no such folder.
 */
export function folderProblem(folder: string): FolderProblem | null {
  const own = lstatSync(folder, { throwIfNoEntry: false });
  if (own === undefined) return null;
  if (own.isSymbolicLink() && !systemLinks.has(folder)) {
    return { problem: `${folder} is a symbolic link`, fix: 'name the folder that it leads to' };
  }
  const stat = own.isSymbolicLink() ? statSync(folder) : own;
  const uid = process.getuid?.() ?? stat.uid;
  if (!stat.isDirectory()) return { problem: `${folder} is no folder`, fix: another };
  if (stat.uid !== uid && stat.uid !== 0) {
    return { problem: `the folder ${folder} belongs to user ${stat.uid}`, fix: another };
  }
  // A folder of the system's is open to all for reading; what counts is who can put things there.
  const open = stat.mode & (stat.uid === 0 ? 0o022 : 0o077);
  if (open === 0) return null;
  const mode = (stat.mode & 0o7777).toString(8);
  return {
    problem: `others have access to the folder ${folder} (mode ${mode})`,
    // With the sticky bit it is one that is meant for all, such as /tmp.
    fix: (stat.mode & 0o1000) === 0 ? `chmod 700 ${folder}, or ${another}` : another,
  };
}

/**
 * Sees to it that a folder is one in which nobody else can put a socket in the place of ours. One
 * that is missing is made, for the user alone.
 *
 * @throws VtrError UNAVAILABLE, with the fix
 */
export function ensurePrivateFolder(folder: string): void {
  try {
    // The umask may have taken from it what we need.
    if (makeFolder(folder)) chmodSync(folder, 0o700);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw refused({ problem: `cannot make the folder ${folder}: ${code}`, fix: another });
  }
  const problem = folderProblem(folder);
  if (problem !== null) throw refused(problem);
}

const refused = ({ problem, fix }: FolderProblem): VtrError =>
  new VtrError('UNAVAILABLE', `${problem}; ${fix}`);
