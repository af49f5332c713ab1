import { lstatSync, readFileSync, readlinkSync, type Stats, statSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { shellQuoted } from '#base';

/** Why a path is not used, and how to fix it. */
export interface PathProblem {
  readonly problem: string;
  readonly fix: string;
}

/** As the kernel limits it: ELOOP, path_resolution(7). */
const maxLinks = 40;

const sticky = 0o1000;

/** The users who may own a file, and what others may do with it, by what the file is for. */
export interface FileRule {
  /** `user`: only this user's own. `system`: root's as well, such as a configuration for all users. */
  readonly owner: 'user' | 'system';
  /** What others may do: `nothing` with a secret, `read` other files. */
  readonly others: 'nothing' | 'read';
}

/**
 * Returns why a file must not be read or executed: it is not this user's own, or others can change or replace
 * it. Null if it may be. Every file that vtr uses passes this, or {@link ownProblem} in a directory that has.
 *
 * @param stat of what was opened: the path may name another file by now
 */
export const fileProblem = (
  path: string,
  stat: FileAccess,
  rule: FileRule,
  user: ThisUser = thisUser(),
): PathProblem | null =>
  ownProblem(path, stat, rule, user) ?? parentsProblem(dirname(resolve(path)), user);

/**
 * As {@link fileProblem}, without the directories on the way: for a file in a directory that was checked.
 *
 * @param path for the message
 */
export function ownProblem(
  path: string,
  stat: FileAccess,
  { owner, others }: FileRule,
  user: ThisUser = thisUser(),
): PathProblem | null {
  if (!(owner === 'system' ? isTrusted(stat.uid, user) : isOwn(stat, user))) {
    const problem = `${path} belongs to user ${stat.uid}`;
    return { problem, fix: `it must be yours: chown ${user.uid} ${shellQuoted(path)}` };
  }
  const mode = (stat.mode & 0o7777).toString(8);
  if (others === 'nothing' && (stat.mode & 0o077) !== 0) {
    const problem = `${path} is accessible to others (mode ${mode})`;
    return { problem, fix: `chmod 600 ${shellQuoted(path)}` };
  }
  if (!isWritableForOthers(stat)) return null;
  return {
    problem: `${path} is writable by others (mode ${mode})`,
    fix: `chmod go-w ${shellQuoted(path)}`,
  };
}

/** Whether something belongs to the user that this process acts as. */
export const isOwn = ({ uid }: Pick<FileAccess, 'uid'>, user: ThisUser = thisUser()): boolean =>
  uid === user.uid;

/** Whether a uid is this user, root, or in a user namespace the owner of the files of the system. */
const isTrusted = (uid: number, user: ThisUser): boolean =>
  uid === 0 || uid === user.uid || isOutside(uid);

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
  for (const { path: at, stat } of wayTo(path)) {
    const problem = ownerProblem(at, stat, (uid) => uid === owner || isTrusted(uid, user));
    if (problem !== null) return problem;
  }
  return null;
}

/**
 * Returns why a path that this user has named must not be written: it leads through a link, a pipe or a device
 * that another user has made in a directory that all users share. Null if it does not. The kernel has this rule
 * for links (fs.protected_symlinks, proc_sys_fs(5)), where a system does not switch it off, and in part for pipes.
 *
 * @param path absolute
 * @param file `in_place`: a regular file of another user is refused, too: that user could read what is written.
 *   `replaced`, the default: any user may own it
 */
export function writeProblem(
  path: string,
  file: 'replaced' | 'in_place' = 'replaced',
): PathProblem | null {
  const user = thisUser();
  for (const { path: at, stat, isShared } of wayTo(path)) {
    const isReplaced = file === 'replaced' && stat.isFile();
    const isWrittenInPlace = !isReplaced && !stat.isDirectory();
    if (isShared && isWrittenInPlace && !isTrusted(stat.uid, user)) {
      const problem = `${at} belongs to user ${stat.uid}, in a directory that all users share`;
      return { problem, fix: 'choose another file' };
    }
  }
  return null;
}

/** Returns the directory for temporary files: /tmp if another user could replace those in TMPDIR. */
export const temporaryDirectory = (): string =>
  [tmpdir(), '/tmp'].find((each) => parentsProblem(resolve(each)) === null) ?? tmpdir();

