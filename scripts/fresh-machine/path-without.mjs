import { readdirSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** @param {string} directory */
function namesIn(directory) {
  try {
    return readdirSync(directory);
  } catch {
    // PATH may name directories that do not exist.
    return [];
  }
}

/**
 * PATH without some programs. A directory that contains one of them is replaced by a directory of
 * links to its other programs.
 *
 * @param {RegExp} hidden matches the names of the programs
 * @param {string} links an empty directory for the links
 */
export function pathWithout(hidden, links) {
  const directories = new Set((process.env['PATH'] ?? '').split(delimiter).filter(Boolean));
  const linked = new Set();
  const paths = [...directories].map((directory) => {
    const names = namesIn(directory);
    if (!names.some((name) => hidden.test(name))) return directory;
    for (const name of names) {
      if (hidden.test(name) || linked.has(name)) continue;
      linked.add(name);
      symlinkSync(join(directory, name), join(links, name));
    }
    return links;
  });
  return [...new Set(paths)].join(delimiter);
}
