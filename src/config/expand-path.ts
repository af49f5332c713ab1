import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const wild = /[*?[]/;

/**
 * The sockets that a path or glob names, sorted. `*`, `?` and `[...]` stand for characters of one
 * name, and never for the dot that it begins with. A path without any of them is given back as it
 * is, whether or not something is there.
 *
 * A glob looks into folders of the user and of root only: in a folder of someone else, that user
 * decides who answers.
 */
export function expandPath(pattern: string): string[] {
  if (!wild.test(pattern)) return [pattern];
  let found = [pattern.startsWith('/') ? '/' : '.'];
  const names = pattern.split('/').filter((name) => name !== '');
  for (const [index, name] of names.entries()) {
    const isLast = index === names.length - 1;
    found = found.flatMap((folder) => step(folder, name, isLast));
  }
  return found.sort();
}

function step(folder: string, name: string, isLast: boolean): string[] {
  if (!wild.test(name)) {
    const path = join(folder, name);
    return isLast && !isSocket(path) ? [] : [path];
  }
  if (!isTrusted(folder)) return [];
  const matches = nameTest(name);
  return entriesOf(folder)
    .filter((entry) => matches.test(entry.name))
    .filter((entry) => (isLast ? entry.isSocket() : entry.isDirectory() || entry.isSymbolicLink()))
    .map((entry) => join(folder, entry.name));
}

function nameTest(glob: string): RegExp {
  const source = glob.replace(/\[(!?)([^\]]+)\]|./gsu, (sign, not?: string, set?: string) => {
    if (set !== undefined) return `[${not ? '^' : ''}${set.replace(/[\\^[]/g, '\\$&')}]`;
    if (sign === '*') return '.*';
    return sign === '?' ? '.' : sign.replace(/[\\^$.|+()[\]{}]/, '\\$&');
  });
  return new RegExp(`^${glob.startsWith('.') ? '' : '(?!\\.)'}${source}$`, 'su');
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function isTrusted(folder: string): boolean {
  const stat = lstatOrNull(folder);
  const uid = process.getuid?.();
  return stat !== null && (uid === undefined || stat.uid === uid || stat.uid === 0);
}

const isSocket = (path: string): boolean => lstatOrNull(path)?.isSocket() ?? false;

function lstatOrNull(path: string) {
  try {
    return lstatSync(path);
  } catch {
    return null;
  }
}
