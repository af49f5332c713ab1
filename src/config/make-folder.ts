import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder, and those above it where they are missing. Node's own way to do so does not come
 * back where one cannot be made and the system says ENOENT, as it does in /proc.
 *
 * @param mode before the umask takes its part
 * @returns false where it, or something else of that name, was there
 * @throws Error of the system
 */
export function makeFolder(folder: string, mode = 0o700): boolean {
  try {
    return makeOne(folder, mode);
  } catch (error) {
    const parent = dirname(folder);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === folder) throw error;
    makeFolder(parent, mode);
    return makeOne(folder, mode);
  }
}

function makeOne(folder: string, mode: number): boolean {
  try {
    mkdirSync(folder, { mode });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