interface Step {
  readonly path: string;
  readonly stat: Stats;
  /** Whether it is in a directory in which others may make files, and remove only their own. */
  readonly isShared: boolean;
}

/**
 * Yields each entry on the way to a path, from the root to the last that exists, with the directories that links
 * lead to. A link is yielded before it is followed.
 */
function* wayTo(path: string): Generator<Step> {
  // The last name first.
  const names = namesOf(path);
  let links = 0;
  let isShared = false;
  for (let at = '/'; ; ) {
    const name = names.pop();
    if (name === undefined) return;
    // A link may contain `..`; `at` has no links.
    const next = name === '..' ? dirname(at) : join(at, name);
    const stat = orNull(() => lstatSync(next, { throwIfNoEntry: false }));
    if (stat === null) return;
    yield { path: next, stat, isShared };
    if (!stat.isSymbolicLink()) {
      at = next;
      isShared = isWritableForOthers(stat) && (stat.mode & sticky) !== 0;
      continue;
    }
    const target = orNull(() => readlinkSync(next));
    // It was removed meanwhile.
    if (target === null) return;
    if (target.startsWith('/')) [at, isShared] = ['/', false];
    names.push(...namesOf(target));
    if (++links > maxLinks) return;
  }
}

const namesOf = (path: string): string[] =>
  path
    .split('/')
    .filter((name) => name !== '' && name !== '.')
    .reverse();

/** The owner, group and mode of a file, which decide who may use it. */
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
  // Before the mode: the owner of a sticky directory can replace everything in it.
  if (!isTrusted(stat.uid)) {
    const problem = `${path} belongs to user ${stat.uid}, who could replace what is in it`;
    return { problem, fix: 'choose another directory' };
  }
  if (!stat.isDirectory() || !isWritableForOthers(stat) || (stat.mode & sticky) !== 0) return null;
  const mode = (stat.mode & 0o7777).toString(8);
  const problem = `other users can write to the directory ${path} (mode ${mode})`;
  return { problem, fix: `chmod go-w ${shellQuoted(path)}, or choose another directory` };
}

/** A user's own group, which has the user's number, usually has no other member. */
function isWritableForOthers({ mode, uid, gid }: FileAccess): boolean {
  const others = gid === uid ? 0o002 : 0o022;
  return (mode & others) !== 0;
}

/** The user that this process acts as; a test gives its own. */
export interface ThisUser {
  readonly uid: number;
  /** All groups of the user. */
  readonly groups: readonly number[];
}

let cachedUser: ThisUser | null = null;

export function thisUser(): ThisUser {
  cachedUser ??= {
    uid: process.geteuid?.() ?? 0,
    groups: [process.getegid?.() ?? 0, ...(process.getgroups?.() ?? [])],
  };
  return cachedUser;
}

/** The user by whom the kernel counts processes (RLIMIT_NPROC, setrlimit(2)): not the one that this process acts as. */
export const realUser = (): number => process.getuid?.() ?? 0;

/** What the kernel reports for a user that does not exist in this user namespace: overflowuid, proc_sys_kernel(5). */
const overflowUid = 65_534;
/** /proc/self/uid_map outside of user namespaces, user_namespaces(7). */
const allUsers = /^\s*0\s+0\s+4294967295\s*$/;

/**
 * Whether a uid stands for all users outside of this user namespace, root among them. In a container
 * without root's rights, the directories of the system belong to it.
 */
function isOutside(uid: number): boolean {
  if (uid !== overflowUid || process.platform !== 'linux') return false;
  try {
    return !allUsers.test(readFileSync('/proc/self/uid_map', 'latin1'));
  } catch {
    return false;
  }
}

let ownBootId: string | null | undefined;

/** Returns an id that the system chooses each time it starts; null if it has none. Linux only. */
export function bootId(): string | null {
  if (ownBootId !== undefined) return ownBootId;
  try {
    ownBootId = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch {
    ownBootId = null;
  }
  return ownBootId;
}

/**
 * Returns what tells this machine from others, containers of the same system among them: a socket may be
 * forwarded to another one.
 */
export const thisMachine = (): string => `${bootId() ?? ''}/${hostname()}`;
