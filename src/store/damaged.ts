import { join } from 'node:path';
import { damagedNoticeName } from '#config';
import { journalsAside } from './journal/journal-files.ts';
import { readSmallFile, replaceSmallFile } from './owner.ts';
import type { SkippedFile } from './port.ts';
import { findSession, isDamage, removeTree } from './session-files.ts';
import { type StoreFiles, unlessMissing } from './store-files.ts';

/** Ends the name of what is being removed: the next daemon removes the rest. */
export const removedSuffix = '.removed';

/** In the directory of a damaged session: it was counted in a notice. */
const noticedName = 'noticed';

/**
 * Returns the damaged sessions in a directory, of which nothing can be restored, and the journals that were put
 * aside. Never throws.
 *
 * @param ids of the sessions
 * @param isUsed whether a daemon may be saving a new session
 */
export function damagedIn(
  files: StoreFiles,
  directory: string,
  ids: readonly string[],
  isUsed: boolean,
): SkippedFile[] {
  const sessions = ids.flatMap((id) => damageOf(files, join(directory, id), isUsed) ?? []);
  return [...sessions, ...journalsAside(files, directory)];
}

function damageOf(files: StoreFiles, path: string, isUsed: boolean): SkippedFile | null {
  try {
    files.checkDirectory(path);
    const names = files.names(path);
    if (names.every((name) => name.endsWith('.tmp'))) return null;
    if (isUsed && !names.includes('facts') && !names.includes('state')) return null;
    findSession(files, path);
    return null;
  } catch (error) {
    return isDamage(error) ? { path, reason: (error as Error).message } : null;
  }
}

/**
 * Counts the damaged sessions that no notice has counted yet in one, which `vtr ls` prints once.
 *
 * @throws Error of the system; the next daemon tries again
 */
export async function noticeDamaged(
  files: StoreFiles,
  directory: string,
  paths: readonly string[],
): Promise<void> {
  const fresh = paths.filter((path) => !files.names(path).includes(noticedName));
  if (fresh.length === 0) return;
  const notice = join(directory, damagedNoticeName);
  const { sessions = 0 } = readSmallFile<{ sessions?: number }>(files, notice) ?? {};
  await replaceSmallFile(files, notice, { sessions: sessions + fresh.length });
  for (const path of fresh) await (await files.create(join(path, noticedName))).close();
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
  }
  await files.remove(join(directory, damagedNoticeName)).catch(unlessMissing);
}
