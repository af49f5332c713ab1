import { accessSync, constants } from 'node:fs';

/**
 * Returns whether this user may execute a file: access(2) with X_OK. False if it is not there. True for a directory that
 * may be searched, so programs that are started check the type, too.
 */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
