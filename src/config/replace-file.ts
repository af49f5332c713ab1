import { renameSync, rmSync, writeFileSync } from 'node:fs';

type Write = (
  path: string,
  data: string | Uint8Array,
  options: { readonly mode: number; readonly flag: 'wx' },
) => void;

/**
 * Replaces a file atomically, or leaves it unchanged and no other file behind.
 *
 * @throws Error of the system
 */
export function replaceFile(
  file: string,
  data: string | Uint8Array,
  write: Write = writeFileSync,
): void {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    write(temporary, data, { mode: 0o600, flag: 'wx' });
    renameSync(temporary, file);
  } catch (error) {
    const isOurs = (error as NodeJS.ErrnoException).code !== 'EEXIST';
    if (isOurs) rmSync(temporary, { force: true });
    throw error;
  }
}
