import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { parseSync } from 'oxc-parser';

/**
 * Lists the files below directories of `root`, sorted, as paths relative to `root` with forward
 * slashes. A directory that does not exist has none.
 *
 * @param {string} root
 * @param {readonly string[]} directories
 * @param {RegExp} pattern of the file's name
 * @returns {string[]}
 */
export function listFiles(root, directories, pattern) {
  /** @type {string[]} */
  const files = [];
  const visit = (/** @type {string} */ directory) => {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      const path = join(directory, entry.name);
      if (entry.isDirectory() && entry.name !== 'node_modules') visit(path);
      if (entry.isFile() && pattern.test(entry.name)) files.push(path);
    }
  };
  for (const directory of directories)
    if (existsSync(join(root, directory))) visit(join(root, directory));
  return files.map((path) => relative(root, path).split(sep).join('/')).sort();
}

/** @param {string} path */
export const isTest = (path) => path.endsWith('.test.ts');

/**
 * @typedef {object} Source
 * @property {string} path relative to the root
 * @property {string} text
 * @property {import('oxc-parser').Program} program
 * @property {(offset: number) => number} lineOf 1-based
 */

/**
 * @param {string} root
 * @param {string} path relative to `root`
 * @returns {Source}
 * @throws Error when the file is not valid TypeScript or JavaScript
 */
export function parseSource(root, path) {
  const text = readFileSync(join(root, path), 'utf8');
  const { program, errors } = parseSync(path, text);
  const lineOf = (/** @type {number} */ offset) => text.slice(0, offset).split('\n').length;
  const [error] = errors;
  if (error !== undefined) throw new Error(`${path} cannot be parsed: ${error.message}`);
  return { path, text, program, lineOf };
}
