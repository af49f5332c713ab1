import { join } from 'node:path';
import { isId } from './disk-store.ts';
import { liveOwner, type StoreOwner } from './owner.ts';
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
}

/** Reads all saved sessions, also those of a running daemon. Changes nothing. Never throws. */
export function checkStore({ directory, bootId, isAlive, files }: StoreCheck): CheckedStore {
  const from = files ?? systemFiles;
  const owner = liveOwner(from, directory, bootId, isAlive)?.pid ?? null;
  try {
    const ids = from.names(directory).filter(isId);
    return { owner, unreadable: ids.flatMap((id) => problemsOf(from, join(directory, id))) };
  } catch (error) {
    return { owner, unreadable: [{ path: directory, reason: (error as Error).message }] };
  }
}
