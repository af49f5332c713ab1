import { opendir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { ownTimers, within } from '#base';

/** The most directories that are returned. */
const maxListed = 50;
/** The most entries of a directory that are read. */
const maxRead = 10_000;
/** A file system of the network may not answer: how long is waited for it, in ms. */
const maxMs = 2_000;

/** Returns an absolute path for one that begins with `~`, as a person writes it. */
export const withoutTilde = (path: string, home = homedir()): string =>
  path.replace(/^~(?=\/|$)/, home);

/**
 * Returns directories whose paths begin with a text, for the completion of what a person writes. Hidden ones only if the
 * text says so. Never fails.
 *
 * @param prefix an absolute path, or one that begins with `~`
 */
export async function listDirectories(
  prefix: string,
  home = homedir(),
): Promise<{ readonly directories: readonly string[]; readonly home: string }> {
  const path = withoutTilde(prefix, home);
  const isPath = path.startsWith('/') && !path.includes('\0');
  const list = isPath ? within(ownTimers, maxMs, readDirectories(path)) : null;
  const directories = (await list?.catch(() => null)) ?? [];
  return { directories, home };
}

async function readDirectories(path: string): Promise<string[]> {
  const parent = path.endsWith('/') ? path : dirname(path);
  const first = path.endsWith('/') ? '' : path.slice(path.lastIndexOf('/') + 1);
  const matches: string[] = [];
  let count = 0;
  for await (const entry of await opendir(parent)) {
    if (++count > maxRead) break;
    const { name } = entry;
    if (!name.startsWith(first) || (name.startsWith('.') && !first.startsWith('.'))) continue;
    const full = join(parent, name);
    const isDirectory =
      entry.isDirectory() ||
      (entry.isSymbolicLink() && (await stat(full).catch(() => null))?.isDirectory() === true);
    if (isDirectory) matches.push(full);
  }
  return matches.sort().slice(0, maxListed);
}
