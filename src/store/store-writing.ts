import type { StoreFile, StoreFiles } from './store-files.ts';

/**
 * Writes to a file and closes it.
 *
 * @param remove removes a new file that could not be written, which may be why the disk is full; null for
 *   a file that was there before
 */
export async function closing(
  file: StoreFile,
  remove: (() => Promise<void>) | null,
  write: () => Promise<void>,
): Promise<void> {
  try {
    await write().finally(() => file.close());
  } catch (error) {
    await remove?.().catch(() => {});
    throw error;
  }
}

/** Replaces a file atomically, or leaves it unchanged. Its name is permanent after `syncDirectory`. */
export async function replaceStored(
  files: StoreFiles,
  path: string,
  bytes: Uint8Array,
): Promise<void> {
  const temporary = `${path}.tmp`;
  const remove = () => files.remove(temporary);
  const file = await createAgain(files, temporary);
  await closing(file, remove, async () => {
    await file.write(bytes, 0);
    await file.sync();
  });
  await files.rename(temporary, path).catch(async (error) => {
    await remove().catch(() => {});
    throw error;
  });
}

/** A crash can have left the file. */
async function createAgain(files: StoreFiles, path: string): Promise<StoreFile> {
  try {
    return await files.create(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    await files.remove(path);
    return files.create(path);
  }
}
