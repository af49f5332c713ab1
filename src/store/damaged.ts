import { basename, join } from 'node:path';
import { damagedNoticeName } from '#config';
import { systemReason } from '#model';
import { journalsAside } from './journal/journal-files.ts';
import { readSmallFile, replaceSmallFile } from './owner.ts';
import type { SkippedFile } from './port.ts';
import { findSession, isDamage, removeTree } from './session-files.ts';
import { type StoreFiles, unlessMissing } from './store-files.ts';

/** Ends the name of what is being removed: the next daemon removes the rest. */
export const removedSuffix = '.removed';

/**
 * Ends the name of a file beside a session that is not listed: it was counted in a notice. It is not in the directory
 * of the session, which may be a link, or another user's.
 */
const noticedSuffix = '.noticed';

/**
 * Returns the damaged sessions in a directory, of which nothing can be restored, and the journals that were put
 * aside. Never throws.
 *
 * @param ids of the sessions
 * @param isUsed whether a daemon may be saving a new session
 * @param unread gets those that the system could not read
 */
export function damagedIn(
  files: StoreFiles,
  directory: string,
  ids: readonly string[],
  isUsed: boolean,
  unread: SkippedFile[] = [],
): SkippedFile[] {
  const sessions = ids.flatMap((id) => damageOf(files, join(directory, id), isUsed, unread) ?? []);
  return [...sessions, ...journalsAside(files, directory)];
}

function damageOf(
  files: StoreFiles,
  path: string,
  isUsed: boolean,
  unread: SkippedFile[],
): SkippedFile | null {
  try {
    files.checkDirectory(path);
    const names = files.names(path);
    if (names.every((name) => name.endsWith('.tmp'))) return null;
    if (isUsed && !names.includes('facts') && !names.includes('state')) return null;
    findSession(files, path);
    return null;
  } catch (error) {
    const problem = { path, reason: systemReason(error) };
    if (isDamage(error)) return problem;
    if ((error as NodeJS.ErrnoException).errno !== undefined) unread.push(problem);
    return null;
  }
}

/** What `vtr ls` has not printed yet; see `takeDamagedNotice`. */
interface Notice {
  readonly sessions?: number;
  readonly unreadable?: number;
  readonly reason?: string;
}

/**
 * Counts the sessions that are not listed, and that no notice has counted yet, in one, which `vtr ls` prints once.
 *
 * @param unlisted those that cannot be read although they may be whole are `isKept`
 * @throws Error of the system; the next daemon tries again
 */
export async function noticeDamaged(
  files: StoreFiles,
  directory: string,
  unlisted: readonly SkippedFile[],
): Promise<void> {
  const marks = new Set(unlisted.map(({ path }) => `${basename(path)}${noticedSuffix}`));
  const names = new Set(files.names(directory));
  for (const name of names) {
    // The session was repaired or removed.
    if (name.endsWith(noticedSuffix) && !marks.has(name)) await files.remove(join(directory, name));
  }
  const fresh = unlisted.filter(({ path }) => !names.has(`${basename(path)}${noticedSuffix}`));
  if (fresh.length === 0) return;
  const path = join(directory, damagedNoticeName);
  const notice = readSmallFile<Notice>(files, path) ?? {};
  await replaceSmallFile(files, path, withUnlisted(notice, fresh));
  for (const each of fresh) await (await files.create(`${each.path}${noticedSuffix}`)).close();
}

function withUnlisted(
  { sessions = 0, unreadable = 0, reason = '' }: Notice,
  fresh: readonly SkippedFile[],
): Notice {
  const intact = fresh.filter(({ isKept }) => isKept);
  const count = unreadable + intact.length;
  return {
    sessions: sessions + fresh.length - intact.length,
    ...(count > 0 && { unreadable: count, reason: intact[0]?.reason ?? reason }),
  };
}

/** Removes what {@link damagedIn} returned. @throws Error of the system */
export async function removeDamaged(
  files: StoreFiles,
  directory: string,
  paths: readonly string[],
): Promise<void> {
  for (const path of paths) {
    const removed = `${path}${removedSuffix}`;
    await removeTree(files, removed);
    // A daemon finds either all of it or nothing.
    await files.rename(path, removed).catch(unlessMissing);
    await removeTree(files, removed);
    await files.remove(`${path}${noticedSuffix}`).catch(unlessMissing);
  }
  await files.remove(join(directory, damagedNoticeName)).catch(unlessMissing);
}
