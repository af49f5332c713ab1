import { basename, join } from 'node:path';
import { damagedIn, removeDamaged } from './damaged.ts';
import { readJournals } from './journal/journal-files.ts';
import { isId, liveOwner, type StoreOwner } from './owner.ts';
import type { SkippedFile } from './port.ts';
import { problemsOf } from './session-files.ts';
import { type StoreFiles, systemFiles } from './store-files.ts';

export interface StoreCheck {
  readonly directory: string;
  readonly bootId: string;
  readonly isAlive: (owner: StoreOwner) => boolean;
  readonly files?: StoreFiles;
}

export interface CheckedStore {
  /** The process that uses the directory; null if none does. */
  readonly owner: number | null;
  /** Files that cannot be read, completely or in part. */
  readonly unreadable: readonly SkippedFile[];
  /** Those of `unreadable` from which nothing can be restored. */
  readonly damaged: readonly SkippedFile[];
}

/** Reads all saved sessions, also those of a running daemon. Changes nothing. Never throws. */
export function checkStore({ directory, bootId, isAlive, files }: StoreCheck): CheckedStore {
  const from = files ?? systemFiles;
  const owner = liveOwner(from, directory, bootId, isAlive)?.pid ?? null;
  try {
    const ids = from.names(directory).filter(isId);
    const ofSessions = ids.flatMap((id) => problemsOf(from, join(directory, id)));
    const ofJournals = readJournals(from, directory).problems;
    const damaged = damagedIn(from, directory, ids, owner !== null);
    const named = new Set(damaged.map(({ path }) => path));
    const others = [...ofSessions, ...ofJournals].filter(({ path }) => !named.has(path));
    return { owner, unreadable: [...others, ...damaged], damaged };
  } catch (error) {
    const unreadable = [{ path: directory, reason: (error as Error).message }];
    return { owner, unreadable, damaged: [] };
  }
}

export interface ClearedStore {
  /** The paths of what was removed. */
  readonly removed: readonly string[];
  /** Sessions of which the system could not tell whether they are damaged. */
  readonly unread: readonly SkippedFile[];
}

/**
 * Removes the damaged sessions of {@link checkStore}. A daemon may use the directory.
 *
 * @param readIds returns the ids of the daemon's sessions, whose files it replaces
 * @throws Error of the system
 */
export async function clearStore(
  { directory, files = systemFiles }: Pick<StoreCheck, 'directory' | 'files'>,
  readIds: () => Promise<ReadonlySet<string>>,
): Promise<ClearedStore> {
  const ids = files.names(directory).filter(isId);
  const unread: SkippedFile[] = [];
  const damaged = damagedIn(files, directory, ids, false, unread);
  // Asked after the search: it includes a session that the daemon was saving then.
  const liveIds = await readIds();
  const paths = damaged.map(({ path }) => path).filter((path) => !liveIds.has(basename(path)));
  if (paths.length > 0) await removeDamaged(files, directory, paths);
  return { removed: paths, unread: unread.filter(({ path }) => !liveIds.has(basename(path))) };
}
