import { join } from 'node:path';
import { decodeUtf8, encodeUtf8 } from '#base';
import { replaceStored, type StoreFiles } from './store-files.ts';

/** A process, distinct from a later one with the same pid. */
export interface StoreOwner {
  readonly pid: number;
  readonly start: number;
}

interface OwnerFile extends StoreOwner {
  readonly bootId: string;
}

const maxBytes = 4096;

/**
 * Writes that this process uses the directory.
 *
 * @throws Error if another one does, that is alive
 */
export async function takeDirectory(
  files: StoreFiles,
  directory: string,
  self: OwnerFile,
  isAlive: (owner: StoreOwner) => boolean,
): Promise<void> {
  checkOwner(files, directory, self, isAlive);
  await replaceSmallFile(files, join(directory, ownerName), self);
}

/** @throws Error if another process that is alive uses the directory */
export function checkOwner(
  files: StoreFiles,
  directory: string,
  self: OwnerFile,
  isAlive: (owner: StoreOwner) => boolean,
): void {
  const owner = liveOwner(files, directory, self.bootId, isAlive);
  const isSelf = owner?.pid === self.pid && owner.start === self.start;
  if (owner !== null && !isSelf) throw new Error(`process ${owner.pid} uses ${directory}`);
}

/** Returns the process that uses the directory; null if none is alive. */
export function liveOwner(
  files: StoreFiles,
  directory: string,
  bootId: string,
  isAlive: (owner: StoreOwner) => boolean,
): StoreOwner | null {
  const owner = readSmallFile<OwnerFile>(files, join(directory, ownerName));
  return owner !== null && owner.bootId === bootId && isAlive(owner) ? owner : null;
}

/** Files of the directory beside those of sessions: who uses it, and that its user is stopping in order. */
export const ownerName = 'owner';
export const stoppingName = 'stopping';

const idPattern = /^[A-Za-z0-9-]{1,64}$/;
/** Whether a name in the store's directory can be that of a session's. */
export const isId = (name: string): boolean =>
  idPattern.test(name) && name !== ownerName && name !== stoppingName;

/** Returns null if it does not exist or cannot be read. */
export function readSmallFile<T>(files: StoreFiles, path: string): T | null {
  try {
    return JSON.parse(decodeUtf8(files.readSync(path, maxBytes))) as T;
  } catch {
    return null;
  }
}

export const replaceSmallFile = (files: StoreFiles, path: string, content: object): Promise<void> =>
  replaceStored(files, path, encodeUtf8(JSON.stringify(content)));
