import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { globPattern, isGlob } from '#base';
import { isOwn } from '#trust';

/**
 * Returns the sockets that match a path or glob, sorted. `*`, `?` and `[...]` match within one file
 * name, but never its leading dot. A path without them is returned unchanged, whether or not it exists.
 *
 * A glob only searches directories of the user and of root: in another user's directory, that user
 * decides who answers on a socket.
 */
export function expandPath(pattern: string): string[] {
  if (!isGlob(pattern)) return [pattern];
  let found = [pattern.startsWith('/') ? '/' : '.'];
  const names = pattern.split('/').filter((name) => name !== '');
  for (const [index, name] of names.entries()) {
    const isLast = index === names.length - 1;
    found = found.flatMap((directory) => step(directory, name, isLast));
  }
  return found.sort();
}

function step(directory: string, name: string, isLast: boolean): string[] {
  if (!isGlob(name)) {
    const path = join(directory, name);
    return isLast && !isSocket(path) ? [] : [path];
  }
  if (!isTrusted(directory)) return [];
  const matches = globPattern(name);
  return entriesOf(directory)
    .filter((entry) => !entry.name.startsWith('.') || name.startsWith('.'))
    .filter((entry) => matches?.test(entry.name))
    .filter((entry) => (isLast ? entry.isSocket() : entry.isDirectory() || entry.isSymbolicLink()))
    .map((entry) => join(directory, entry.name));
}

function entriesOf(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}

function isTrusted(directory: string): boolean {
  const stat = lstatOrNull(directory);
  return stat !== null && (isOwn(stat) || stat.uid === 0);
}

const isSocket = (path: string): boolean => lstatOrNull(path)?.isSocket() ?? false;

function lstatOrNull(path: string) {
  try {
    return lstatSync(path);
  } catch {
    return null;
  }
}
