import { lstatSync, readlinkSync, type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { shellQuoted } from '#base';
import { isOutside, type ThisUser, thisUser } from './this-process.ts';

/** Why a path is not used, and how to fix it. */
export interface PathProblem {
  readonly problem: string;
  readonly fix: string;
}

/** As the kernel limits it: ELOOP, path_resolution(7). */
const maxLinks = 40;

const sticky = 0o1000;

/**
 * Returns why another user could replace one of the directories on the way to a directory or a file, or
 * that itself; null if none could, or if one does not exist. A directory is safe if only its owner can write
 * to it, and the owner is root, this user or `owner`. One with the sticky bit may be writable for others,
 * as /tmp is: they cannot replace what belongs to someone else. Links are followed.
 *
 * @param path absolute
 * @param owner a user that is trusted besides root and this one
 */
export function parentsProblem(
  path: string,
  user: ThisUser = thisUser(),
  owner: number = user.uid,
): PathProblem | null {
  const isTrusted = (uid: number) =>
    uid === 0 || uid === user.uid || uid === owner || isOutside(uid);
  // The last name first.
  const names = namesOf(path);
  let links = 0;
  for (let at = '/'; ; ) {
    const name = names.pop();
    if (name === undefined) return null;
    // A link may contain `..`; `at` has no links.
    const next = name === '..' ? dirname(at) : join(at, name);
    const stat = orNull(() => lstatSync(next, { throwIfNoEntry: false }));
    if (stat === null) return null;
    const problem = ownerProblem(next, stat, isTrusted);
    if (problem !== null) return problem;
    if (!stat.isSymbolicLink()) {
      at = next;
      continue;
    }
    const target = orNull(() => readlinkSync(next));
    // It was removed meanwhile.
    if (target === null) return null;
    if (target.startsWith('/')) at = '/';
    names.push(...namesOf(target));
    if (++links > maxLinks) return null;
  }
}

const namesOf = (path: string): string[] =>
  path
    .split('/')
    .filter((name) => name !== '' && name !== '.')
    .reverse();

/** Who may use a file. */
export interface FileAccess {
  readonly uid: number;
  readonly gid: number;
  readonly mode: number;
}

/**
 * Follows links. Returns null where nothing is, or where this user may not look: then a connection fails.
 */
export const accessOf = (path: string): FileAccess | null =>
  orNull(() => statSync(path, { throwIfNoEntry: false }));

function orNull<T>(read: () => T | undefined): T | null {
  try {
    return read() ?? null;
  } catch {
    return null;
  }
}

function ownerProblem(
  path: string,
  stat: Stats,
  isTrusted: (uid: number) => boolean,
): PathProblem | null {
  if (!isTrusted(stat.uid)) {
    const problem = `${path} belongs to user ${stat.uid}, who could replace what is in it`;
    return { problem, fix: 'choose another directory' };
  }
  if (!stat.isDirectory() || !isWritableForOthers(stat)) return null;
  const mode = (stat.mode & 0o7777).toString(8);
  const problem = `other users can write to the directory ${path} (mode ${mode})`;
  return { problem, fix: `chmod go-w ${shellQuoted(path)}, or choose another directory` };
}

/** A user's own group, which has the user's number, usually has no other member. */
function isWritableForOthers({ mode, uid, gid }: Stats): boolean {
  const others = gid === uid ? 0o002 : 0o022;
  return (mode & others) !== 0 && (mode & sticky) === 0;
}
